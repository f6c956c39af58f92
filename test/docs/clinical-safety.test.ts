// docs/clinical-safety.md against the program: every test that it calls as a witness is there, and so is each command, setting, reason and
// metric that it names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { runProgram } from '../cli/mappings/mappings-program.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const page = read('docs/clinical-safety.md');
const hazards = page.split(/^### /m).slice(1);
const sourcesIn = (folder: string) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|yaml)$/.test(file))
    .map((file) => read(path.join(folder, file)))
    .join('\n');
const NOBODY = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };

type Witness = readonly [file: string, title: string];
const witnesses = [...page.matchAll(/^ {2}- `(test\/[^`]+)`: (.+)$/gm)].map(
  ([, file = '', title = '']): Witness => [file, title],
);

describe('the hazard log', () => {
  test('says of each hazard how bad it is, what causes it, what is done, what shows that, and what remains', () => {
    expect(hazards.length).toBeGreaterThan(10);
    const lacking = hazards.flatMap((hazard) =>
      [/^Severity: (catastrophic|major|moderate|minor)\.$/m, ...[/^- Causes: /m, /^- Controls: /m, /^- Remains: /m]]
        .filter((part) => !part.test(hazard))
        .map((part) => `${hazard.split('\n', 1)[0]} lacks ${part}`),
    );
    expect(lacking).toEqual([]);
  });

  test('has a witness for each hazard', () => {
    const without = hazards.filter((hazard) => !/^ {2}- `test\/.+`: .+$/m.test(hazard));
    expect(without.map((hazard) => hazard.split('\n', 1)[0])).toEqual([]);
  });

  test('is numbered without a gap', () => {
    expect(hazards.map((hazard) => hazard.split(' ', 1)[0])).toEqual(hazards.map((_, index) => `H${index + 1}`));
  });

  test.each(witnesses)('%s has the test that it names: %s', (file, title) => {
    expect(existsSync(path.join(ROOT, file))).toBe(true);
    const source = read(file);
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  });
});

describe('the guide to clinical safety', () => {
  const lines = [...page.matchAll(/(?:^\s*|`)npm run cli -- ([^`\n]+)/gm)].map(([, line = '']) => line.trim());

  test.each([...new Set(lines)])('types a command that there is: %s', async (line) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const asked = words.map((word) => (word === '<id>' ? '0b0e0000-0000-4000-8000-000000000000' : word));
    const isAsking = ['recall', '--write-test'].some((word) => words.includes(word)) && !words.includes('--dry-run');
    const { stderr } = await runProgram([...asked, ...(isAsking ? ['--yes'] : [])], { environment: NOBODY });
    // What needs no engine stops at a site that is not there; the rest at an engine that is not there.
    expect(stderr).toMatch(words[0] === 'mappings' ? /mercy/ : /No engine answers/);
  });

  test('names only metrics that are counted', () => {
    const sources = sourcesIn('src/platform') + sourcesIn('src/composition');
    const named = [...page.matchAll(/`(chartwright_\w+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  });

  test('names only settings that a site can have', () => {
    const known = sourcesIn('src/outbound/files');
    const named = [
      ...page.matchAll(
        /`((?:write|review|recording|engines|language|consent|check|upload|pilot|identifiers|events)\.(\w+))/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(8);
    const missing = named.filter(([, , last = '']) => !new RegExp(`\\b${last}\\b`).test(known));
    expect(missing.map(([, setting]) => setting)).toEqual([]);
  });

  test('names only reasons that a run can have', () => {
    const known = read('src/domain/run/run.ts') + read('src/domain/chart/chart-write.ts');
    const reasons = ['identity', 'ambiguous', 'touched', 'retract-by-hand', 'no-speech', 'not-medical', 'no-recording'];
    expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
    expect(reasons.filter((reason) => !known.includes(`'${reason}'`))).toEqual([]);
  });

  test('names only environment variables that there are', () => {
    const config = read('src/config.ts');
    const named = [...page.matchAll(/`(RETENTION_\w+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !config.includes(name))).toEqual([]);
  });

  test('points at sections that it has', () => {
    const anchors = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  });
});
