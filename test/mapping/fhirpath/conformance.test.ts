import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import fhirpath from 'fhirpath';
import r4 from 'fhirpath/fhir-context/r4/index.js';
import { ExpressionError } from '../../../src/mapping/fhirpath/frame.ts';
import {
  DIFFERENCES,
  IN_BACKTICKS,
  ON_OBSERVATION,
  ON_PATIENT,
  ON_PLAIN_DATA,
  ON_TYPED_OBSERVATION,
  ON_TYPED_PATIENT,
} from './conformance-cases.ts';
import { OBSERVATION, PATIENT, PLAIN_DATA } from './conformance-data.ts';
import { evaluate } from './evaluate.ts';

const VARIABLES = { v: 5, p: PATIENT, o: OBSERVATION, d: PLAIN_DATA };
const ERROR = 'an error';
// The package's types and its own data differ by an undefined.
const R4 = r4 as unknown as fhirpath.Model;

// HL7's engine tells the console what it rounded.
beforeEach(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}));

describe("HL7's own engine and this one agree", () => {
  test.each(ON_PLAIN_DATA)('on plain data: %s', (expression) => agree(expression, PLAIN_DATA));
  test.each(IN_BACKTICKS)('on names in backticks: %s', (expression) => agree(expression, PLAIN_DATA));
  test.each(ON_PATIENT)('on a patient: %s', (expression) => agree(expression, PATIENT));
  test.each(ON_OBSERVATION)('on an observation: %s', (expression) => agree(expression, OBSERVATION));
  test.each(ON_TYPED_PATIENT)('on a patient with types: %s', (expression) => agree(expression, PATIENT, R4));
  test.each(ON_TYPED_OBSERVATION)('on an observation with types: %s', (expression) =>
    agree(expression, OBSERVATION, R4),
  );
});

describe("where HL7's own engine and this one do not agree, it is on purpose", () => {
  test.each(DIFFERENCES)('$expression: $reason', ({ expression, ours }) => {
    const result = oursOf(expression, PLAIN_DATA);
    if (typeof ours === 'string') expect(result).toMatchObject({ error: expect.stringContaining(ours) });
    else expect(result).toEqual({ items: ours });
    expect(theirsOf(expression, PLAIN_DATA)).not.toEqual(ours);
  });
});

function agree(expression: string, data: object, model?: fhirpath.Model): void {
  const ours = oursOf(expression, data);
  const theirs = theirsOf(expression, data, model);
  if (theirs === ERROR) expect(ours).toHaveProperty('error');
  else expect(ours).toEqual({ items: theirs });
}

type Outcome = { readonly items: unknown } | { readonly error: string };

function oursOf(expression: string, data: object): Outcome {
  try {
    const { items, first } = evaluate(expression, { variables: VARIABLES, context: data });
    // What gives only the first item takes shorter ways.
    expect(first).toEqual(items[0]);
    return { items: rounded(items) };
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.message };
    throw error;
  }
}

function theirsOf(expression: string, data: object, model?: fhirpath.Model): unknown {
  try {
    return rounded(fhirpath.evaluate(structuredClone(data), expression, structuredClone(VARIABLES), model));
  } catch {
    return ERROR;
  }
}

/** As JSON, and without the digits that no decimal of FHIRPath has. */
function rounded(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner) => {
    if (key === '__path__') return undefined;
    return typeof inner === 'number' ? Number(inner.toPrecision(12)) : inner;
  });
  return JSON.parse(text);
}
