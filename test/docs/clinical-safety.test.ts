// Tests docs/clinical-safety.md against the program: each test, command, setting, reason and metric that it names exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
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
const NO_ENGINE = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };

type Witness = readonly [file: string, title: string];
const witnesses = [...page.matchAll(/^ {2}- `(test\/[^`]+)`: (.+)$/gm)].map(
  ([, file = '', title = '']): Witness => [file, title],
);

describe('the hazard log', () => {
  it('gives severity, causes, controls and the remaining risk of each hazard', () => {
    expect(hazards.length).toBeGreaterThan(10);
    const lacking = hazards.flatMap((hazard) =>
      [/^Severity: (catastrophic|major|moderate|minor)\.$/m, ...[/^- Causes: /m, /^- Controls: /m, /^- Remains: /m]]
        .filter((part) => !part.test(hazard))
        .map((part) => `${hazard.split('\n', 1)[0]} lacks ${part}`),
    );
    expect(lacking).toEqual([]);
  });

  it('names at least one test for each hazard', () => {
    const without = hazards.filter((hazard) => !/^ {2}- `test\/.+`: .+$/m.test(hazard));
    expect(without.map((hazard) => hazard.split('\n', 1)[0])).toEqual([]);
  });

  it('numbers its hazards without a gap', () => {
    expect(hazards.map((hazard) => hazard.split(' ', 1)[0])).toEqual(hazards.map((_, index) => `H${index + 1}`));
  });

  it.each(witnesses)('names a test that exists in %s: %s', (file, title) => {
    expect(existsSync(path.join(ROOT, file))).toBe(true);
    const source = read(file);
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  });
});

describe('the guide to clinical safety', () => {
  const lines = [...page.matchAll(/(?:^\s*|`)npm run cli -- ([^`\n]+)/gm)].map(([, line = '']) => line.trim());

  it.each([...new Set(lines)])('names an existing command: %s', async (line) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const filled = words.map((word) => (word === '<id>' ? '0b0e0000-0000-4000-8000-000000000000' : word));
    const needsConfirmation =
      ['recall', '--write-test'].some((word) => words.includes(word)) && !words.includes('--dry-run');
    const { stderr } = await runProgram([...filled, ...(needsConfirmation ? ['--yes'] : [])], {
      environment: NO_ENGINE,
    });
    // A command of mappings fails because the site does not exist; every other one because there is no engine.
    expect(stderr).toMatch(words[0] === 'mappings' ? /mercy/ : /No engine answers/);
  });

  it('names only existing metrics', () => {
    const sources = sourcesIn('src/platform') + sourcesIn('src/composition');
    const named = [...page.matchAll(/`(chartwright_\w+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  });

  it('names only existing settings of a site', () => {
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

  it('names only existing reasons of a run', () => {
    const known = read('src/domain/run/run.ts') + read('src/domain/chart/chart-write.ts');
    const reasons = ['identity', 'ambiguous', 'touched', 'retract-by-hand', 'no-speech', 'not-medical', 'no-recording'];
    expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
    expect(reasons.filter((reason) => !known.includes(`'${reason}'`))).toEqual([]);
  });

  it('names only existing environment variables', () => {
    const config = read('src/config.ts');
    const named = [...page.matchAll(/`(RETENTION_\w+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !config.includes(name))).toEqual([]);
  });

  it('links only to its existing sections', () => {
    const anchors = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  });
});
