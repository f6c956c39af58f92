// The filter of requests about charts: requests for tokens and for the engine's own Subscription are not included.
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

/** Writes of the note, in a bundle or alone, but not writes of the engine's own Device. */
export const NOTE_WRITES: RequestFilter = { isWrite: true, type: 'DocumentReference' };
