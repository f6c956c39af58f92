// Results of a run whose chart has a label, or whose patient is a VIP.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { StepResults } from '../../src/domain/run/step-results.ts';
import { CHECKED_RESULTS } from './stored-runs.ts';

const ENCOUNTER: Encounter = { resourceType: 'Encounter', id: 'e-1', status: 'finished', class: { code: 'AMB' } };
const PATIENT: Patient = { resourceType: 'Patient', id: 'p-1' };

type ChartParts = {
  readonly encounter?: Partial<Encounter>;
  readonly patient?: Partial<Patient>;
  readonly confidentiality?: string;
};

export function aReadChart({ encounter, patient, ...rest }: ChartParts = {}): StepResults['read-chart'] {
  return {
    encounter: { ...ENCOUNTER, ...encounter },
    patient: { ...PATIENT, ...patient },
    chart: {},
    history: '',
    omissions: [],
    sources: [],
    speechLanguage: 'en',
    language: 'en',
    wanted: { kind: 'type', noteType: 'PROGRESS_NOTE' },
    ...rest,
  } as StepResults['read-chart'];
}

export const RESTRICTED_RESULTS = { 'read-chart': aReadChart({ confidentiality: 'R' }), ...CHECKED_RESULTS } as const;
