// Tests docs/ehr.md against the program: it has every reason, write strategy and finding that an operator may meet, and its commands exist.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { HoldReason, ParkReason } from '../../src/domain/chart/chart-write.ts';
import { WRITE_STRATEGIES } from '../../src/domain/chart/write-strategies.ts';
import type { EhrAuth } from '../../src/domain/site/site.ts';
import type { FindingKind } from '../../src/ports/ledger.ts';
import { runProgram } from '../cli/mappings/mappings-program.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/ehr.md'), 'utf8');
const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
/** The code in the first column of the tables of a section. */
const rowsOf = (title: string) => [...section(title).matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]);

// These are records so that the compiler reports a missing entry.
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
  moved: true,
};
const AUTH: Record<EhrAuth['type'], true> = {
  none: true,
  basic: true,
  bearer: true,
  'client-credentials': true,
  'backend-services': true,
};

describe('the guide to EHRs', () => {
  it.each<[string, string, readonly string[]]>([
    ['ways to sign in', 'Connecting', Object.keys(AUTH)],
    ['write strategies', 'Finding out', WRITE_STRATEGIES],
    ['reasons to stop', 'When it stops', Object.keys(PARKED)],
    ['findings', 'Discrepancies', Object.keys(FINDINGS)],
  ])('has a table row for each of the %s, and no other row', (_, title, names) => {
    expect(rowsOf(title).toSorted()).toEqual([...names].toSorted());
  });

  it('names every reason to hold a run', () => {
    expect(Object.keys(HELD).filter((reason) => !section('When it stops').includes(`\`${reason}\``))).toEqual([]);
  });

  it('names only existing commands', async () => {
    const typed = [...page.matchAll(/^npm run cli -- (.+)$/gm)].map(([, line = '']) => line.split(' '));
    expect(typed.length).toBeGreaterThan(3);
    for (const words of typed) {
      const { stderr } = await runProgram([...words, '--yes'].filter(fits(words)), { environment: NO_ENGINE });
      expect(stderr).toMatch(/No engine answers/);
    }
  });

  it('has only examples that are valid YAML', () => {
    const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, body = '']) => parse(body));
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(typeof block).toBe('object');
  });
});

/** Keeps `--yes` only for a write test, which would otherwise ask for a confirmation. */
const fits = (words: readonly string[]) => (word: string) => word !== '--yes' || words.includes('--write-test');

const NO_ENGINE = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };
