// Answers of an EHR that never come, break off or say nothing, whether it stored anything or not: nothing twice, nothing lost, nothing
// on anybody else, on every rung of the ladder.
import { afterAll, beforeAll } from '@jest/globals';
import type { LostAnswer } from '../../src/sandbox/faults/faults.ts';
import { describeFaults, NO_WAY, NOT_MET, type Row, type RowsOf, WRITTEN } from '../support/describe-faults.ts';
import type { CellParts } from '../support/fault-matrix.ts';
import { openRealHouse, type RealHouse } from '../support/real-charts.ts';

let house: RealHouse;
beforeAll(async () => {
  house = await openRealHouse();
});
afterAll(() => house.close());

const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;
const LATER = 'waiting ehrUncertain, then written';
/** Nobody waits for an answer in a test as long as in a hospital. */
const IMPATIENT: CellParts = { engine: { answerMs: 500 } };

/** Of the first answer to a write. */
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
const LAST_OF_MANY = [NOT_MET, NOT_MET, WRITTEN, NOT_MET, NO_WAY] as const;

const ROWS = {
  //                                                     transaction, conditional, single creates, document only, hold
  'lost-answer': [
    ...eachWay,
    [
      { mode: 'lost-answer', how: 'reset', isStored: true, times: 1, after: 1 },
      [NOT_MET, WRITTEN, WRITTEN, WRITTEN, NO_WAY],
    ],
    [{ mode: 'lost-answer', how: 'reset', isStored: false, times: 1, after: 8 }, LAST_OF_MANY],
    [{ mode: 'lost-answer', how: 'reset', isStored: true, times: 3 }, ALL_WRITTEN],
    [{ mode: 'lost-answer', how: 'reset', isStored: false, times: 3 }, ALL_WRITTEN],
    // For as long as anybody tries.
    [{ mode: 'lost-answer', how: 'reset', isStored: true }, [WRITTEN, LATER, WRITTEN, WRITTEN, NO_WAY]],
    [{ mode: 'lost-answer', how: 503, isStored: true }, [WRITTEN, LATER, WRITTEN, WRITTEN, NO_WAY]],
    [{ mode: 'lost-answer', how: 'reset', isStored: false }, [LATER, LATER, LATER, LATER, NO_WAY]],
    [{ mode: 'lost-answer', how: 503, isStored: false }, [LATER, LATER, LATER, LATER, NO_WAY]],
    // Of searches, by which it is found out what is there.
    [{ mode: 'lost-answer', how: 'cut', isStored: false, times: 2, on: { isSearch: true } }, ALL_WRITTEN],
    [{ mode: 'lost-answer', how: 'hang', isStored: false, times: 1, on: { isSearch: true } }, ALL_WRITTEN, IMPATIENT],
    [{ mode: 'lost-answer', how: 'garbage', isStored: false, times: 1, on: { isSearch: true } }, ALL_WRITTEN],
  ],
} as const satisfies RowsOf<'answers'>;

describeFaults('answers', ROWS, () => house);
