// The shapes of the variables of a site's documents: exactly the members that `documentVariables` of the chart makes. A test
// keeps the two equal.
import { CATEGORIES, TRIAGE_LEVELS } from '../../domain/diagnosis/diagnosis.ts';
import { LANGUAGES } from '../../domain/language.ts';
import {
  CHART_LISTS,
  EFFECTS,
  POLARITIES,
  SPEAKER_ROLES,
  STATEMENT_KINDS,
  VERDICTS,
} from '../../domain/note/check-report.ts';
import { NOTE_TYPES, TEMPLATE_NAMES } from '../../domain/note/template.ts';
import {
  BOOLEAN,
  DATE_TIME,
  DECIMAL,
  fhirShape,
  INSTANT,
  INTEGER,
  type ObjectShape,
  object,
  oneOf,
  primitive,
  type Shape,
  GIVEN_TEXT as TEXT,
  union,
} from './shape.ts';

const language = oneOf(LANGUAGES);

const disease = object({
  rank: INTEGER,
  name: TEXT,
  icd10_code: TEXT,
  probability: DECIMAL,
  why: TEXT,
  diagnostic_tests: [TEXT],
  standard_care: [object({ name: TEXT, url: primitive('uri') })],
  drugs: [object({ name: TEXT, class: TEXT, dosage: TEXT, considerations: TEXT, first_line: BOOLEAN })],
  category: oneOf(CATEGORIES),
});

const recording = object({
  reference: TEXT,
  contentType: primitive('code'),
  start: DATE_TIME,
  end: DATE_TIME,
  durationSeconds: DECIMAL,
});

const product = { name: TEXT, version: TEXT };

const write = object({
  note: [TEXT],
  diagnosis: [TEXT],
  provenance: BOOLEAN,
  provenanceOf: oneOf(['document', 'section', 'statement']),
  conditions: oneOf(['likely', 'always', 'accepted']),
  probability: oneOf(['number', 'band', 'none']),
  differential: oneOf(['resources', 'engine', 'separate-document', 'section']),
  review: oneOf(['preliminary', 'hold', 'final']),
  signedWithoutReview: object({ acceptedBy: TEXT, role: TEXT, date: TEXT, until: TEXT, reason: TEXT }),
});

const moment = {
  utterance: INTEGER,
  cue: primitive('id'),
  start: DECIMAL,
  end: DECIMAL,
  clock: TEXT,
  speaker: TEXT,
  words: TEXT,
};

const statement = object({
  id: primitive('id'),
  section: TEXT,
  text: TEXT,
  kind: oneOf([...STATEMENT_KINDS, 'assessment', 'plan', 'other']),
  verdict: oneOf([...VERDICTS, 'unchecked']),
  effect: oneOf(EFFECTS),
  polarity: oneOf(POLARITIES),
  whose: oneOf(SPEAKER_ROLES),
  moments: [object(moment)],
  chart: [object({ list: oneOf(CHART_LISTS), text: TEXT, reference: TEXT })],
});

const SHAPES: Readonly<Record<string, Shape | readonly [Shape]>> = {
  note: object({
    title: TEXT,
    type: oneOf(NOTE_TYPES),
    template: oneOf([...TEMPLATE_NAMES, 'CUSTOM']),
    language,
    sections: [object({ id: primitive('id'), key: TEXT, title: TEXT, text: TEXT, statements: [statement] })],
    statements: [statement],
    missing: [object({ kind: oneOf(STATEMENT_KINDS), text: TEXT, ...moment })],
    fields: [object({ name: TEXT, value: TEXT })],
    text: TEXT,
  }),
  diagnosis: object({ language, diseases: [disease] }),
  disease,
  triage: object({ triage_level: oneOf(TRIAGE_LEVELS), triage_justification: TEXT, triage_recommendation: TEXT }),
  transcript: object({
    language: primitive('code'),
    durationSeconds: DECIMAL,
    text: TEXT,
    utterances: [
      object({
        id: primitive('id'),
        speaker: TEXT,
        text: TEXT,
        startSeconds: DECIMAL,
        endSeconds: DECIMAL,
        confidence: DECIMAL,
      }),
    ],
    vtt: TEXT,
  }),
  recording,
  recordings: [recording],
  encounter: fhirShape('Encounter'),
  patient: fhirShape('Patient'),
  practitioner: union([fhirShape('Practitioner'), fhirShape('PractitionerRole')]),
  organization: fhirShape('Reference'),
  chart: object({
    conditions: [fhirShape('Condition')],
    medications: [union([fhirShape('MedicationRequest'), fhirShape('MedicationStatement')])],
    allergies: [fhirShape('AllergyIntolerance')],
    observations: [fhirShape('Observation')],
    reports: [union([fhirShape('DiagnosticReport'), fhirShape('DocumentReference')])],
  }),
  site: object({ name: TEXT, organization: TEXT, timeZone: TEXT, identifierSystem: primitive('uri'), write }),
  session: object({ key: TEXT, language, confidentiality: primitive('code') }),
  run: object({
    id: TEXT,
    time: INSTANT,
    status: oneOf(['preliminary', 'final', 'amended']),
    engine: object(product),
    model: object({ ...product, manufacturer: TEXT, kind: oneOf(['model', 'rules']) }),
    answeredBy: [object({ model: TEXT, fingerprint: TEXT })],
    speech: object(product),
    prompt: TEXT,
    mapping: TEXT,
  }),
  review: object({ decision: oneOf(['approve', 'edit']), time: INSTANT, reviewer: TEXT, name: TEXT }),
  notice: TEXT,
};

/** All variables but `%context`, which holds all of them. */
export const documentVariableNames: readonly string[] = [...Object.keys(SHAPES), 'codes'];

/** `%context`: all variables by their names. `tables` are those of the site. */
export function documentShape(tables: readonly string[]): ObjectShape {
  const codes = object(Object.fromEntries(tables.map((name) => [name, { kind: 'table', name }])));
  return object({ ...SHAPES, codes: { ...codes, isTables: true } });
}
