import { describeFaults, NO_WAY, NOT_MET, type RowsOf, WRITTEN } from '../support/describe-faults.ts';
import type { CellParts } from '../support/fault-matrix.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { aResult, openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;
/** Each refused type is learned, one after the other; the documents are made again without it. */
const LEARNED = [WRITTEN, WRITTEN, WRITTEN, NOT_MET, NO_WAY] as const;
const UNTOUCHED = [NOT_MET, NOT_MET, NOT_MET, NOT_MET, NO_WAY] as const;
/** Without a search that finds something an EHR has no occasion to prove that it answers batches, and gets none. */
const IN_BATCHES = [WRITTEN, NOT_MET, WRITTEN, WRITTEN, NO_WAY] as const;
const NONE_LEFT = 'parked no-way, still';
const REFUSED = 'parked refused, then written';
const INVALID = 'parked invalid, still';
const HELD = 'held drafts, still';
const KEPT = 'not met: held drafts, still';

const EPIC: CellParts = { hospital: { folder: 'profiles/epic-like' } };
const ORACLE: CellParts = { hospital: { folder: 'profiles/oracle-like' } };
const APPROVED: CellParts = { ...ORACLE, facts: aResult({ isApproved: true }) };

const ROWS = {
  //                                              transaction, conditional, single creates, document only, hold
  'update-as-create-refused': [[{ mode: 'update-as-create-refused' }, UNTOUCHED]],
  'types-refused': [
    [{ mode: 'types-refused', types: ['RiskAssessment', 'Flag'] }, LEARNED],
    [{ mode: 'types-refused', types: ['RiskAssessment', 'Flag'], status: 405 }, LEARNED],
    [{ mode: 'types-refused', types: ['RiskAssessment', 'Flag'], status: 422 }, LEARNED],
    [{ mode: 'types-refused', types: ['RiskAssessment', 'Flag'], isAnnounced: true }, UNTOUCHED],
    [{ mode: 'types-refused', types: ['Provenance'] }, LEARNED],
    // The base's Composition needs its author.
    [{ mode: 'types-refused', types: ['Device'] }, [INVALID, INVALID, INVALID, NOT_MET, NO_WAY], { isFirst: true }],
    [{ mode: 'types-refused', types: ['DocumentReference'] }, [WRITTEN, WRITTEN, WRITTEN, NONE_LEFT, NO_WAY]],
    [{ mode: 'types-refused', types: ['Composition', 'Condition', 'RiskAssessment', 'Flag', 'Provenance'] }, LEARNED],
  ],
  'drafts-refused': [
    // If the EHR gives no reason, a person has to find it.
    [{ mode: 'drafts-refused' }, [REFUSED, REFUSED, REFUSED, REFUSED, NO_WAY]],
    [{ mode: 'drafts-refused', status: 400 }, [REFUSED, REFUSED, REFUSED, REFUSED, NO_WAY]],
    [{ mode: 'drafts-refused', saysWhere: true }, [HELD, HELD, HELD, HELD, NO_WAY]],
  ],
  'no-versions': [
    [{ mode: 'no-versions' }, ALL_WRITTEN],
    [{ mode: 'no-versions', isAnnounced: true }, ALL_WRITTEN],
  ],
  'wrong-batches': [
    [{ mode: 'wrong-batches', how: 'refused' }, IN_BATCHES],
    [{ mode: 'wrong-batches', how: 'refused', status: 413 }, IN_BATCHES],
    [{ mode: 'wrong-batches', how: 'reordered' }, IN_BATCHES],
    [{ mode: 'wrong-batches', how: 'entry-missing' }, IN_BATCHES],
    [{ mode: 'wrong-batches', how: 'other-types' }, IN_BATCHES],
    [{ mode: 'wrong-batches', how: 'failing-entries' }, IN_BATCHES],
  ],
  'epic-like': [
    [{ mode: 'epic-like' }, [REFUSED, REFUSED, REFUSED, WRITTEN, NO_WAY]],
    [{ mode: 'epic-like' }, ALL_WRITTEN, EPIC],
  ],
  'oracle-like': [
    [{ mode: 'oracle-like' }, [REFUSED, REFUSED, REFUSED, REFUSED, NO_WAY]],
    // Its profile holds a draft in the engine.
    [{ mode: 'oracle-like' }, [KEPT, KEPT, KEPT, KEPT, KEPT], ORACLE],
    [{ mode: 'oracle-like' }, ALL_WRITTEN, APPROVED],
  ],
} as const satisfies RowsOf<'features'>;

describeFaults('features', ROWS, () => testbed);
