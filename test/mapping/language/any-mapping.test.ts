// Mappings of any shape on inputs of any shape: they end, in data that JSON can hold or in a MappingError with a place, and the
// same way every time.
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { MappingError, type MappingResult } from '../../../src/domain/mapping/mapping.ts';
import { loadMapping } from '../../../src/mapping/load-mapping.ts';
import type { MappingContext } from '../../../src/mapping/mapping-context.ts';
import { fc } from '../../support/fast-check.ts';
import { ESCAPE_STRINGS } from './escape-strings.ts';

const CONTEXT: MappingContext = { kind: 'free', variables: ['a', 'b', 'c'], isStrict: false };
const LIMITED = { numRuns: 1500 };

const name = fc.constantFrom('a', 'b', 'c', 'x', 'y', 'item');
const member = fc.constantFrom('a', 'b', 'key', 'value', 'resourceType', 'toString');
const literal = fc.constantFrom(
  '1',
  '0',
  '2.5',
  'true',
  'false',
  "'t'",
  "'}}'",
  '{}',
  '@2026-11-21',
  "4 'mg'",
  '$this',
);
const unary = fc.constantFrom(
  ...[
    'first()',
    'last()',
    'count()',
    'exists()',
    'empty()',
    'distinct()',
    'single()',
    'tail()',
    'toString()',
    'upper()',
  ],
  ...[
    'xhtml()',
    'base64()',
    'hash()',
    'reference()',
    'percent()',
    'round(2)',
    'instant()',
    'children()',
    'descendants()',
  ],
  ...[
    'repeat(a)',
    'select(a | b)',
    'where($this = 1)',
    'where(a.exists())',
    'ofType(string)',
    "join(',')",
    'sum()',
    'toInteger()',
  ],
);
const operator = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '&',
  '|',
  '=',
  '!=',
  '<',
  'and',
  'or',
  'in',
  'div',
  'mod',
  'implies',
);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    literal,
    name.map((word) => `%${word}`),
    name,
    fc.tuple(tie('expression'), member).map(([target, word]) => `(${target}).${word}`),
    fc.tuple(tie('expression'), unary).map(([target, call]) => `(${target}).${call}`),
    fc.tuple(tie('expression'), operator, tie('expression')).map(([one, sign, other]) => `(${one} ${sign} ${other})`),
    fc.tuple(tie('expression'), fc.nat(2)).map(([target, index]) => `(${target})[${index}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([test, then]) => `iif(${test}, ${then})`),
  ),
}));

const text = fc.oneof(
  expression.map((inner) => `{{ ${inner} }}`),
  expression.map((inner) => `{{+ ${inner} +}}`),
  expression.map((inner) => `{[ ${inner} ]}`),
  fc.tuple(expression, expression).map(([one, other]) => `<{{ ${one} }}|{{+ ${other} +}}>`),
  fc.constantFrom('constant', '', 'x y'),
);

/** All blocks, right and wrong: what is refused when it is loaded is as good an end as any. */
const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.constantFrom(null, true, false, 0, 1.5),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('k', 'l', 'm'), tie('node'), { maxKeys: 3 }),
    fc.tuple(name, expression, tie('node')).map(([item, list, body]) => ({ [`{% for ${item} in ${list} %}`]: body })),
    fc
      .tuple(name, expression, tie('node'))
      .map(([item, list, body]) => ({ [`{% for n, ${item} in ${list} %}`]: body })),
    fc.tuple(expression, tie('node')).map(([list, body]) => ({ [`{{ ${list} }}`]: body })),
    fc.tuple(expression, tie('node'), tie('node')).map(([test, then, otherwise]) => ({
      [`{% if ${test} %}`]: then,
      '{% else %}': otherwise,
    })),
    fc
      .tuple(expression, tie('node'), tie('node'))
      .map(([test, then, value]) => ({ k: value, [`{% if ${test} %}`]: then })),
    fc
      .tuple(fc.array(tie('node'), { maxLength: 3 }), tie('node'))
      .map(([parts, value]) => ({ k: value, '{% merge %}': parts })),
    fc.tuple(name, tie('node'), name, tie('node'), tie('node')).map(([one, value, other, second, body]) => ({
      '{% assign %}': [{ [one]: value }, { [other]: second }],
      body,
    })),
  ),
}));

const leaf = fc.oneof(
  fc.constantFrom(...ESCAPE_STRINGS, '', 't', '2026-11-21T10:00:00Z', 'Patient/1'),
  fc.constantFrom(null, true, false, 0, 1, -1, 0.1, 1e308, undefined),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(member, fc.constantFrom('id', 'unit', 'code')), tie('value'), { maxKeys: 4 }),
  ),
}));
const input = fc.record({ a: value, b: value, c: value });

function isPure(made: unknown): boolean {
  if (made === undefined || typeof made === 'function') return false;
  if (typeof made !== 'object' || made === null) return typeof made !== 'number' || Number.isFinite(made);
  const children = Object.values(made);
  const isEmpty = children.length === 0;
  const hasListInList = Array.isArray(made) && made.some((item) => Array.isArray(item));
  return !isEmpty && !hasListInList && children.every(isPure);
}

function applied(work: () => MappingResult): unknown {
  try {
    const { value: made } = work();
    if (made !== undefined) expect(isPure(made)).toBe(true);
    return made === undefined ? 'nothing' : JSON.parse(JSON.stringify(made));
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    expect(error.problem.place.line).toBeGreaterThan(0);
    return error.message;
  }
}

describe('any mapping of the language', () => {
  it('ends in data or in a problem with a place, and each time in the same', () => {
    let refused = 0;
    let made = 0;
    fc.assert(
      fc.property(node, input, (tree, variables) => {
        const yaml = stringify(tree, { lineWidth: 0 });
        const { mapping, problems } = loadMapping({ file: 'any.yaml', text: yaml, context: CONTEXT });
        if (!mapping) {
          refused++;
          expect(problems.length).toBeGreaterThan(0);
          return;
        }
        made++;
        const before = JSON.stringify(variables);
        const first = applied(() => mapping.apply({ variables }));
        expect(applied(() => mapping.apply({ variables }))).toEqual(first);
        expect(applied(() => mapping.apply({ variables, wantsLineage: true }))).toEqual(first);
        expect(JSON.stringify(variables)).toBe(before);
      }),
      LIMITED,
    );
    // The grammar is right often enough for this to mean something.
    expect(made).toBeGreaterThan(refused / 4);
  });

  it('each element of a result has one line of lineage, and each line its element', () => {
    fc.assert(
      fc.property(node, input, (tree, variables) => {
        const { mapping } = loadMapping({
          file: 'any.yaml',
          text: stringify(tree, { lineWidth: 0 }),
          context: CONTEXT,
        });
        let result: MappingResult | undefined;
        try {
          result = mapping?.apply({ variables, wantsLineage: true });
        } catch (error) {
          if (!(error instanceof MappingError)) throw error;
        }
        if (!result) return;
        const elements = (result.lineage ?? []).map(({ element }) => element);
        expect(new Set(elements).size).toBe(elements.length);
        for (const path of leavesOf(result.value, '')) {
          const owners = elements.filter((element) => isAtOrBelow(path, element));
          expect(owners).toHaveLength(1);
        }
      }),
      { numRuns: 700 },
    );
  });
});

function leavesOf(made: unknown, path: string): readonly string[] {
  if (made === undefined) return [];
  if (typeof made !== 'object' || made === null) return [path];
  if (Array.isArray(made)) return made.flatMap((item, index) => leavesOf(item, `${path}[${index}]`));
  return Object.entries(made).flatMap(([key, child]) => leavesOf(child, path === '' ? key : `${path}.${key}`));
}

function isAtOrBelow(path: string, element: string): boolean {
  return element === '' || path === element || path.startsWith(`${element}.`) || path.startsWith(`${element}[`);
}

describe('any text as a mapping', () => {
  const mark = fc.constantFrom(
    ...[
      '{{ ',
      ' }}',
      '{[ ',
      ' ]}',
      '{% if ',
      '{% for x in ',
      '{% assign %}',
      '{% merge %}',
      '{% else %}',
      ' %}',
      '"',
      "'",
      ': ',
    ],
    ...['\n', '  ', '- ', '%a', '%x', '.first()', ' = ', '1', 'a', '`', '//', '/*', '\\', '{', '}', '+', '#', '|', '>'],
  );

  it('ends in a mapping or in problems', () => {
    fc.assert(
      fc.property(fc.array(mark, { maxLength: 30 }), input, fc.boolean(), (pieces, variables, isQuoted) => {
        const joined = pieces.join('');
        const written = isQuoted ? `a: ${JSON.stringify(joined)}\n${JSON.stringify(`{${joined}`)}: 1` : joined;
        const { mapping, problems } = loadMapping({ file: 'any.yaml', text: written, context: CONTEXT });
        expect(mapping === undefined).toBe(problems.length > 0);
        for (const { place, message } of problems) {
          expect(place.line * place.column).toBeGreaterThan(0);
          expect(message).not.toBe('');
        }
        if (mapping) applied(() => mapping.apply({ variables }));
      }),
      { numRuns: 3000 },
    );
  });
});
