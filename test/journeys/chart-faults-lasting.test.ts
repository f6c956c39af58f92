import { describeRows, NO_WAY, NOT_MET, type Row, WRITTEN } from '../support/describe-faults.ts';
import type { CellParts } from '../support/fault-matrix.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;
const LATER = 'waiting ehrUncertain, then written';
/** A test has a shorter deadline for answers than a hospital. */
const IMPATIENT: CellParts = { engine: { answerMs: 1_500 } };
/** The Device must be written, too. */
const FIRST: CellParts = { isFirst: true };

//                                                       transaction, conditional, single creates, document only, hold
const ROWS: readonly Row<'lost-answer'>[] = [
  [{ mode: 'lost-answer', how: 'reset', isStored: true, times: 1 }, ALL_WRITTEN, FIRST],
  [{ mode: 'lost-answer', how: 'reset', isStored: false, times: 1 }, ALL_WRITTEN, FIRST],
  [{ mode: 'lost-answer', how: 'hang', isStored: true, times: 1 }, ALL_WRITTEN, { ...IMPATIENT, ...FIRST }],
  [
    { mode: 'lost-answer', how: 'reset', isStored: true, times: 1, after: 1 },
    [NOT_MET, WRITTEN, WRITTEN, WRITTEN, NO_WAY],
  ],
  [
    { mode: 'lost-answer', how: 'reset', isStored: false, times: 1, after: 8 },
    [NOT_MET, NOT_MET, WRITTEN, NOT_MET, NO_WAY],
  ],
  [{ mode: 'lost-answer', how: 'reset', isStored: true, times: 3 }, ALL_WRITTEN],
  [{ mode: 'lost-answer', how: 'reset', isStored: false, times: 3 }, ALL_WRITTEN],
  // Lasts as long as any try.
  [{ mode: 'lost-answer', how: 'reset', isStored: true }, [WRITTEN, LATER, WRITTEN, WRITTEN, NO_WAY]],
  [{ mode: 'lost-answer', how: 503, isStored: false }, [LATER, LATER, LATER, LATER, NO_WAY]],
  // Faults of the searches that look for written resources.
  [{ mode: 'lost-answer', how: 'cut', isStored: false, times: 2, on: { isSearch: true } }, ALL_WRITTEN],
  [{ mode: 'lost-answer', how: 'hang', isStored: false, times: 1, on: { isSearch: true } }, ALL_WRITTEN, IMPATIENT],
  [{ mode: 'lost-answer', how: 'garbage', isStored: false, times: 1, on: { isSearch: true } }, ALL_WRITTEN],
];

describeRows({ 'lost-answer': ROWS }, () => testbed);
