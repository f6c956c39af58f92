// ARCHITECTURE.md and CONTRIBUTING.md against the code: their paths and names exist, and the pictures, lists and tables of ARCHITECTURE.md
// are equal to the folders, the run and the imports.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ruleProblems } from '../../.ci/allowed-imports.ts';
import { type Import, readSource } from '../../.ci/source-imports.ts';
import { RUN_STATUSES, RUN_STEPS } from '../../src/domain/run/run.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const foldersIn = (folder: string) =>
  readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));
const page = read('ARCHITECTURE.md');
const recipes = read('CONTRIBUTING.md').split('\n## Recipes\n')[1] ?? '';
const [eventPicture = '', statePicture = '', roomPicture = ''] = [
  ...page.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm),
].map(([, picture = '']) => picture);

const prose = page.replaceAll(/^```mermaid\n[\s\S]*?^```$/gm, '');

function section(title: string): string {
  return page.split(/^## /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
}

function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** `/ops` and `npm run check` are no paths; each path of a command is one. */
function pathsIn(text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  const words = codeIn(text).flatMap((code) => code.split(' '));
  return [...links, ...words].filter(isPath);
}

function isPath(word: string): boolean {
  return !/^(\/|https?:|-)/.test(word) && (word.includes('/') || /\.(ts|md|yaml)$/.test(word));
}

/** `{a,b}` and `*` are patterns; a name in angle brackets may be any name. */
function exists(name: string): boolean {
  const pattern = name.replaceAll(/<[^>]+>/g, '*').replace(/\/$/, '');
  if (!/[*{]/.test(pattern)) return existsSync(path.join(ROOT, pattern));
  return alternatives(pattern).every((one) => globSync(one, { cwd: ROOT }).length > 0);
}

function alternatives(pattern: string): readonly string[] {
  const [, before = '', inner, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return inner === undefined ? [pattern] : inner.split(',').map((one) => before + one + after);
}

function rowsOf(title: string): readonly (readonly string[])[] {
  const lines = section(title).split('\n');
  return lines.flatMap((line) => (/^\| (?!---|\|)\S/.test(line) ? [line.slice(2, -2).split(' | ')] : []));
}

const [, ...rooms] = rowsOf('Rooms');

function roomNamed(name: string): readonly string[] {
  return rooms.find(([names = '']) => codeIn(names).includes(name)) ?? [];
}

describe('the paths of ARCHITECTURE.md', () => {
  const named = pathsIn(prose);

  it('are many: the test finds them', () => {
    expect(named.length).toBeGreaterThan(40);
  });

  it('exist, in the repository, in src or in the room of their row', () => {
    const inRows = rooms.flatMap(([names = '', ...cells]) => {
      const places = ['', 'src', ...codeIn(names)];
      return pathsIn(cells.join(' | ')).map((name) => ({ name, places }));
    });
    const inText = named.filter((name) => !inRows.some((row) => row.name === name));
    const all = [...inRows, ...inText.map((name) => ({ name, places: ['', 'src'] }))];
    const lacking = all.filter(({ name, places }) => !places.some((place) => exists(path.posix.join(place, name))));
    expect(lacking.map(({ name }) => name)).toEqual([]);
  });

  it('exist in the pictures as well', () => {
    const words = `${eventPicture}${roomPicture}`.replaceAll('<br/>', ' ').split(/[^\w./-]+/);
    const drawn = words.filter((word) => /^\w[\w-]*(\/[\w-]+)*(\.ts)?$/.test(word) && /\w\/\w|\.ts$/.test(word));
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.filter((name) => !exists(`src/${name}`))).toEqual([]);
  });
});

describe('the run in ARCHITECTURE.md', () => {
  it('has the steps of the code, in their order', () => {
    const [, list = ''] = /reads as the workflow: ([\s\S]*?)\./.exec(page) ?? [];
    expect(codeIn(list)).toEqual([...RUN_STEPS]);
  });

  it('has the number of steps in words wherever it is mentioned', () => {
    const counts = [...page.matchAll(/(\w+) \*{0,2}steps\b/g)].map(([, count]) => count);
    expect(counts.length).toBeGreaterThan(1);
    expect([new Set(counts), RUN_STEPS.length]).toEqual([new Set(['nine']), 9]);
  });

  it('has exactly the states of the code, and transitions between these only', () => {
    const transitions = [...statePicture.matchAll(/^ {2}(\S+) --> (\w+)(?:: .+)?$/gm)];
    expect(transitions).toHaveLength(statePicture.trim().split('\n').length - 1);
    const states = new Set(transitions.flatMap(([, from = '', to = '']) => [from, to]));
    expect([...states].toSorted()).toEqual(['[*]', ...RUN_STATUSES].toSorted());
  });
});

describe('the table of rooms in ARCHITECTURE.md', () => {
  it('has exactly the folders of src, and knowledge, mappings and test', () => {
    const named = rooms.flatMap(([names = '']) => codeIn(names)).filter((name) => !name.endsWith('.ts'));
    const folders = foldersIn('src').map((name) => `src/${name}`);
    expect(named.toSorted()).toEqual([...folders, 'knowledge/', 'mappings/', 'test/'].toSorted());
  });

  it.each([
    ['src/domain', 'subject'],
    ['src/flows', 'subject'],
  ])('lists exactly the folders of %s', (room, word) => {
    const [, list = ''] = new RegExp(`by ${word}: (.+)$`).exec(roomNamed(room)[1] ?? '') ?? [];
    expect(list.split(', ').toSorted()).toEqual(foldersIn(room).toSorted());
  });

  it('lists exactly the folders of src/inbound and of its HTTP door', () => {
    const names = codeIn(roomNamed('src/inbound')[1] ?? '').flatMap(alternatives);
    const expected = foldersIn('src/inbound').flatMap((name) =>
      name === 'http' ? foldersIn('src/inbound/http').map((inner) => `http/${inner}`) : [name],
    );
    expect(names.toSorted()).toEqual(expected.toSorted());
  });
});

type Arrow = readonly [from: string, to: string];

/** Words that the picture of the rooms writes shorter than the folder. */
const DRAWN_AS: Readonly<Record<string, readonly string[]>> = {
  main: ['src/main.ts', 'src/composition'],
  text: ['src/clinical-text'],
};

function placesOf(node: string): readonly string[] {
  return DRAWN_AS[node] ?? [`src/${node}`];
}

/** `a --> b & c` are two arrows. Arrows that are not solid are no imports. */
function arrowsIn(picture: string, sign: string): readonly Arrow[] {
  return picture
    .replaceAll(/\["[^"]*"\]/g, '')
    .split('\n')
    .flatMap((line): readonly Arrow[] => {
      const [from = '', to] = line.trim().split(` ${sign} `);
      return to === undefined ? [] : to.split(' & ').map((one) => [from, one]);
    });
}

/** "imports from `src`, except `domain/errors.ts`": what the table says of a room. */
function exceptionsOf(room: string): readonly string[] {
  const [, exceptions = ''] = /imports from `src`, except (.+)$/.exec(roomNamed(room)[2] ?? '') ?? [];
  return codeIn(exceptions).map((name) => `src/${name}`);
}

describe('the picture of the rooms in ARCHITECTURE.md', () => {
  const { imports } = readSource(ROOT);
  const isIn = (file: string, places: readonly string[]) =>
    places.some((place) => file === place || file.startsWith(`${place}/`));
  const importsAlong = ([from, to]: Arrow): readonly Import[] =>
    imports.filter(({ file, target }) => isIn(file, placesOf(from)) && isIn(target, placesOf(to)));
  const solid = arrowsIn(roomPicture, '-->');

  it('has an arrow in each line that is read here', () => {
    const lines = roomPicture.split('\n').filter((line) => /--|-\.|==/.test(line));
    const dotted = lines.filter((line) => line.includes('-.'));
    expect(dotted).toEqual(['  cli -. "/ops, over HTTP" .-> inbound']);
    expect(lines.filter((line) => !dotted.includes(line) && arrowsIn(line, '-->').length === 0)).toEqual([]);
    expect(solid.length).toBeGreaterThan(12);
  });

  it.each(solid)('draws %s --> %s, which the code imports and the import rules allow', (...arrow) => {
    const along = importsAlong(arrow);
    expect(along.length).toBeGreaterThan(0);
    expect(along.flatMap(ruleProblems)).toEqual([]);
  });

  it.each(solid)(
    'draws %s --> %s, and has no import the other way but of a file that the table excepts',
    (from, to) => {
      const excepted = placesOf(to).flatMap(exceptionsOf);
      const back = importsAlong([to, from]).filter(({ target }) => !excepted.includes(target));
      expect(back.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
    },
  );

  it('has no import where an arrow is a request over HTTP', () => {
    expect([...importsAlong(['cli', 'inbound']), ...importsAlong(['inbound', 'cli'])]).toEqual([]);
  });

  it.each(['inbound', 'outbound'])('lists exactly the folders of %s', (room) => {
    const [, list = ''] = new RegExp(`${room}\\["[^"]*<br/>([^"]+)"\\]`).exec(roomPicture) ?? [];
    expect(list.split(' · ').toSorted()).toEqual(foldersIn(`src/${room}`).toSorted());
  });

  it.each(['src/platform', 'src/clinical-text'])(
    'goes with a table that names the one file that %s imports',
    (room) => {
      const outside = imports.filter(({ file, target }) => isIn(file, [room]) && !isIn(target, [room]));
      const targets = outside.flatMap(({ target }) => (target.startsWith('src/') ? [target] : []));
      expect([...new Set(targets)]).toEqual(exceptionsOf(room));
    },
  );
});

describe('the glossary of ARCHITECTURE.md', () => {
  it('has at most 30 rows, each with a word and what it means', () => {
    const terms = rowsOf('Glossary');
    expect(terms.length).toBeGreaterThan(15);
    expect(terms.length).toBeLessThanOrEqual(30);
    expect(terms.filter((cells) => cells.length !== 2 || !/^\*\*.+\*\*$/.test(cells[0] ?? ''))).toEqual([]);
  });
});

describe('the recipes of CONTRIBUTING.md', () => {
  /** A name without its folder is in the folder of the path before it, or beside that folder. */
  function unknownPaths(recipe: string): readonly string[] {
    let before = '';
    return pathsIn(recipe).filter((name) => {
      const places = ['', before, path.posix.dirname(before)];
      const found = places.map((place) => path.posix.join(place, name)).find(exists);
      before = found ?? before;
      return found === undefined;
    });
  }

  const items = recipes.split(/^(?:### .+|\d\. )/m).map((item) => item.trim());
  const titles = [...recipes.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title);

  it('are for what is added most often', () => {
    expect(titles).toEqual([
      'A note template',
      'A FHIR document',
      'An event source',
      'A reasoner',
      'A setting',
      'An `/ops` endpoint',
    ]);
  });

  it.each(titles)('for "%s" name paths that exist', (title) => {
    const recipe = recipes.split(/^### /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
    expect(pathsIn(recipe).length).toBeGreaterThan(3);
    expect(unknownPaths(recipe)).toEqual([]);
  });

  it('name constants that are in a file of the same step', () => {
    const lacking = items.flatMap((item) => {
      const files = pathsIn(item).filter((name) => name.endsWith('.ts') && existsSync(path.join(ROOT, name)));
      const text = files.map(read).join('\n');
      return codeIn(item).filter((code) => /^[A-Z]+(_[A-Z]+)+$/.test(code) && !text.includes(code));
    });
    expect(lacking).toEqual([]);
  });
});
