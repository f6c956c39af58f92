import { describe, expect, it } from '@jest/globals';
import { checkMapping } from '../../../src/mapping/check/check-mapping.ts';
import { ExpressionError } from '../../../src/mapping/fhirpath/frame.ts';
import { parseExpression } from '../../../src/mapping/fhirpath/parse-expression.ts';
import type { Expression, MappingNode } from '../../../src/mapping/language/mapping-tree.ts';
import { fc } from '../../support/fast-check.ts';
import { aContext } from './checked.ts';

const place = { file: 'mappings/mercy/task.yaml', line: 1, column: 1 };
const key = fc.constantFrom(
  'resourceType', 'status', 'section', 'text', 'title', 'valueString', 'valueQuantity', 'value', '_status', 'contained', 'coding',
  'code', 'system', 'reference', 'entry', 'resource', 'extension', 'toString', 'constructor', '__proto__', 'hasOwnProperty', '',
); // biome-ignore format: one list reads better
const word = fc.constantFrom(
  'Composition', 'Bundle', 'Condition', 'Reference', 'constructor', 'final', 'Patient/1', '#a', '2026-11-21', '', 'note', 'x'.repeat(300),
); // biome-ignore format: one list reads better
const operator = fc.constantFrom(' = ', ' & ', ' + ', ' - ', ' | ', ' in ', ' ~ ', ' < ', ' and ', ' * ');
const call = fc.constantFrom(
  'where', 'select', 'exists', 'all', 'iif', 'code', 'reference', 'percent', 'xhtml', 'join', 'first', 'repeat', 'aggregate',
  'ofType', 'union', 'coalesce', 'instant', 'round',
); // biome-ignore format: one list reads better

const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      '%note',
      '%patient',
      '%codes',
      '%context',
      '%a',
      '$this',
      '{}',
      '%chart',
      "'x'",
      '5',
      'true',
      '@2026-11',
      'key',
    ),
    fc.tuple(tie('text'), key).map(([target, name]) => `${target}.${name === '' ? 'title' : `\`${name}\``}`),
    fc.tuple(tie('text'), call, tie('text')).map(([target, name, arg]) => `${target}.${name}(${arg})`),
    fc.tuple(tie('text'), operator, tie('text')).map(([left, sign, right]) => `(${left}${sign}${right})`),
    fc.tuple(tie('text'), tie('text')).map(([target, index]) => `${target}[${index}]`),
    fc.tuple(tie('text'), fc.constantFrom('is', 'as')).map(([target, sign]) => `(${target} ${sign} Quantity)`),
  ),
}));

const expression = text.map((written): Expression => {
  const parts = { text: written, place, placeAt: (at: number) => ({ ...place, column: at + 1 }) };
  try {
    return { ...parts, node: parseExpression(written) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { ...parts, node: { kind: 'empty', at: 0 } };
  }
});

const { tree } = fc.letrec<{ tree: MappingNode }>((tie) => {
  const node = tie('tree');
  const branch = fc.record(
    // biome-ignore lint/suspicious/noThenProperty: so it is called in the tree
    { condition: expression, then: node, otherwise: node, place: fc.constant(place) },
    { requiredKeys: ['condition', 'then', 'place'] },
  );
  const keys = fc.array(fc.record({ key, keyPlace: fc.constant(place), value: node }), { maxLength: 4 });
  const kind = <K extends MappingNode['kind']>(name: K) => ({ kind: fc.constant(name), place: fc.constant(place) });
  return {
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ ...kind('constant'), value: fc.oneof(word, fc.double(), fc.boolean(), fc.constant(null)) }),
      fc.record({ ...kind('first'), expression, keepsNull: fc.boolean() }),
      fc.record({ ...kind('all'), expression }),
      fc.record({
        ...kind('text'),
        parts: fc.array(fc.oneof(word, fc.record({ expression, keepsNull: fc.boolean() })), { maxLength: 3 }),
      }),
      fc.record({ ...kind('list'), items: fc.array(node, { maxLength: 3 }) }),
      fc.record(
        { ...kind('object'), keys, merge: fc.array(node, { maxLength: 2 }), branch },
        { requiredKeys: ['kind', 'place', 'keys'] },
      ),
      fc.record({ ...kind('branch'), branch }),
      fc.record(
        { ...kind('for'), item: key, index: key, expression, body: node },
        { requiredKeys: ['kind', 'place', 'item', 'expression', 'body'] },
      ),
      fc.record({ ...kind('context'), expression, body: node }),
      fc.record({
        ...kind('assign'),
        assignments: fc.array(fc.record({ name: key, namePlace: fc.constant(place), value: node }), { maxLength: 2 }),
        body: node,
      }),
    ),
  };
});

describe('a mapping of any shape', () => {
  it.each(['task', 'notice', 'composition'])('is checked to the end as %s', (document) => {
    const { needsNotice: _, ...context } = aContext({ document });
    fc.assert(
      fc.property(tree, (node) => {
        for (const { message, place: found } of checkMapping(node, context)) {
          expect(message).not.toMatch(/undefined|\[object|null,|NaN/);
          expect(found.file).toBe(place.file);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('is checked to the end for any context', () => {
    fc.assert(
      fc.property(tree, fc.boolean(), (node, isStrict) => {
        const problems = checkMapping(node, { kind: 'free', variables: ['note', 'constructor'], isStrict });
        expect(checkMapping(node, { kind: 'free', variables: ['note', 'constructor'], isStrict })).toEqual(problems);
      }),
      { numRuns: 200 },
    );
  });
});
