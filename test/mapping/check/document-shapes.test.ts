import { describe, expect, it } from '@jest/globals';
import { diseaseVariable, documentVariables } from '../../../src/domain/chart/chart.ts';
import { documentShape, documentVariableNames } from '../../../src/mapping/check/document-shapes.ts';
import { fhirR4 } from '../../../src/mapping/check/fhir-r4.ts';
import { alternatives, kindOf, type Member, type Shape } from '../../../src/mapping/check/shape.ts';
import { aDisease, aSite, someFacts } from '../../support/chart-facts.ts';
import { checkedExpression } from './checked.ts';

const reference = { reference: 'Patient/p-1' };
const drug = { name: 'Amoxicillin', class: 'Penicillin', dosage: '1 g', considerations: 'Allergy', first_line: true };
const disease = aDisease({ standard_care: [{ name: 'Guideline', url: 'https://example.org/cap' }], drugs: [drug] });

/** Everything that a session may know, so that no member is missing by chance. */
const facts = someFacts({
  note: {
    title: 'Cough',
    type: 'PROGRESS_NOTE',
    template: 'SOAP',
    sections: [{ key: 'PLAN', title: 'Plan', text: 'Chest X-ray.' }],
    fields: [{ name: 'pain', value: 'none' }],
    statements: [
      {
        section: 'PLAN',
        text: 'Chest X-ray.',
        kind: 'order',
        whose: 'clinician',
        moments: [{ utterance: 0 }],
        chart: [{ list: 'problems', text: 'Cough', reference: 'Condition/1' }],
      },
    ],
    missing: [{ kind: 'finding', text: 'I cough.', utterance: 0 }],
  },
  diagnosis: { diseases: [disease] },
  triage: { triage_level: 'RED', triage_justification: 'Sepsis?', triage_recommendation: 'Now' },
  transcript: { utterances: [{ speaker: 0, text: 'I cough.' }], durationSeconds: 12.5 },
  recordings: [
    { reference: 'Media/7', contentType: 'audio/ogg', start: '2026-01-15', end: '2026-01-15', durationSeconds: 9 },
  ],
  practitioner: { resourceType: 'Practitioner', id: 'd-1' },
  chart: {
    conditions: [{ resourceType: 'Condition', subject: reference }],
    medications: [{ resourceType: 'MedicationStatement', status: 'active', subject: reference }],
    allergies: [{ resourceType: 'AllergyIntolerance', patient: reference }],
    observations: [{ resourceType: 'Observation', status: 'final', code: {} }],
    reports: [{ resourceType: 'DiagnosticReport', status: 'final', code: {} }],
  },
  run: {
    status: 'final',
    model: { name: 'model', version: '1', manufacturer: 'somebody', kind: 'model' },
    answeredBy: [{ model: 'model-2', fingerprint: 'fp' }],
    speech: { name: 'speech', version: '2' },
    prompt: 'abc',
    mapping: 'def',
  },
  review: { decision: 'approve', time: '2026-01-16T08:00:00Z', reviewer: 'Practitioner/d-1', name: 'Dr. Example' },
  confidentiality: 'N',
});
const signedWithoutReview = {
  acceptedBy: 'Dr. Example',
  role: 'Chief',
  date: '2026-01-01',
  until: '2026-12-31',
  reason: 'trial',
};
const conditions = { least: 0.2, most: 3 };
const site = aSite({ organization: 'mercy-general', write: { signedWithoutReview, conditions } });
const made = {
  ...documentVariables(facts, site),
  disease: diseaseVariable(disease, 0),
  notice: 'Drafted by AI.',
  codes: { sections: { name: 'sections', unmapped: 'report', codes: {} } },
};
const shape = documentShape(['sections']);

describe('the shapes of the variables of documents', () => {
  it('there is one shape for each variable of documents, and no other', () => {
    expect([...documentVariableNames].sort()).toEqual(Object.keys(made).sort());
    expect([...shape.members.keys()].sort()).toEqual(Object.keys(made).sort());
  });

  it.each(Object.entries(made))('%s has every member that is given, of its kind, and no other', (name, value) => {
    const differences = [...compare(`%${name}`, value, shape.members.get(name))];
    expect(differences).toEqual([]);
  });
});

/** A patient with what FHIR writes in more ways than one. */
const patient = {
  resourceType: 'Patient',
  id: 'p-1',
  birthDate: '1970-01-01',
  _birthDate: { extension: [{ url: 'http://example.org/time', valueDateTime: '1970-01-01T10:00:00Z' }] },
  deceasedBoolean: false,
  name: [{ family: 'Example', given: ['Ann'], _given: [{ id: 'a' }], period: { start: '2000' } }],
  contact: [{ relationship: [{ coding: [{ system: 'http://example.org', code: 'N' }] }] }],
  contained: [{ resourceType: 'Observation', status: 'final', code: {}, component: [{ code: {}, valueInteger: 1 }] }],
};

describe('a member that can be read is never reported as unknown', () => {
  it.each(Object.entries({ ...made, patient }))('nothing that is in %s', (name, value) => {
    const found = [...paths(`%${name}`, value)];
    expect(found.length).toBeGreaterThan(0);
    expect(found.flatMap((path) => checkedExpression(path))).toEqual([]);
  });
});

function* paths(path: string, value: unknown): Generator<string> {
  yield path;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const item of items) {
    if (typeof item !== 'object' || item === null || path === '%codes.sections') continue;
    for (const [name, inner] of Object.entries(item)) yield* paths(`${path}.${name}`, inner);
  }
}

/** What is different between a value and its shape. */
function* compare(path: string, value: unknown, member: Member | undefined): Generator<string> {
  if (member === undefined) yield `${path} is given, and has no shape`;
  else if (value === undefined) yield `${path} has a shape, and is not given`;
  else if (Array.isArray(value) !== member.isList) yield `${path} is ${member.isList ? 'no' : 'a'} list`;
  else if (Array.isArray(value) && value.length === 0) yield `${path} is empty here`;
  else for (const item of Array.isArray(value) ? value : [value]) yield* compareItem(path, item, member.shape);
}

function* compareItem(path: string, value: unknown, itemShape: Shape): Generator<string> {
  if (itemShape.kind === 'object') {
    const given = value as Readonly<Record<string, unknown>>;
    for (const name of new Set([...Object.keys(given), ...itemShape.members.keys()])) {
      yield* compare(`${path}.${name}`, given[name], itemShape.members.get(name));
    }
  } else if (itemShape.kind === 'primitive') {
    const kind = typeof value === 'string' ? 'text' : typeof value;
    if (kindOf(itemShape) !== kind) yield `${path} is a ${kind}`;
    if (itemShape.codes && !itemShape.codes.includes(String(value))) yield `${path} is none of its codes`;
  } else if (itemShape.kind !== 'table') {
    yield* compareResource(path, value, itemShape);
  }
}

function* compareResource(path: string, value: unknown, itemShape: Shape): Generator<string> {
  const types = alternatives(itemShape).map((one) => (one.kind === 'fhir' ? one.type : one.kind));
  const { resourceType } = value as { readonly resourceType?: string };
  const isReference = types.includes('Reference') && resourceType === undefined;
  if (!isReference && !types.includes(resourceType ?? '')) yield `${path} is ${resourceType}`;
  if (!types.every((type) => fhirR4().type(type))) yield `${path} has no type of FHIR`;
}
