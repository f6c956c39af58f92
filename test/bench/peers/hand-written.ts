// The limit of the mapping benchmark: the same documents as a team would write them in TypeScript for one hospital.
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import type { NoteSection } from '../../../src/domain/note/note.ts';
import type { Contender } from './contender.ts';
import {
  DIAGNOSIS_CODES,
  type DifferentialFacts,
  DOCUMENTS,
  NOTE_TYPES,
  type NoteFacts,
  RISK_BANDS,
  SECTIONS,
} from './facts.ts';
import { narrativeDiv, toBase64 } from './text.ts';

type Disease = DifferentialFacts['diagnosis']['diseases'][number];

export const handWritten: Contender = {
  name: 'hand-written',
  mapNote: (json) => {
    const facts = JSON.parse(json) as NoteFacts;
    return JSON.stringify([composition(facts), documentReference(facts)]);
  },
  mapDifferential: (json) => {
    const facts = JSON.parse(json) as DifferentialFacts;
    const conditions = facts.diagnosis.diseases.map((disease) => condition(facts, disease));
    return JSON.stringify([...conditions, riskAssessment(facts)]);
  },
};

function composition({ note, run, patient, encounter, organization, recording, notice }: NoteFacts) {
  return {
    resourceType: 'Composition',
    language: note.language,
    status: run.status,
    type: { coding: codingsOf(NOTE_TYPES, note.type), text: note.title },
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    date: run.time,
    author: [...DOCUMENTS.device],
    title: note.title,
    custodian: organization,
    event: [{ period: { start: recording.start, end: recording.end } }],
    section: [
      { title: 'Notice', text: { status: 'generated', div: narrativeDiv(notice) } },
      ...note.sections.map(compositionSection),
    ],
  };
}

function compositionSection({ key, title, text }: NoteSection) {
  const code = { coding: codingsOf(SECTIONS, key), text: title };
  if (text !== '') return { title, code, text: { status: 'generated', div: narrativeDiv(text) } };
  const system = 'http://terminology.hl7.org/CodeSystem/list-empty-reason';
  return { title, code, emptyReason: { coding: [{ system, code: 'unavailable', display: 'Unavailable' }] } };
}

function documentReference({ note, run, patient, encounter, organization, recording, notice }: NoteFacts) {
  return {
    resourceType: 'DocumentReference',
    language: note.language,
    status: 'current',
    docStatus: run.status,
    type: { coding: codingsOf(NOTE_TYPES, note.type), text: note.title },
    category: [
      {
        coding: [
          {
            system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
            code: 'clinical-note',
            display: 'Clinical Note',
          },
        ],
      },
    ],
    subject: { reference: `Patient/${patient.id}` },
    date: run.time,
    author: [...DOCUMENTS.device],
    custodian: organization,
    content: [
      {
        attachment: {
          contentType: 'text/plain;charset=utf-8',
          language: note.language,
          title: note.title,
          creation: run.time,
          data: toBase64(`${notice}\n\n${note.text}`),
        },
      },
    ],
    context: {
      encounter: [{ reference: `Encounter/${encounter.id}` }],
      period: { start: recording.start, end: recording.end },
      related: [{ reference: recording.reference }],
    },
  };
}

function condition({ diagnosis, patient, encounter, run, notice }: DifferentialFacts, disease: Disease) {
  return {
    resourceType: 'Condition',
    language: diagnosis.language,
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    },
    verificationStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'differential' }],
    },
    category: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/condition-category',
            code: 'encounter-diagnosis',
            display: 'Encounter Diagnosis',
          },
        ],
      },
    ],
    code: { coding: codingsOf(DIAGNOSIS_CODES, disease.icd10_code), text: disease.name },
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    recordedDate: run.time,
    evidence: [{ detail: [...DOCUMENTS.composition] }],
    note: [{ time: run.time, text: `${notice} ${disease.why}` }],
  };
}

function riskAssessment({ diagnosis, triage, patient, encounter, run, site, notice }: DifferentialFacts) {
  return {
    resourceType: 'RiskAssessment',
    language: diagnosis.language,
    status: run.status,
    method: { text: `${run.model.name} ${run.model.version}` },
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    occurrenceDateTime: run.time,
    performer: DOCUMENTS.device[0],
    basis: [...DOCUMENTS.composition],
    prediction: diagnosis.diseases.map((disease) => prediction(disease, site.write.probability === 'number')),
    mitigation: triage.triage_recommendation,
    note: [{ time: run.time, text: `${notice} ${triage.triage_justification}` }],
  };
}

function prediction(disease: Disease, isNumberWanted: boolean) {
  const percent = Math.round(disease.probability * 10_000) / 100;
  return {
    outcome: { coding: codingsOf(DIAGNOSIS_CODES, disease.icd10_code), text: disease.name },
    qualitativeRisk: { coding: codingsOf(RISK_BANDS, bandOf(percent)) },
    rationale: `${disease.rank}. ${disease.category}: ${disease.why}`,
    ...(isNumberWanted && { probabilityDecimal: percent }),
  };
}

function bandOf(percent: number): string {
  if (percent < 10) return 'low';
  return percent < 50 ? 'moderate' : 'high';
}

export function codingsOf(table: CodeTable | undefined, key: string) {
  const entry = table?.codes[key];
  if (entry === undefined) return table?.unmapped === 'keep' ? [{ system: table.system, code: key }] : undefined;
  return entry.code === undefined
    ? undefined
    : [{ system: entry.system ?? table?.system, code: entry.code, display: entry.display }];
}
