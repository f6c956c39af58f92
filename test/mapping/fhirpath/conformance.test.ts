import { beforeEach, describe, expect, it, jest } from '@jest/globals';
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
  it.each(ON_PLAIN_DATA)('on plain data: %s', (expression) => agree(expression, PLAIN_DATA));
  it.each(IN_BACKTICKS)('on names in backticks: %s', (expression) => agree(expression, PLAIN_DATA));
  it.each(ON_PATIENT)('on a patient: %s', (expression) => agree(expression, PATIENT));
  it.each(ON_OBSERVATION)('on an observation: %s', (expression) => agree(expression, OBSERVATION));
  it.each(ON_TYPED_PATIENT)('on a patient with types: %s', (expression) => agree(expression, PATIENT, R4));
  it.each(ON_TYPED_OBSERVATION)('on an observation with types: %s', (expression) => agree(expression, OBSERVATION, R4));
});

describe("HL7's own engine and this one agree on every operator between every two values", () => {
  const anything = [
    '{}',
    'foo',
    '0',
    '1',
    '2.5',
    '(-1.5)',
    "'a'",
    "''",
    "'B'",
    "'12'",
    '(1 | 2)',
    "('a' | 'b')",
    'objs[0]',
  ];
  const dates = ['@2020', '@2021', '@2020-01', '@2020-02', '@2020-01-01', '@2019-12-31', '@2020-01-01T10:00:00Z'];
  const times = ['@T10', '@T10:00', '@T11:30', '@T10:00:00', '@T10:00:00.5'];
  const moments = ['@2020-01-01T10Z', '@2020-01-01T10:00Z', '@2020-01-01T11:00:00+01:00', '@2020-01-01T10:00:00.000Z'];
  const amounts = ["1 'g'", "1000 'mg'", "2 'kg'", '4 days', '96 hours', '1 week', "1 's'", '{}'];
  const ucumTimes = ["1 'min'", "60 's'", "1 'h'", "3600000 'ms'", "90 'min'"];
  const durations = ['4 days', '96 hours', '1 week', '1 year', '12 months', '13 months'];
  const comparisons = ['=', '!=', '<', '<=', '>', '>='];

  it.each(['=', '!=', '~', '!~', 'in', 'contains', '|', '&'])('anything %s anything', (operator) =>
    agreeOnPairs(operator, anything),
  );
  it.each(['<', '<=', '>', '>='])('numbers and texts %s others', (operator) =>
    agreeOnPairs(operator, anything.slice(0, -1)),
  );
  it.each(['+', '-', '*', '/', 'div', 'mod'])('numbers %s numbers', (operator) =>
    agreeOnPairs(operator, ['{}', 'foo', '0', '1', '7', '2.5', '(-1.5)', '(-7)', '1000000']),
  );
  it.each(['and', 'or', 'xor', 'implies'])('true, false, empty or a value %s another', (operator) =>
    agreeOnPairs(operator, ['true', 'false', '{}', "'a'", '0', 'objs[0]']),
  );
  it.each([...comparisons, '~', '!~'])('dates %s dates', (operator) => agreeOnPairs(operator, [...dates, '{}']));
  it.each([...comparisons, '~', '!~'])('times %s times', (operator) => agreeOnPairs(operator, [...times, '{}']));
  it.each([...comparisons, '~', '!~'])('moments %s moments', (operator) => agreeOnPairs(operator, moments));
  it.each(comparisons)('amounts %s amounts', (operator) => agreeOnPairs(operator, amounts));
  it.each(comparisons)('times as amounts %s others', (operator) => agreeOnPairs(operator, ucumTimes));
  it.each(comparisons)('durations %s durations', (operator) => agreeOnPairs(operator, durations));
  it.each(['+', '-'])('dates %s durations', (operator) => {
    for (const date of dates.slice(0, -1))
      for (const duration of [...durations, '400 days', '100 minutes'])
        agree(`${date} ${operator} ${duration}`, PLAIN_DATA);
  });
});

function agreeOnPairs(operator: string, values: readonly string[]): void {
  for (const one of values) for (const other of values) agree(`${one} ${operator} ${other}`, PLAIN_DATA);
}

describe("each difference between HL7's own engine and this one is intended", () => {
  it.each(DIFFERENCES)('$expression: $reason', ({ expression, ours }) => {
    const result = oursOf(expression, PLAIN_DATA);
    if (typeof ours === 'string') expect(result).toMatchObject({ error: expect.stringContaining(ours) });
    else expect(result).toEqual({ items: ours });
    expect(theirsOf(expression, PLAIN_DATA)).not.toEqual(ours);
  });
});

function agree(expression: string, data: object, model?: fhirpath.Model): void {
  const ours = oursOf(expression, data);
  const theirs = theirsOf(expression, data, model);
  if (theirs === ERROR) expect({ expression, ours }).toHaveProperty('ours.error');
  else expect({ expression, ours }).toEqual({ expression, ours: { items: theirs } });
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
