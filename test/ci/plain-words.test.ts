import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const CHECKER = path.join(import.meta.dirname, '../../.ci/plain-words.ts');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'chartwright-words-'));
  spawnSync('git', ['init', '--quiet'], { cwd: folder });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the checker reports of one file with this text. */
function problemsOf(file: string, text: string): string {
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
  const { status, stderr } = spawnSync(process.execPath, [CHECKER, file], { cwd: folder, encoding: 'utf8' });
  expect(status).toBe(stderr === '' ? 0 : 1);
  return stderr;
}

describe('the check of words', () => {
  it.each([
    ['a comment', 'src/flows/a.ts', '// Whoever calls gets an answer.\n'],
    ['a JSDoc', 'src/flows/b.ts', '/** Nobody reads it. */\nexport const a = 1;\n'],
    ['a trailing comment', 'src/flows/c.ts', 'export const a = 1; // amiss\n'],
    ['a message', 'src/flows/d.ts', "export const text = 'the caller is told';\n"],
    ['a template of a message', 'src/flows/e.ts', 'export const text = (n: number) => `$' + '{n} were set aside`;\n'],
    ['a title of a test', 'test/flows/a.test.ts', "it('lets nobody in', () => {});\n"],
    ['a title on a line of its own', 'test/flows/b.test.ts', "it(\n  'lets nobody in',\n  () => {},\n);\n"],
    ['a title behind a table', 'test/flows/d.test.ts', "it.each(['a', 'b'])('lets nobody in: %s', () => {});\n"],
    [
      'a title below a table of several lines',
      'test/flows/e.test.ts',
      "it.each<[string]>([\n  ['a ( and a /'], // isn't it\n])(\n  'lets nobody in: %s',\n  () => {},\n);\n",
    ],
    [
      'a title below a computed table',
      'test/flows/g.test.ts',
      "it.each(all.map((each) => each))(\n  'lets nobody in',\n);\n",
    ],
    ['a document', 'docs/a.md', 'What stands in the chart.\n'],
    ['a Dockerfile', 'docker/Dockerfile', '# Nobody runs as root.\nFROM node\n'],
    ['a shell script', 'bin/a.sh', '# Whoever calls gets an answer.\n'],
    ['a script without an ending', 'bin/start', '#!/bin/sh\n# Whoever calls gets an answer.\n'],
    ['a style sheet', 'src/a.css', '/* What stands first. */\n'],
    ['a module', '.ci/a.mjs', '// Whoever calls gets an answer.\n'],
    ['a query', 'src/a.sql', '-- Nobody reads it.\n'],
    ['the name of a type', 'src/domain/a.ts', 'export type Told = string;\n'],
  ])('refuses a retired word in %s', (_, file, text) => {
    expect(problemsOf(file, text)).toContain(`${file}:`);
  });

  it.each([
    ['words of patients', 'src/rules/a.ts', "export const WORDS = ['nobody', 'stands up'];\n"],
    ['what a test hands in', 'test/flows/c.test.ts', "it('reads a text', () => read('nobody was there'));\n"],
    ['a file without an ending that is no script', 'bin/data', 'nobody\n'],
    [
      'what a regular expression of a test reads',
      'test/flows/f.test.ts',
      "const has = /x/.test('nobody was there');\n",
    ],
    ['names that only look alike', 'src/flows/f.ts', '// The caller understands it, and `withstands` is a word.\n'],
  ])('accepts %s', (_, file, text) => {
    expect(problemsOf(file, text)).toBe('');
  });
});
