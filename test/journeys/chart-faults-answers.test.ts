import type { LostAnswer } from '../../src/sandbox/faults/faults.ts';
import { describeFaults, NO_WAY, type Row, type RowsOf, WRITTEN } from '../support/describe-faults.ts';
import type { CellParts } from '../support/fault-matrix.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;
/** A test has a shorter deadline for answers than a hospital. */
const IMPATIENT: CellParts = { engine: { answerMs: 1_500 } };

/** Faults of the first answer to a write. */
const WAYS = {
  hang: IMPATIENT,
  reset: {},
  cut: {},
  empty: {},
  garbage: {},
  500: {},
  502: {},
  503: {},
  504: {},
} as const satisfies Readonly<Record<LostAnswer, CellParts>>;
const eachWay = Object.entries(WAYS).flatMap(([name, parts]): readonly Row<'lost-answer'>[] => {
  const how = (/^\d+$/.test(name) ? Number(name) : name) as LostAnswer;
  return [true, false].map(
    (isStored): Row<'lost-answer'> => [{ mode: 'lost-answer', how, isStored, times: 1 }, ALL_WRITTEN, parts],
  );
});

const ROWS = {
  'lost-answer': eachWay,
} as const satisfies RowsOf<'answers'>;

describeFaults('answers', ROWS, () => testbed);
