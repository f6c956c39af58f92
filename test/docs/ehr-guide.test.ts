// docs/ehr.md against the program: every reason, way and finding that an operator may meet stands there, and what it says to type works.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { HoldReason, ParkReason } from '../../src/domain/chart/chart-write.ts';
import { WRITE_STRATEGIES } from '../../src/domain/chart/write-strategies.ts';
import type { EhrAuth } from '../../src/domain/site/site.ts';
import type { FindingKind } from '../../src/ports/ledger.ts';
import { runProgram } from '../cli/mappings/mappings-program.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/ehr.md'), 'utf8');
const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
/** What stands first in the lines of its tables. */
const rowsOf = (title: string) => [...section(title).matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]);

// Records, so that the compiler finds the one that is missing here.
const PARKED: Record<ParkReason, true> = {
  ambiguous: true,
  identity: true,
  refused: true,
  touched: true,
  'retract-by-hand': true,
  invalid: true,
  'no-way': true,
  'other-ehr': true,
};
const HELD: Record<HoldReason, true> = { consent: true, sensitive: true, label: true, drafts: true };
const FINDINGS: Record<FindingKind, true> = {
  duplicate: true,
  missing: true,
  foreign: true,
  unknown: true,
  encounter: true,
};
const AUTH: Record<EhrAuth['type'], true> = {
  none: true,
  basic: true,
  bearer: true,
  'client-credentials': true,
  'backend-services': true,
};

describe('the guide to EHRs', () => {
  test.each<[string, string, readonly string[]]>([
    ['ways to sign in', 'Connecting', Object.keys(AUTH)],
    ['ways to write', 'Finding out', WRITE_STRATEGIES],
    ['reasons to stop', 'When it stops', Object.keys(PARKED)],
    ['findings', 'What was found amiss', Object.keys(FINDINGS)],
  ])('has a line for each of the %s, and for no other', (_, title, names) => {
    expect(rowsOf(title).toSorted()).toEqual([...names].toSorted());
  });

  test('names every reason to hold', () => {
    expect(Object.keys(HELD).filter((reason) => !section('When it stops').includes(`\`${reason}\``))).toEqual([]);
  });

  test('types commands that there are', async () => {
    const typed = [...page.matchAll(/^npm run cli -- (.+)$/gm)].map(([, line = '']) => line.split(' '));
    expect(typed.length).toBeGreaterThan(3);
    for (const words of typed) {
      const { stderr } = await runProgram([...words, '--yes'].filter(fits(words)), { environment: NOBODY });
      expect(stderr).toMatch(/No engine answers/);
    }
  });

  test('has examples that are YAML', () => {
    const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, body = '']) => parse(body));
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(typeof block).toBe('object');
  });
});

/** Where nobody is to be asked, a write test goes with --yes. */
const fits = (words: readonly string[]) => (word: string) => word !== '--yes' || words.includes('--write-test');

const NOBODY = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };
