// A retracted session, with a fault of the EHR at the first of the writes, at the second, and so on. The engine's own documents are set
// entered-in-error in the end, no other resource is changed, and the outcome names what a person has changed.
import { describe, expect, it } from '@jest/globals';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { runAtEveryWrite } from '../support/fault-revisions.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const WRITES = { isWrite: true } as const;
/** Its Provenance, and then each of five documents; two if only documents are accepted. */
const ALL = ['6 × retracted', '6 × retracted', '6 × retracted', '2 × retracted'] as const;
const UPDATES = ['5 × retracted', '5 × retracted', '5 × retracted', '2 × retracted'] as const;
const BY_HAND = '5 × parked retract-by-hand, still';
const SIGNED = '1 × parked retract-by-hand, still';

//                                                             transaction, conditional, single creates, document only
const ROWS: readonly (readonly [Fault, readonly [string, string, string, string]])[] = [
  [{ mode: 'lost-answer', how: 'reset', isStored: true, times: 1 }, ALL],
  [{ mode: 'lost-answer', how: 'reset', isStored: false, times: 1 }, ALL],
  [{ mode: 'too-many-requests', times: 1, on: WRITES }, ALL],
  [{ mode: 'update-conflict', times: 1 }, UPDATES],
  [{ mode: 'edited-in-between', times: 1 }, [BY_HAND, BY_HAND, BY_HAND, '2 × parked retract-by-hand, still']],
  [
    { mode: 'edited-in-between', times: 1, change: { docStatus: 'final' }, on: { type: 'DocumentReference' } },
    [SIGNED, SIGNED, SIGNED, '2 × parked retract-by-hand, still'],
  ],
  // One refusal of the credentials is waited for.
  [{ mode: 'unauthorized', times: 1, on: WRITES }, ALL],
];
const STRATEGIES = [
  'transaction',
  'conditional-transaction',
  'single-creates',
  'document-only',
] as const satisfies readonly WriteStrategy[];

/** The strategies lose different answers; the ones between the first and the last are equal in all other cases. */
function cellsOf({ mode }: Fault, expected: readonly string[]): readonly (readonly [WriteStrategy, string])[] {
  const cells = STRATEGIES.map((strategy, index) => [strategy, expected[index] ?? ''] as const);
  return cells.filter((_, index) => mode === 'lost-answer' || index === 0 || index === STRATEGIES.length - 1);
}

describe.each(ROWS)('a retracted session, with %j at any of its writes', (fault, expected) => {
  it.each(cellsOf(fault, expected))(
    'a retraction by %s with this fault at any of its writes ends as %s',
    async (strategy, outcomes) => {
      expect(await runAtEveryWrite(testbed, { task: 'retraction', strategy, fault })).toEqual({ outcomes, wrong: [] });
    },
  );
});
