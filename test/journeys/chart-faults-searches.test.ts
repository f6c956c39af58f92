import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { describeFaults, NO_WAY, NOT_MET, type Row, type RowsOf, WRITTEN } from '../support/describe-faults.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;
/** Conditional transactions need no search: nothing can be searched for there. */
const WHERE_ASKED = [WRITTEN, NOT_MET, WRITTEN, WRITTEN, NO_WAY] as const;
const OF_RECORDS = [WRITTEN, NOT_MET, WRITTEN, NOT_MET, NO_WAY] as const;
const LOST: readonly Fault[] = [
  { mode: 'lost-answer', how: 'reset', isStored: true, times: 1 },
  { mode: 'lost-answer', how: 'reset', isStored: false, times: 1 },
  { mode: 'lost-answer', how: 503, isStored: true, times: 2 },
  { mode: 'lost-answer', how: 'empty', isStored: true, times: 1, after: 1 },
];

const ROWS = {
  //                                                     transaction, conditional, single creates, document only, hold
  'search-lag': [
    [{ mode: 'search-lag', ms: 5_000 }, ALL_WRITTEN],
    [{ mode: 'search-lag', ms: 45_000 }, ALL_WRITTEN],
    [{ mode: 'search-lag', ms: 45_000, alsoConditions: true }, ALL_WRITTEN],
    // There is no answer, and no search finds it for a while: the engine waits until then.
    ...LOST.map((fault): Row<'search-lag'> => [{ mode: 'search-lag', ms: 45_000 }, ALL_WRITTEN, { also: [fault] }]),
    [{ mode: 'search-lag', ms: 45_000, alsoConditions: true }, ALL_WRITTEN, { also: LOST.slice(0, 1) }],
    // A search never finds it: the engine reads the reference of the EHR's answer.
    [{ mode: 'search-lag' }, ALL_WRITTEN],
  ],
  'identifier-search': [
    [{ mode: 'identifier-search', how: 'refused' }, WHERE_ASKED],
    [{ mode: 'identifier-search', how: 'ignored' }, WHERE_ASKED],
    [{ mode: 'identifier-search', how: 'nothing' }, WHERE_ASKED],
    [{ mode: 'identifier-search', how: 'refused', on: { type: 'Condition' } }, OF_RECORDS],
    [{ mode: 'identifier-search', how: 'refused', parameter: '_tag' }, OF_RECORDS],
    [{ mode: 'identifier-search', how: 'ignored', parameter: '_tag' }, OF_RECORDS],
    [{ mode: 'identifier-search', how: 'nothing', parameter: '_tag' }, OF_RECORDS],
    [{ mode: 'identifier-search', how: 'refused', isAnnounced: true }, [WRITTEN, NOT_MET, WRITTEN, NOT_MET, NO_WAY]],
  ],
  'foreign-results': [[{ mode: 'foreign-results' }, ALL_WRITTEN]],
} as const satisfies RowsOf<'searches'>;

describeFaults('searches', ROWS, () => testbed);
