// The input of the mapping benchmark: made-up facts of a session as JSON, and a site's tables and references, which are set up once. The shapes
// are those of the variables that mappings read.

import type { Disease, Triage } from '../../../src/domain/diagnosis/diagnosis.ts';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import type { Reference } from '../../../src/domain/mapping/mapping.ts';
import type { NoteSection } from '../../../src/domain/note/note.ts';

type SessionFacts = {
  readonly encounter: { readonly resourceType: 'Encounter'; readonly id: string };
  readonly patient: { readonly resourceType: 'Patient'; readonly id: string };
  readonly organization: Reference;
  readonly recording: { readonly reference?: string; readonly start?: string; readonly end?: string };
  readonly site: { readonly name: string; readonly write: { readonly probability: 'number' | 'band' | 'none' } };
  readonly run: {
    readonly id: string;
    readonly time: string;
    readonly status: 'preliminary' | 'final' | 'amended';
    readonly model: { readonly name: string; readonly version?: string };
  };
  readonly notice: string;
};

export type NoteFacts = SessionFacts & {
  readonly note: {
    readonly title: string;
    readonly type: string;
    readonly language: string;
    readonly sections: readonly NoteSection[];
    readonly text: string;
  };
};

export type DifferentialFacts = SessionFacts & {
  readonly diagnosis: {
    readonly language: string;
    readonly diseases: readonly (Disease & { readonly rank: number })[];
  };
  readonly triage: Triage;
};

const LOINC = 'http://loinc.org';

export const NOTE_TYPES: CodeTable = {
  name: 'noteTypes',
  system: LOINC,
  unmapped: 'report',
  codes: {
    ED_NOTE: { code: '34111-5', display: 'Emergency department Note' },
    PROGRESS_NOTE: { code: '11506-3', display: 'Progress note' },
    DISCHARGE_SUMMARY: { code: '18842-5', display: 'Discharge summary' },
    CONSULT_NOTE: { code: '11488-4', display: 'Consult note' },
  },
};

export const SECTIONS: CodeTable = {
  name: 'sections',
  system: LOINC,
  unmapped: 'report',
  codes: {
    SUBJECTIVE: { code: '61150-9', display: 'Subjective Narrative' },
    OBJECTIVE: { code: '61149-1', display: 'Objective Narrative' },
    ASSESSMENT: { code: '51848-0', display: 'Evaluation note' },
    PLAN: { code: '18776-5', display: 'Plan of care note' },
    CHIEF_COMPLAINT: { code: '10154-3', display: 'Chief complaint Narrative - Reported' },
    HISTORY: { code: '11329-0', display: 'History general Narrative - Reported' },
    EXAMINATION: { code: '29545-1', display: 'Physical findings Narrative' },
    DIFFERENTIAL: {},
    DECISION: {},
    ACTION: {},
    REVIEW: {},
  },
};

export const DIAGNOSIS_CODES: CodeTable = {
  name: 'diagnosis',
  system: 'http://hl7.org/fhir/sid/icd-10-cm',
  unmapped: 'keep',
  codes: {},
};

export const RISK_BANDS: CodeTable = {
  name: 'riskBands',
  system: 'http://terminology.hl7.org/CodeSystem/risk-probability',
  unmapped: 'report',
  codes: {
    low: { code: 'low', display: 'Low likelihood' },
    moderate: { code: 'moderate', display: 'Moderate likelihood' },
    high: { code: 'high', display: 'High likelihood' },
  },
};

/** The names of the site's other documents in the chart. */
export const DOCUMENTS = {
  device: [{ reference: 'urn:uuid:5f0f3c1e-6d6b-4c0f-9a3e-8a1d1f0c7d01' }],
  composition: [{ reference: 'urn:uuid:5f0f3c1e-6d6b-4c0f-9a3e-8a1d1f0c7d02' }],
} as const satisfies Record<string, readonly Reference[]>;

const SESSION: SessionFacts = {
  encounter: { resourceType: 'Encounter', id: 'enc-4711' },
  patient: { resourceType: 'Patient', id: 'pat-0815' },
  organization: { reference: 'Organization/1' },
  recording: {
    reference: 'DocumentReference/rec-12',
    start: '2026-11-20T09:12:00-06:00',
    end: '2026-11-20T09:31:00-06:00',
  },
  site: { name: 'mercy', write: { probability: 'number' } },
  run: {
    id: 'run-1',
    time: '2026-11-20T15:40:12Z',
    status: 'preliminary',
    model: { name: 'made-up-model', version: '2026-10' },
  },
  notice: 'Drafted by AI (made-up-model) from a recording. Nobody has reviewed it yet.',
};

export const ED_SECTIONS: readonly NoteSection[] = [
  section('CHIEF_COMPLAINT', 'Chief Complaint', 'Chest pain since this morning, "like a belt" around the chest.'),
  section(
    'HISTORY',
    'History',
    'A 58-year-old reports pressing pain behind the breastbone since about 06:30, radiating to the left arm.\n' +
      'Worse on exertion, not relieved by rest; some nausea, no vomiting. Blood pressure treated for ten years.\n' +
      'Smokes about 10 cigarettes a day. No known allergies. Father had an infarction at 61.',
  ),
  section(
    'EXAMINATION',
    'Examination',
    'Blood pressure 148/92 mmHg, pulse 96/min & regular, temperature 36.8 °C, saturation 96 % on room air.\n' +
      'Heart sounds clear, no murmur. Lungs clear on both sides. Abdomen soft. No oedema of the legs.',
  ),
  section(
    'DIFFERENTIAL',
    'Differential',
    'Acute coronary syndrome, pulmonary embolism, aortic dissection, pericarditis, reflux, musculoskeletal pain.',
  ),
  section('DECISION', 'Decision', 'Treat as an acute coronary syndrome until troponin < 14 ng/l twice, 3 hours apart.'),
  section(
    'ACTION',
    'Action',
    'ECG within 10 minutes, troponin now and after 3 hours, blood count, electrolytes, D-dimer, chest X-ray.\n' +
      'Aspirin 300 mg by mouth once. Monitoring. Cardiology was called at 09:28.',
  ),
  section('REVIEW', 'Review', ''),
];

function section(key: string, title: string, text: string): NoteSection {
  return { key, title, text };
}

export function noteFacts(sections: readonly NoteSection[] = ED_SECTIONS): string {
  const title = 'Emergency department note';
  const text = [title, ...sections.map((each) => `${each.title.toUpperCase()}\n${each.text}`)].join('\n\n');
  const facts: NoteFacts = { ...SESSION, note: { title, type: 'ED_NOTE', language: 'en', sections, text } };
  return JSON.stringify(facts);
}

export const DISEASES: readonly Disease[] = [
  aDisease('Acute coronary syndrome', 'I24.9', 0.62, 'Pressing pain on exertion with radiation, smoker, hypertension.'),
  aDisease('Pulmonary embolism', 'I26.99', 0.14, 'Sudden chest pain with a fast pulse; saturation is near normal.'),
  aDisease('Aortic dissection', 'I71.00', 0.06, 'Hypertension and chest pain; pulses were the same on both sides.'),
  aDisease(
    'Acute pericarditis',
    'I30.9',
    0.05,
    'Chest pain behind the breastbone, but no rub & no change with posture.',
  ),
  aDisease('Gastro-oesophageal reflux', 'K21.9', 0.05, 'Pain behind the breastbone with nausea.'),
  aDisease('Costochondritis', 'M94.0', 0.04, 'Pain of the chest wall is possible; not tender on pressure.'),
  aDisease('Pneumonia', 'J18.9', 0.02, 'Chest pain, but no fever, no cough and clear lungs.'),
  aDisease('Panic attack', 'F41.0', 0.02, 'Fast pulse and nausea; only once the rest is excluded.'),
];

export function aDisease(name: string, code: string, probability: number, why: string): Disease {
  return {
    name,
    icd10_code: code,
    probability,
    why,
    diagnostic_tests: ['ECG', 'Troponin'],
    standard_care: [{ name: 'Monitoring', url: 'https://guidelines.example.org/chest-pain' }],
    category: probability > 0.1 ? 'most-likely' : 'expanded',
  };
}

export function differentialFacts(diseases: readonly Disease[] = DISEASES): string {
  const facts: DifferentialFacts = {
    ...SESSION,
    diagnosis: { language: 'en', diseases: diseases.map((each, index) => ({ rank: index + 1, ...each })) },
    triage: {
      triage_level: 'RED',
      triage_justification: 'Chest pain that may be an acute coronary syndrome.',
      triage_recommendation: 'ECG and a physician within ten minutes.',
    },
  };
  return JSON.stringify(facts);
}
