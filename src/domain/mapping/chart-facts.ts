// The facts of a session, written by hand for a golden test or a preview. They have the names of the mapping variables; facts that are left
// out get fixed example values.
import type { Encounter, Patient, Practitioner, PractitionerRole, Resource } from '@medplum/fhirtypes';
import { z } from 'zod';
import type { ChartFacts } from '../chart/chart.ts';
import { CATEGORIES, type Diagnosis, ICD10_PATTERN, TRIAGE_LEVELS } from '../diagnosis/diagnosis.ts';
import { AppError } from '../errors.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../language.ts';
import {
  CHART_LISTS,
  EFFECTS,
  POLARITIES,
  SPEAKER_ROLES,
  STATEMENT_KINDS,
  type StatementEvidence,
  VERDICTS,
} from '../note/check-report.ts';
import { withoutMarks } from '../note/marks.ts';
import { NOTE_TYPES, TEMPLATE_NAMES } from '../note/template.ts';
import { type FactProblem, readWith, type Suggest } from './fact-problems.ts';

const text = z.string();
const SHARE = 'must be a number from 0 to 1';
const share = z.number().min(0, SHARE).max(1, SHARE);
const resource = <T extends Resource>(...types: readonly T['resourceType'][]) =>
  z.custom<T>((value) => isResource(value, types), `must be a resource of type ${types.join(' or ')}`);

const moment = { utterance: z.int().min(0) };
const statement = z.strictObject({
  section: text,
  text,
  kind: z.enum([...STATEMENT_KINDS, 'assessment', 'plan', 'other']).default('other'),
  verdict: z.enum([...VERDICTS, 'unchecked']).default('supported'),
  effect: z.enum(EFFECTS).default('none'),
  polarity: z.enum(POLARITIES).default('affirmed'),
  whose: z.enum(SPEAKER_ROLES).optional(),
  moments: z.array(z.strictObject(moment)).default([]),
  chart: z.array(z.strictObject({ list: z.enum(CHART_LISTS), text, reference: text.optional() })).default([]),
});

const note = z.strictObject({
  title: text,
  type: z.enum(NOTE_TYPES).optional(),
  template: z.enum([...TEMPLATE_NAMES, 'CUSTOM']).optional(),
  sections: z.array(z.strictObject({ key: text, title: text, text })),
  fields: z.array(z.strictObject({ name: text, value: text })).optional(),
  /** What a check found; absent if the note was not checked. */
  statements: z.array(statement).optional(),
  missing: z.array(z.strictObject({ kind: z.enum(STATEMENT_KINDS), text, ...moment })).optional(),
});

const disease = z.strictObject({
  name: text,
  /** Left out, or empty: a disease without a code. */
  icd10_code: text
    .refine((code) => code === '' || ICD10_PATTERN.test(code), 'must be an ICD-10 code, as in J18.9')
    .default(''),
  probability: share,
  why: text,
  diagnostic_tests: z.array(text).default([]),
  standard_care: z.array(z.strictObject({ name: text, url: text.optional() })).default([]),
  drugs: z
    .array(z.strictObject({ name: text, class: text, dosage: text, considerations: text, first_line: z.boolean() }))
    .optional(),
  category: z.enum(CATEGORIES).default('most-likely'),
});

const triage = z.strictObject({
  triage_level: z.enum(TRIAGE_LEVELS),
  triage_justification: text.default(''),
  triage_recommendation: text.default(''),
});

const utterance = z.strictObject({
  speaker: z.int().min(0),
  text,
  startSeconds: z.number().default(0),
  endSeconds: z.number().default(0),
  confidence: share.default(1),
});

const recording = z.strictObject({
  reference: text.optional(),
  contentType: text.default('audio/ogg'),
  start: text.optional(),
  end: text.optional(),
  durationSeconds: z.number().optional(),
});

const INSTANT = 'must be a time with its offset, as in 2026-01-15T10:30:00Z';
const run = z.strictObject({
  id: text.default('example'),
  time: z.iso
    .datetime({ offset: true, error: ({ code }) => (code === 'invalid_format' ? INSTANT : undefined) })
    .default('2026-01-15T10:30:00Z'),
  status: z.enum(['preliminary', 'final', 'amended']).default('preliminary'),
  engine: z.strictObject({ name: text, version: text }).default({ name: 'Chartwright', version: '0.0.0' }),
  model: z
    .strictObject({
      name: text,
      version: text.optional(),
      manufacturer: text.optional(),
      kind: z.enum(['model', 'rules']).default('model'),
    })
    .default({ name: 'example-model', version: '1', kind: 'model' }),
  answeredBy: z.array(z.strictObject({ model: text, fingerprint: text.optional() })).optional(),
  speech: z.strictObject({ name: text, version: text.optional() }).optional(),
  prompt: text.optional(),
  mapping: text.optional(),
});

const anyResources = z.array(z.custom<Resource>((value) => isResource(value, []), 'must be a resource')).optional();

const chartFacts = z.strictObject({
  language: z.enum(LANGUAGES).default(DEFAULT_LANGUAGE),
  note: note.optional(),
  diagnosis: z.strictObject({ diseases: z.array(disease) }).optional(),
  triage: triage.optional(),
  transcript: z
    .strictObject({ utterances: z.array(utterance), durationSeconds: z.number().default(0), language: text.optional() })
    .optional(),
  recordings: z.array(recording).default([]),
  encounter: resource<Encounter>('Encounter').default({
    resourceType: 'Encounter',
    id: 'example',
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: 'Patient/example' },
  }),
  patient: resource<Patient>('Patient').default({ resourceType: 'Patient', id: 'example' }),
  practitioner: resource<Practitioner | PractitionerRole>('Practitioner', 'PractitionerRole').optional(),
  chart: z
    .strictObject({
      conditions: anyResources,
      medications: anyResources,
      allergies: anyResources,
      observations: anyResources,
      reports: anyResources,
    })
    .optional(),
  session: z.strictObject({ key: text }).default({ key: 'session-1' }),
  run: run.prefault({}),
  review: z
    .strictObject({ decision: z.enum(['approve', 'edit']), time: text, reviewer: text, name: text.optional() })
    .optional(),
  confidentiality: z.enum(['U', 'L', 'M', 'N', 'R', 'V']).optional(),
});

type ParsedFacts = { readonly facts: ChartFacts } | { readonly problems: readonly FactProblem[] };

/** All problems of the facts; empty if they are valid. */
export function factProblems(input: unknown, suggest?: Suggest): readonly FactProblem[] {
  const read = readFacts(input, suggest);
  return 'problems' in read ? read.problems : [];
}

/** Throws one `invalidRequest` with all problems. Its details name facts, never values. */
export function parseChartFacts(input: unknown, suggest?: Suggest): ChartFacts {
  const read = readFacts(input, suggest);
  if ('facts' in read) return read.facts;
  const details = read.problems.map(({ message }) => message);
  throw new AppError('invalidRequest', 'the input cannot be used', { details });
}

function readFacts(input: unknown, suggest: Suggest = () => undefined): ParsedFacts {
  const read = readWith(chartFacts, input ?? {}, suggest);
  if ('problems' in read) return read;
  const { note, diagnosis, triage, transcript, ...rest } = read.data;
  if (triage !== undefined && diagnosis === undefined) {
    return { problems: [{ path: ['triage'], message: 'triage needs a diagnosis beside it' }] };
  }
  const facts = withoutUndefined<ChartFacts>({
    ...rest,
    ...(note && noteFacts(note)),
    ...(note?.statements && {
      evidence: evidenceFacts(note, { utterances: transcript?.utterances ?? [], language: rest.language }),
    }),
    ...(diagnosis && { diagnosis: diagnosisFacts(diagnosis.diseases, triage) }),
    ...(transcript && { transcript: { ...transcript, language: transcript.language ?? rest.language } }),
  });
  return { facts };
}

function noteFacts({ type, template, title, sections, fields }: z.infer<typeof note>): Partial<ChartFacts> {
  const dynamicFields = fields && Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  return withoutUndefined({
    noteType: type,
    template,
    note: { note: { title, sections }, ...(dynamicFields && { dynamicFields }) },
  });
}

type Utterances = readonly z.infer<typeof utterance>[];

/** A statement that is not in its section, and a moment that is not in the transcript, are left out. */
function evidenceFacts(
  { title, sections, statements = [], missing = [] }: z.infer<typeof note>,
  { utterances, language }: { readonly utterances: Utterances; readonly language: Language },
): NonNullable<ChartFacts['evidence']> {
  const unmarked = (marked: string) => withoutMarks(marked, language).text;
  let done = { section: '', to: 0 };
  const placed = statements.map((one, index) => {
    const { text: marked, moments, ...rest } = one;
    const words = unmarked(marked);
    const whole = unmarked(sections.find(({ key }) => key === one.section)?.text ?? '');
    const from = whole.indexOf(words, done.section === one.section ? done.to : 0);
    if (from >= 0) done = { section: one.section, to: from + words.length };
    const said = moments.flatMap((each) => momentIn(utterances, each.utterance));
    return { ...rest, id: `st-${index + 1}`, from, to: from + words.length, moments: said };
  });
  return {
    checked: { title, sections: sections.map((section) => ({ ...section, text: unmarked(section.text) })) },
    statements: placed.filter(({ from }) => from >= 0).map(withoutUndefined<StatementEvidence>),
    missing: missing.flatMap((one) => momentIn(utterances, one.utterance).map((said) => ({ ...one, ...said }))),
  };
}

function momentIn(utterances: Utterances, index: number): StatementEvidence['moments'] {
  const said = utterances[index];
  return said === undefined ? [] : [{ utterance: index, startSeconds: said.startSeconds, endSeconds: said.endSeconds }];
}

function diagnosisFacts(
  diseases: readonly z.infer<typeof disease>[],
  given: z.infer<typeof triage> | undefined,
): Diagnosis {
  const level = { triage_level: 'WHITE', triage_justification: '', triage_recommendation: '' } as const;
  return {
    diagnosis: { diseases: diseases.map(withoutUndefined<Diagnosis['diagnosis']['diseases'][number]>) },
    triage: given ?? level,
  };
}

function isResource(value: unknown, types: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || !('resourceType' in value)) return false;
  return typeof value.resourceType === 'string' && (types.length === 0 || types.includes(value.resourceType));
}

/** Removes members that are undefined. */
function withoutUndefined<T extends object>(value: object): T {
  const kept = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, isPlain(inner) ? withoutUndefined<object>(inner) : inner]),
  ) as T;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
