// Drills with an EHR that accepts what the EHRs of two big vendors accept. The sandbox's settings do not fit these EHRs; the drills show the
// result and name the settings that do.
import { CHART_REQUESTS } from './chart-requests.ts';
import { type DrillPlan, SCENARIO } from './drill-plan.ts';

const NOTHING = { Composition: 0, Condition: 0, RiskAssessment: 0, Flag: 0, Provenance: 0 } as const;

export const VENDOR_LIKE_DRILLS: readonly DrillPlan[] = [
  {
    name: 'ehr-like-epic',
    title:
      'The EHR takes what Epic takes: notes of plain text and provisional conditions, one by one, and nothing else.',
    lookFor: [
      'What it says it does not have (Composition, RiskAssessment, Provenance) is not sent. The note is written, as a draft.',
      'A Condition of a differential is not provisional, and is refused: the run is parked, and names it. A person decides what becomes of it.',
      'The settings for such an EHR leave the diagnosis in the engine (write.diagnosis: []): npm run cli -- mappings new my-hospital --from epic-like',
    ],
    promise: { status: 'parked', reason: 'refused', resources: { ...NOTHING, DocumentReference: 1 } },
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'epic-like', on: CHART_REQUESTS }], changesEhr: true },
  },
  {
    name: 'ehr-like-oracle',
    title: 'The EHR takes what Oracle Health takes: signed notes and conditions, and no drafts.',
    lookFor: [
      'The note is a draft until a clinician has signed it, and is refused: the run is parked, and nothing is in the chart.',
      'No signature is invented for it: a draft is never sent as a final note.',
      'The settings for such an EHR hold the note in the engine until a clinician approves it (write.review: hold): npm run cli -- mappings new my-hospital --from oracle-like',
    ],
    promise: { status: 'parked', reason: 'refused', resources: { ...NOTHING, DocumentReference: 0 } },
    maxSeconds: 60,
    scenario: SCENARIO,
    trouble: { at: 'ehr', faults: [{ mode: 'oracle-like', on: CHART_REQUESTS }], changesEhr: true },
  },
];
