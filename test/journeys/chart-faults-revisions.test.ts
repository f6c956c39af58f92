// A changed result, with a fault of the EHR at the first of the writes, at the second, and so on. Nothing twice, nothing lost, nothing on
// another patient, and what a person has changed stays as that person left it.
import { describe, expect, it } from '@jest/globals';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { runAtEveryWrite } from '../support/fault-revisions.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const WRITES = { isWrite: true } as const;
const SIGNED = { docStatus: 'final' } as const;
/** New documents first: in one transaction, or one by one; then two documents get a further version and two statements are retired. */
const ALL = ['5 × written', '5 × written', '7 × written', '2 × written'] as const;
const UPDATES = ['4 × written', '4 × written', '4 × written', '2 × written'] as const;
/** The statement that a person has changed is left. */
const EDITED = '2 × parked touched, still | 2 × written but for 1, still';

//                                                             transaction, conditional, single creates, document only
const ROWS: readonly (readonly [Fault, readonly [string, string, string, string]])[] = [
  [{ mode: 'lost-answer', how: 'reset', isStored: true, times: 1 }, ALL],
  [{ mode: 'lost-answer', how: 'reset', isStored: false, times: 1 }, ALL],
  [{ mode: 'lost-answer', how: 503, isStored: true, times: 1 }, ALL],
  [{ mode: 'too-many-requests', times: 1, on: WRITES }, ALL],
  [{ mode: 'update-conflict', times: 1 }, UPDATES],
  [{ mode: 'edited-in-between', times: 1 }, [EDITED, EDITED, EDITED, '2 × parked touched, still']],
  [
    { mode: 'edited-in-between', times: 1, change: SIGNED, on: { type: 'DocumentReference' } },
    [
      '1 × parked touched, then written',
      '1 × parked touched, then written',
      '1 × parked touched, then written',
      '2 × parked touched, then written',
    ],
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

describe.each(ROWS)('a changed result, with %j at any of its writes', (fault, expected) => {
  it.each(cellsOf(fault, expected))(
    'a revision by %s with this fault at any of its writes ends as %s',
    async (strategy, outcomes) => {
      expect(await runAtEveryWrite(testbed, { task: 'revision', strategy, fault })).toEqual({ outcomes, wrong: [] });
    },
  );
});
