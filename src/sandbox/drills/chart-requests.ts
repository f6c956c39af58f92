// Which requests are about charts: neither about tokens, which everybody may ask for, nor about the engine's own Subscription.
import type { RequestFilter } from '../faults/request-filter.ts';

export const CHART_REQUESTS: RequestFilter = {
  type: [
    'Patient',
    'Encounter',
    'Practitioner',
    'Organization',
    'Consent',
    'AllergyIntolerance',
    'MedicationStatement',
    'MedicationRequest',
    'Observation',
    'DiagnosticReport',
    'Condition',
    'DocumentReference',
    'Media',
    'Binary',
    'Composition',
    'RiskAssessment',
    'Flag',
    'Task',
    'Device',
    'Provenance',
  ],
};

/** The bundle, or the note alone: never the engine's own Device. */
export const NOTE_WRITES: RequestFilter = { isWrite: true, type: 'DocumentReference' };
