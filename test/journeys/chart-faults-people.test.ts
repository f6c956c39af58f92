import { describeFaults, MET_NO_WAY, NO_WAY, NOT_MET, type RowsOf, WRITTEN } from '../support/describe-faults.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const PATIENT = 'canary-patient';
const ENCOUNTER = 'canary-encounter';
const SURVIVOR = 'canary-other';
/** Before the engine reads them for the last time, and after it has begun to write: what it read right before counts. */
const LATE = { on: { isWrite: true }, after: 1 } as const;
/** New documents only, so nothing can be updated. */
const NO_UPDATES = [NOT_MET, NOT_MET, NOT_MET, NOT_MET, NO_WAY] as const;
const IDENTITY = 'parked identity, still';
const ALL_IDENTITY = [IDENTITY, IDENTITY, IDENTITY, IDENTITY, MET_NO_WAY] as const;
const RETRACTED = 'retracted, still';
const ALL_RETRACTED = [RETRACTED, RETRACTED, RETRACTED, RETRACTED, MET_NO_WAY] as const;
const ALL_WRITTEN = [WRITTEN, WRITTEN, WRITTEN, WRITTEN, MET_NO_WAY] as const;
const WRITTEN_LATE = [NOT_MET, WRITTEN, WRITTEN, WRITTEN, NO_WAY] as const;

const ROWS = {
  //                                         transaction, conditional, single creates, document only, hold
  'update-conflict': [[{ mode: 'update-conflict' }, NO_UPDATES]],
  'if-match-ignored': [[{ mode: 'if-match-ignored' }, NO_UPDATES]],
  'edited-in-between': [[{ mode: 'edited-in-between' }, NO_UPDATES]],
  'merged-patient': [
    // The encounter moved along: it is the survivor’s now, and so are the documents.
    [
      { mode: 'merged-patient', patient: PATIENT, into: SURVIVOR, encounter: ENCOUNTER },
      ALL_WRITTEN,
      { patient: SURVIVOR },
    ],
    [{ mode: 'merged-patient', patient: PATIENT, into: SURVIVOR }, ALL_IDENTITY],
    [{ mode: 'merged-patient', patient: PATIENT, into: SURVIVOR, encounter: ENCOUNTER, ...LATE }, WRITTEN_LATE],
  ],
  'moved-encounter': [
    [{ mode: 'moved-encounter', encounter: ENCOUNTER, to: SURVIVOR }, ALL_IDENTITY],
    [{ mode: 'moved-encounter', encounter: ENCOUNTER, to: SURVIVOR, ...LATE }, WRITTEN_LATE],
  ],
  'cancelled-encounter': [
    [{ mode: 'cancelled-encounter', encounter: ENCOUNTER }, ALL_RETRACTED],
    [{ mode: 'cancelled-encounter', encounter: ENCOUNTER, status: 'entered-in-error' }, ALL_RETRACTED],
    [{ mode: 'cancelled-encounter', encounter: ENCOUNTER, ...LATE }, WRITTEN_LATE],
  ],
  'deleted-patient': [
    [{ mode: 'deleted-patient', patient: PATIENT }, ALL_IDENTITY],
    [{ mode: 'deleted-patient', patient: PATIENT, ...LATE }, WRITTEN_LATE],
  ],
} as const satisfies RowsOf<'people'>;

describeFaults('people', ROWS, () => testbed);
