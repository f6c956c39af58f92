// Follows docs/mappings.md in the order of the page, in a copy of the repository's mappings: writes each file, makes each change, runs each
// command and maps each example.
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { documentVariableNames, loadMapping } from '../../src/mapping/mapping.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

const REPOSITORY = path.join(import.meta.dirname, '../..');
const CLI = path.join(REPOSITORY, 'src/cli/main.ts');
const page = readFileSync(path.join(REPOSITORY, 'docs/mappings.md'), 'utf8');

type Block = { readonly line: number; readonly info: string; readonly body: string };

const blocks: readonly Block[] = [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
  line: page.slice(0, match.index).split('\n').length,
  info: match[1] ?? '',
  body: match[2] ?? '',
}));

let workspace = '';
beforeAll(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'chartwright-guide-'));
  cpSync(path.join(REPOSITORY, 'mappings'), path.join(workspace, 'mappings'), { recursive: true });
});
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe('the guide for integration staff', () => {
  let input: Readonly<Record<string, unknown>> = {};
  let mapped: unknown;
  let output = '';

  it('has examples of every kind', () => {
    const kinds = new Set(blocks.map(({ info }) => info.split(' ')[0]));
    expect([...kinds].toSorted()).toEqual(['diff', 'json', 'md', 'sh', 'text', 'yaml']);
    expect(blocks.length).toBeGreaterThan(40);
  });

  it.each(blocks)(
    'has a correct block in line $line: $info',
    async ({ info, body }) => {
      const [kind, what = ''] = info.split(' ');
      if (info === 'yaml input') input = parse(body);
      else if (info === 'yaml mapping') mapped = mapExample(body, input);
      else if (info === 'json result') expect(mapped).toEqual(JSON.parse(body));
      else if ((kind === 'yaml' || kind === 'md') && what.startsWith('mappings/')) write(what, body);
      else if (kind === 'diff') write(what, change(readFileSync(path.join(workspace, what), 'utf8'), body));
      else if (kind === 'sh') output = await type(body, what === 'fails');
      else if (kind === 'text' || kind === 'json') expectOutput(output, body);
      else throw new Error(`this test does not know blocks of the kind "${info}"`);
    },
    60_000,
  );

  it('names every variable of a mapping', () => {
    expect(documentVariableNames.filter((name) => !page.includes(`\`%${name}\``))).toEqual([]);
  });
});

function write(file: string, body: string): void {
  mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
  writeFileSync(path.join(workspace, file), body);
}

function mapExample(text: string, input: Readonly<Record<string, unknown>>): unknown {
  const context = { kind: 'free', variables: Object.keys(input), isStrict: true } as const;
  const { mapping, problems } = loadMapping({ file: 'example.yaml', text, context });
  expect(problems).toEqual([]);
  return mapping?.apply({ variables: input }).value ?? null;
}

/** Replaces the lines with - by the lines with +; lines with a space give the place, which must exist exactly once. */
function change(text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const side = (mark: string) =>
    lines.filter((line) => line.startsWith(mark) || line.startsWith(' ')).map((line) => line.slice(1));
  const before = side('-').join('\n');
  expect(text.split(before)).toHaveLength(2);
  return text.replace(before, () => side('+').join('\n'));
}

/** Runs the commands and returns what they printed on both streams. */
async function type(commands: string, mayFail: boolean): Promise<string> {
  let printed = '';
  for (const command of commands.trim().split('\n')) {
    const [program, ...args] = command.split(' ');
    if (program === 'mkdir') mkdirSync(path.join(workspace, args[1] ?? ''), { recursive: true });
    else if (program === 'rm') rmSync(path.join(workspace, args[0] ?? ''));
    else if (program === 'cp') copyFileSync(path.join(workspace, args[0] ?? ''), path.join(workspace, args[1] ?? ''));
    else if (command.startsWith('npm run cli -- ')) printed += await runCli(args.slice(3), mayFail);
    else throw new Error(`this test cannot run a command of the guide: ${command}`);
  }
  return printed;
}

function runCli(args: readonly string[], mayFail: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: workspace,
      env: { ...COMPILE_CACHE, PATH: process.env['PATH'] ?? '', npm_lifecycle_event: 'cli' },
    };
    execFile(process.execPath, [CLI, ...args], options, (thrown, stdout, stderr) => {
      const hasFailed = thrown !== null;
      if (hasFailed === mayFail) resolve(stdout + stderr);
      else reject(new Error(`${args.join(' ')} ${hasFailed ? 'failed' : 'did not fail'}:\n${stdout}\n${stderr}`));
    });
  });
}

/** A line of `…` matches any lines. */
function expectOutput(actual: string, expected: string): void {
  const pattern = expected
    .trim()
    .split('\n')
    .map((line) => (line.trim() === '…' ? '[\\s\\S]*?' : escaped(line.trimEnd())))
    .join('\n')
    .replaceAll('\\s\\S]*?\n', '\\s\\S]*?')
    .replaceAll('\n[\\s\\S]', '[\\s\\S]');
  const tidy = actual.replace(/[ \t]+$/gm, '').trim();
  if (!new RegExp(`^${pattern}$`).test(tidy)) expect(tidy).toBe(expected.trim());
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
