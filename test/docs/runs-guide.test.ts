// Tests docs/runs.md and docs/audit.md against the program: they have every step, state and reason that an operator may meet, and their
// commands exist.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { environmentSchema } from '../../src/config.ts';
import type { HoldReason, ParkReason } from '../../src/domain/chart/chart-write.ts';
import {
  type HeldReason,
  type ParkedReason,
  RUN_STATUSES,
  RUN_STEPS,
  type SkipReason,
  type WaitReason,
} from '../../src/domain/run/run.ts';
import { PAUSE_KINDS } from '../../src/ports/feeds.ts';
import { runProgram } from '../cli/mappings/mappings-program.ts';
import { typedCommands } from '../support/typed-commands.ts';

const docs = path.join(import.meta.dirname, '../../docs');
const runs = readFileSync(path.join(docs, 'runs.md'), 'utf8');
const audit = readFileSync(path.join(docs, 'audit.md'), 'utf8');
const readme = readFileSync(path.join(docs, '../README.md'), 'utf8');
const operations = readFileSync(path.join(docs, 'operations.md'), 'utf8');

/** The code in the first column of the table whose first column has this title. */
const rowsOf = (title: string) => {
  const table = runs.split(/\n\n/).find((text) => text.startsWith(`| ${title} |`)) ?? '';
  return [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
};

// These are records so that the compiler reports a missing entry. The reasons of `write-chart` are in docs/ehr.md.
const WAITING: Record<WaitReason, true> = {
  recording: true,
  encounter: true,
  moved: true,
  reasoner: true,
  speech: true,
  ehr: true,
  engines: true,
  paused: true,
  retry: true,
};
const SKIPPED: Record<Exclude<SkipReason, HoldReason>, true> = {
  trigger: true,
  'no-encounter': true,
  'cancelled-encounter': true,
  'no-recording': true,
  'not-in-pilot': true,
  'no-speech': true,
  'not-medical': true,
  language: true,
  'nothing-new': true,
  shadow: true,
  'dry-run': true,
  off: true,
};
const HELD: Record<Exclude<HeldReason, HoldReason>, true> = {
  review: true,
  unsupported: true,
  coverage: true,
  language: true,
};
const PARKED: Record<Exclude<ParkedReason, ParkReason>, true> = {
  tries: true,
  crashes: true,
  mapping: true,
  recording: true,
  'ehr-refused': true,
  vendor: true,
  site: true,
  rejected: true,
  expired: true,
};

describe('the guide to runs', () => {
  it.each<[string, readonly string[]]>([
    ['step', RUN_STEPS],
    ['state', RUN_STATUSES],
    ['reason to wait', Object.keys(WAITING)],
    ['reason to skip', Object.keys(SKIPPED)],
    ['reason to hold', Object.keys(HELD)],
    ['reason to park', Object.keys(PARKED)],
  ])('has a table row for each %s, and no other row', (title, names) => {
    expect(rowsOf(title).toSorted()).toEqual([...names].toSorted());
  });

  it('lists the steps in their order', () => {
    expect(rowsOf('step')).toEqual([...RUN_STEPS]);
  });

  it('explains each kind of pause', () => {
    const section = runs.split(/^## /m).find((text) => text.startsWith('Pausing a site')) ?? '';
    expect(PAUSE_KINDS.filter((kind) => !section.includes(`\`${kind}\`: `))).toEqual([]);
  });

  it('names existing settings with their defaults', () => {
    const named = [...runs.matchAll(/^\| [^|]+\| `([A-Z_]+)` \| (\d+) (\w+) \|$/gm)];
    expect(named).toHaveLength(5);
    const defaults: Readonly<Record<string, unknown>> = environmentSchema.parse({});
    for (const [, name = '', value] of named) expect([name, String(defaults[name])]).toEqual([name, value]);
  });

  it('has only examples that are valid YAML', () => {
    const blocks = [...runs.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, body = '']) => parse(body));
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) expect(typeof block).toBe('object');
  });
});

describe('a command', () => {
  it.each<[string, string, number]>([
    ['docs/runs.md', runs, 10],
    ['docs/audit.md', audit, 2],
    ['README.md', readme, 3],
    ['docs/operations.md', operations, 10],
  ])('in %s exists', async (_, page, least) => {
    const typed = typedCommands(page).filter(({ words }) => words[0] !== 'mappings');
    expect(typed.length).toBeGreaterThan(least);
    for (const { words, environment } of typed) {
      const { stderr } = await runProgram([...withFile(words), '--yes'].filter(fits(words)), {
        environment: { ...NO_ENGINE, ...environment },
      });
      expect([words.join(' '), stderr]).toEqual([words.join(' '), expect.stringMatching(/No engine answers/)]);
    }
  });
});

/** The file of a publisher is not here: one that is made up is in its place. */
function withFile(words: readonly string[]): readonly string[] {
  const isImport = words[0] === 'codes' && words[1] === 'import';
  return isImport ? words.with(3, path.join(docs, '../test/fixtures/codes/icd10cm-order.txt')) : words;
}

/** Keeps `--yes` only for a write test, which would otherwise ask for a confirmation. */
const fits = (words: readonly string[]) => (word: string) => word !== '--yes' || words.includes('--write-test');

const NO_ENGINE = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };
