// The limit for the base set: its composition, document-reference, condition and risk-assessment for a note in English, as a team would write
// them in TypeScript for one hospital. If the base set changes, this file must change, too.
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import type { Reference } from '../../../src/domain/mapping/mapping.ts';
import type { NoteSection } from '../../../src/domain/note/note.ts';
import type { Contender } from './contender.ts';
import type { DifferentialFacts, NoteFacts } from './facts.ts';
import { codingsOf } from './hand-written.ts';
import { narrativeDiv } from './text.ts';

type Shared = Omit<NoteFacts, 'note' | 'notice' | 'recording' | 'run'> & {
  readonly recordings: readonly NoteFacts['recording'][];
  readonly session: { readonly language: string; readonly confidentiality?: string };
  readonly run: NoteFacts['run'] & { readonly engine: { readonly name: string; readonly version: string } };
};

export type BaseFacts = Shared & Partial<Pick<NoteFacts, 'note'> & Pick<DifferentialFacts, 'diagnosis'>>;

type Disease = DifferentialFacts['diagnosis']['diseases'][number];
type Tables = Readonly<Record<string, CodeTable>>;
type Documents = Readonly<Record<'device' | 'document-reference', readonly Reference[]>>;
/** The input of every document. */
type Site = { readonly tables: Tables; readonly documents: Documents; readonly notice: string };

export function makeHandWrittenBase(tables: Tables, documents: Documents): Contender {
  return {
    name: 'hand-written',
    mapNote: (json) => JSON.stringify(noteDocuments(JSON.parse(json), tables, documents)),
    mapDifferential: (json) => JSON.stringify(differentialDocuments(JSON.parse(json), tables, documents)),
  };
}

/** Makes the Composition and the DocumentReference. */
export function noteDocuments({ note, ...facts }: BaseFacts, tables: Tables, documents: Documents) {
  if (note === undefined) throw new Error('these facts have no note');
  const site = { tables, documents, notice: noticeOf(facts) };
  return [composition(note, facts, site), documentReference(note, facts, site)];
}

/** Makes a Condition for each disease, and the RiskAssessment. */
export function differentialDocuments({ diagnosis, ...facts }: BaseFacts, tables: Tables, documents: Documents) {
  const diseases = diagnosis?.diseases ?? [];
  const site = { tables, documents, notice: noticeOf(facts) };
  return [...diseases.map((disease) => condition(disease, facts, site)), riskAssessment(diseases, facts, site)];
}

function noticeOf({ run: { model } }: Shared): string {
  const name = model.version === undefined ? model.name : `${model.name} ${model.version}`;
  return `AI DRAFT, NOT REVIEWED: drafted by AI (${name}) from a recording of this encounter. No clinician has reviewed it yet.`;
}

function composition(note: NoteFacts['note'], facts: Shared, { tables, documents, notice }: Site) {
  const { session, run, patient, encounter, organization } = facts;
  return {
    resourceType: 'Composition',
    language: session.language,
    text: { status: 'generated', div: narrativeDiv(`${notice}\n\n${note.title}`) },
    status: run.status,
    type: { coding: codingsOf(tables['noteTypes'], note.type) },
    category: noteCategory(),
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    date: run.time,
    author: [...documents.device],
    title: note.title,
    confidentiality: session.confidentiality,
    custodian: organization,
    section: note.sections.map((section) => compositionSection(section, tables['sections'], notice)),
  };
}

function compositionSection({ key, title, text }: NoteSection, codes: CodeTable | undefined, notice: string) {
  const said = text.trim() === '' ? 'Not discussed.' : text;
  const narrative = { status: 'generated', div: narrativeDiv(`${notice}\n\n${said}`) };
  if (key === 'DIFFERENTIAL') {
    const code = { coding: codingsOf(codes, 'ASSESSMENT') };
    return { title: 'Assessment', code, section: [{ title, text: narrative }] };
  }
  const coding = codingsOf(codes, key);
  return { title, ...(coding && { code: { coding } }), text: narrative };
}

function noteCategory() {
  const system = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category';
  return [{ coding: [{ system, code: 'clinical-note', display: 'Clinical Note' }] }];
}

function documentReference(note: NoteFacts['note'], facts: Shared, { tables, documents, notice }: Site) {
  const { session, run, patient, encounter, organization, recordings } = facts;
  const bytes = Buffer.from(`${notice}\n\n${note.text}`, 'utf8');
  return {
    resourceType: 'DocumentReference',
    language: session.language,
    status: 'current',
    docStatus: run.status,
    type: { coding: codingsOf(tables['noteTypes'], note.type) },
    category: noteCategory(),
    subject: { reference: `Patient/${patient.id}` },
    date: run.time,
    author: [...documents.device],
    custodian: organization,
    description: note.title,
    content: [
      {
        attachment: {
          contentType: 'text/plain;charset=utf-8',
          language: session.language,
          data: bytes.toString('base64'),
          size: bytes.length,
          title: note.title,
          creation: run.time,
        },
      },
    ],
    context: {
      encounter: [{ reference: `Encounter/${encounter.id}` }],
      period: { start: recordings[0]?.start, end: recordings.at(-1)?.end },
      related: recordings.flatMap(({ reference }) => (reference === undefined ? [] : [{ reference }])),
    },
  };
}

function condition(disease: Disease, { session, run, patient, encounter }: Shared, site: Site) {
  const narrative = `${site.notice}\n\nCandidate of a differential diagnosis, not confirmed: ${disease.name}\n${disease.why}`;
  return {
    resourceType: 'Condition',
    language: session.language,
    text: { status: 'generated', div: narrativeDiv(narrative) },
    clinicalStatus: statusConcept('condition-clinical', 'active', 'Active'),
    verificationStatus: statusConcept('condition-ver-status', 'differential', 'Differential'),
    category: [statusConcept('condition-category', 'encounter-diagnosis', 'Encounter Diagnosis')],
    code: { coding: diagnosisCodings(site.tables, disease.icd10_code), text: disease.name },
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    recordedDate: run.time,
    evidence: [{ detail: [...site.documents['document-reference']] }],
    note: [{ authorString: `${run.engine.name} (${run.model.name})`, time: run.time, text: narrative }],
  };
}

function statusConcept(system: string, code: string, display: string) {
  return { coding: [{ system: `http://terminology.hl7.org/CodeSystem/${system}`, code, display }] };
}

function riskAssessment(diseases: readonly Disease[], facts: Shared, { tables, documents, notice }: Site) {
  const { session, run, patient, encounter } = facts;
  const lines = diseases.map(
    ({ rank, name, icd10_code, category }) => `${rank}. ${name} (${icd10_code}), ${CATEGORIES[category]}`,
  );
  return {
    resourceType: 'RiskAssessment',
    language: session.language,
    text: { status: 'generated', div: narrativeDiv([notice, 'Differential diagnosis', RULE, ...lines].join('\n\n')) },
    status: run.status,
    method: { text: `${run.engine.name} ${run.engine.version}, ${run.model.name}` },
    code: { text: 'Differential diagnosis' },
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    occurrenceDateTime: run.time,
    performer: documents.device[0],
    basis: [...documents['document-reference']],
    prediction: diseases.map((disease) => prediction(disease, tables, facts.site.write.probability)),
  };
}

const RULE = 'Candidates for the clinician to consider, the most likely first. None of them is confirmed.';
const CATEGORIES = {
  'most-likely': 'most likely',
  expanded: 'also possible',
  'cant-miss': 'must not be missed',
} as const;

function prediction(disease: Disease, tables: Tables, wanted: 'number' | 'band' | 'none') {
  const { name, icd10_code, probability, category, rank, why } = disease;
  return {
    outcome: { coding: diagnosisCodings(tables, icd10_code), text: name },
    ...(wanted === 'number' && { probabilityDecimal: Math.round(probability * 10_000) / 100 }),
    ...(wanted !== 'none' && { qualitativeRisk: { coding: codingsOf(tables['riskBands'], bandOf(disease)) } }),
    rationale: `Rank ${rank}, ${CATEGORIES[category]}. ${why}`,
  };
}

/** A longer code that is not in the WHO's table is a code of another country. */
function diagnosisCodings(tables: Tables, icd10Code: string) {
  const found = codingsOf(tables['diagnosis'], icd10Code)?.filter(isOfItsSystem);
  return found?.length === 0 ? undefined : found;
}

type Coding = NonNullable<ReturnType<typeof codingsOf>>[number];

function isOfItsSystem(coding: Coding): boolean {
  const isNamed = 'display' in coding && coding.display !== undefined;
  return coding.system !== 'http://hl7.org/fhir/sid/icd-10' || isNamed || coding.code.length < 6;
}

function bandOf({ probability, category }: Disease): string {
  if (probability >= 0.6) return 'high';
  if (probability >= 0.2) return 'moderate';
  return probability >= 0.01 || category === 'cant-miss' ? 'low' : 'negligible';
}
