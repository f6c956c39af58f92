import { describe, expect, it } from '@jest/globals';
import { ExpressionError } from '../../../src/mapping/fhirpath/frame.ts';
import { FUNCTIONS } from '../../../src/mapping/fhirpath/known-functions.ts';
import { parseExpression } from '../../../src/mapping/fhirpath/parse-expression.ts';
import { OPERATORS } from '../../../src/mapping/fhirpath/syntax.ts';
import { fc } from '../../support/fast-check.ts';
import { OBSERVATION, PATIENT, PLAIN_DATA } from './conformance-data.ts';
import { type Evaluated, evaluate, TestBudgetError } from './evaluate.ts';

const HOSTILE = frozen({
  constructor: 'own',
  list: [[1, [2, null]], [], {}, [[[]]]],
  text: '\ud800 <b>&\u202e\u0000 $& \n\n x',
  big: 1.7e308,
  tiny: 5e-324,
  deep: { deep: { deep: { deep: [{ deep: 1 }] } } },
  empty: {},
  value: null,
  day: '2024-02-29',
  table: { name: 'sections', unmapped: 'report', codes: { PLAN: { code: '18776-5' } } },
});
const VARIABLES = frozen({
  patient: PATIENT,
  observation: OBSERVATION,
  data: PLAIN_DATA,
  hostile: HOSTILE,
  nothing: null,
});
const NAMES = [
  'name',
  'given',
  'value',
  'list',
  'text',
  'deep',
  'constructor',
  'length',
  '`__proto__`',
  'big',
  'objs',
  'n',
  's',
];
const LITERALS = [
  "'a'",
  "''",
  "'2020-01-01T10:00'",
  "'device'",
  '0',
  '1',
  '-1',
  '0.1',
  '9007199254740993',
  'true',
  '{}',
  '$this',
];
const TIMES = [
  '@2024-02-29',
  '@2020',
  '@T10:30',
  '@2020-01-01T10:00:00+05:30',
  '4 days',
  "2 'mg'",
  '1 year',
  '$index',
  '$total',
];
const TYPES = ['Quantity', 'string', 'Patient', 'System.Integer', 'dateTime'];

/** A small grammar of all that can be written. */
const expression = fc.letrec<{ term: string; whole: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'expression' },
    fc.constantFrom(...LITERALS, ...TIMES, ...Object.keys(VARIABLES).map((name) => `%${name}`)),
    fc.tuple(tie('term'), fc.constantFrom(...NAMES)).map(([target, name]) => `${target}.${name}`),
    fc
      .tuple(tie('term'), fc.constantFrom('0', '1', '$index', '%data.a'))
      .map(([target, index]) => `${target}[${index}]`),
    fc.tuple(tie('term'), fc.constantFrom(...TYPES)).map(([target, type]) => `${target}.ofType(${type})`),
    fc.tuple(tie('term'), aCall(tie('whole'))).map(([target, call]) => `${target}.${call}`),
    tie('whole').map((inner) => `(${inner})`),
  ),
  whole: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'expression' },
    tie('term'),
    fc.constantFrom(...NAMES),
    fc.tuple(tie('term'), fc.constantFrom(...OPERATORS), tie('term')).map((parts) => parts.join(' ')),
    fc.tuple(fc.constantFrom('+', '-'), tie('term')).map((parts) => parts.join('')),
    fc.tuple(tie('term'), fc.constantFrom('is', 'as'), fc.constantFrom(...TYPES)).map((parts) => parts.join(' ')),
  ),
})).whole;

function aCall(argument: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .constantFrom(...FUNCTIONS)
    .chain(([name, { minArguments, maxArguments }]) =>
      fc
        .array(argument, { minLength: minArguments, maxLength: Math.min(maxArguments, 3) })
        .map((args) => `${name}(${name === 'repeat' ? 'item' : args.join(', ')})`),
    );
}

describe('any text as an expression', () => {
  it('an expression gives items, or says in words what is wrong', () => {
    fc.assert(
      fc.property(expression, (text) => checkResult(text)),
      { numRuns: 4000 },
    );
  });

  it('a text that is no expression is refused with a position', () => {
    const pieces = [
      ...LITERALS,
      ...TIMES,
      ...NAMES,
      ...OPERATORS,
      '(',
      ')',
      '[',
      ']',
      '{',
      '.',
      ',',
      '%',
      "'",
      '`',
      '@',
      '\\',
      '"',
    ];
    const soup = fc
      .array(fc.constantFrom(...pieces, ' ', '/*', '//', '\n', 'é', '\ud800', '#', ';', '%x', '->'))
      .map((list) => list.join(''));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string()), (text) => checkRefusal(text)),
      { numRuns: 5000 },
    );
  });
});

function checkResult(text: string): void {
  const found = attempt(text);
  if (!found) return;
  for (const item of found.items) {
    expect(item === null || item === undefined || Array.isArray(item)).toBe(false);
    if (typeof item === 'object') expect(Object.getOwnPropertySymbols(item)).toEqual([]);
    expect(typeof item === 'number' && !Number.isFinite(item)).toBe(false);
  }
  expect(found.first).toEqual(found.items[0]);
}

function attempt(text: string): Evaluated | undefined {
  try {
    return evaluate(text, { variables: VARIABLES, steps: 20_000, characters: 200_000 });
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof TestBudgetError) return undefined;
    throw error;
  }
}

function checkRefusal(text: string): void {
  try {
    parseExpression(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    expect(error.at).toBeGreaterThanOrEqual(0);
    expect(error.at).toBeLessThanOrEqual(text.length);
  }
}

/** Nothing that came from outside is ever changed. */
function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner);
  return Object.freeze(value);
}
