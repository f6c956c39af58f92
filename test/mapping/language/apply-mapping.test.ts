// The promises of a compiled mapping: the same result each time, also if applied in between, within a budget, and nothing that JSON does not
// have.
import { describe, expect, it } from '@jest/globals';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import { applyText, compileText, failureOf } from './run-mapping.ts';

describe('applications do not disturb each other', () => {
  const MAPPING = `
"{% assign %}": {all: "{[ %list ]}"}
rows:
  "{% for index, row in %all %}":
    "{% assign %}": {double: "{{ %row.n * 2 }}"}
    at: "{{ %index }}"
    inner: "{{ %row.inner }}"
    double: "{{ %double }}"
items: {"{{ %list }}": "{{ n }}"}
`;
  const expected = (numbers: readonly number[]) => ({
    rows: numbers.map((n, at) => ({ at, double: n * 2 })),
    items: numbers,
  });

  it('an application that begins during another one has its own result', () => {
    const mapping = compileText(MAPPING, ['list']);
    const inner: unknown[] = [];
    // The outer application reads this while it is in the middle of its loop.
    const list = [1, 2, 3].map((n) => ({
      n,
      get inner() {
        inner.push(mapping.apply({ variables: { list: [{ n: n * 10 }, { n: 7 }] } }).value);
        return undefined;
      },
    }));
    expect(mapping.apply({ variables: { list } }).value).toStrictEqual(expected([1, 2, 3]));
    expect(inner).toStrictEqual([expected([10, 7]), expected([20, 7]), expected([30, 7])]);
  });

  it('applications in sequence have the same result, with and without lineage, and after a failed one', () => {
    const mapping = compileText(MAPPING, ['list']);
    const list = [{ n: 1 }, { n: 2 }];
    expect(mapping.apply({ variables: { list } }).value).toStrictEqual(expected([1, 2]));
    expect(failureOf(() => mapping.apply({ variables: { list: [{ n: 'one' }] } }))).toContain('5:41: *');
    expect(mapping.apply({ variables: { list }, wantsLineage: true }).value).toStrictEqual(expected([1, 2]));
    expect(mapping.apply({ variables: {} }).value).toBeUndefined();
    expect(mapping.apply({ variables: { list } }).value).toStrictEqual(expected([1, 2]));
  });

  it('a change to a result does not reach the next result', () => {
    const mapping = compileText('{a: {b: [1, 2]}, d: {e: 1}, c: "{{ %x }}"}', ['x']);
    const first = mapping.apply({ variables: { x: 1 } }).value as { a: { b: number[] }; d: object };
    first.a.b.push(3);
    Object.assign(first.a, { more: 1 });
    expect(() => Object.assign(first.d, { more: 1 })).toThrow(TypeError);
    expect(mapping.apply({ variables: { x: 1 } }).value).toStrictEqual({ a: { b: [1, 2] }, d: { e: 1 }, c: 1 });
  });

  it('the input is not changed', () => {
    const x = Object.freeze({ a: Object.freeze([[1], {}, null]), b: Object.freeze({ c: '' }) });
    expect(applyText('{a: "{{ %x }}", b: "{[ %x.a ]}", c: {"{% merge %}": "{{ %x }}"}}', { x })).toStrictEqual({
      a: { a: [1, null], b: { c: '' } },
      b: [1],
      c: { a: [1, null], b: { c: '' } },
    });
  });
});

describe('a result holds JSON only', () => {
  it.each<[string, unknown, unknown]>([
    ['undefined', { a: undefined, b: 1 }, { b: 1 }],
    ['undefined in lists', { a: [undefined, 1, undefined] }, { a: [1] }],
    ['a list with holes', { a: new Array(3), b: 1 }, { b: 1 }],
    ['functions and symbols', { a: () => 1, b: Symbol('x'), c: 1 }, { c: 1 }],
    ['a function that JSON would call', { toJSON: () => 'x', c: 1 }, { c: 1 }],
    ['big numbers of JavaScript', { a: 10n, c: 1 }, { c: 1 }],
  ])('%s', (_, x, value) => {
    expect(applyText('a: "{{ %x }}"', { x })).toStrictEqual({ a: value });
  });

  it('a number that JSON cannot hold stops the mapping', () => {
    expect(failureOf(() => applyText('a: "{{ %x.n }}"', { x: { n: Number.NaN } }))).toBe(
      '1:8: this gives a number that is too large',
    );
  });
});

describe('the budget', () => {
  const SIX =
    '"{% for a in %l %}": {"{% for b in %l %}": {"{% for c in %l %}": {"{% for d in %l %}": {k: "{{ %d }}"}}}}';
  const many = Array.from({ length: 100 }, (_, index) => index);

  it('nested loops end with the budget', () => {
    expect(failureOf(() => applyText(SIX, { l: many }))).toMatch(
      /^1:\d+: this mapping does more than 200,000 steps; is it looping over too much\?$/,
    );
  });

  it('values that double themselves end with the budget', () => {
    const doubling = Array.from(
      { length: 40 },
      (_, index) => `  - v${index + 1}: {a: "{{ %v${index} }}", b: "{{ %v${index} }}"}`,
    );
    const mapping = `"{% assign %}":\n  - v0: {a: 1}\n${doubling.join('\n')}\nr: "{{ %v40 }}"`;
    expect(failureOf(() => applyText(mapping))).toContain('more than 200,000 steps');
  });

  it('texts that double themselves end with the budget', () => {
    const doubling = Array.from({ length: 60 }, (_, index) => `  - v${index + 1}: "{{ %v${index} }}{{ %v${index} }}"`);
    const mapping = `"{% assign %}":\n  - v0: "ab"\n${doubling.join('\n')}\nr: "{{ %v60 }}"`;
    expect(failureOf(() => applyText(mapping))).toMatch(
      /makes more than [\d,]+ characters of text; is it looping over/,
    );
  });

  it('repeated text in the result ends with the budget, be it of the input or of the mapping', () => {
    const limits = { characters: 1_000_000 };
    const ofInput = '{"{% for x in %l %}": "{{ %text }}"}';
    expect(failureOf(() => applyText(ofInput, { l: many, text: 'x'.repeat(20_000) }, { limits }))).toBe(
      '1:27: this result has more than 1,000,000 characters of text; is it looping over too much?',
    );
    const ofMapping = `{"{% for x in %l %}": {a: "${'x'.repeat(20_000)}"}}`;
    expect(failureOf(() => applyText(ofMapping, { l: many }, { limits }))).toContain('this result has more than');
    const named = { ['k'.repeat(20_000)]: 1 };
    expect(failureOf(() => applyText(ofInput, { l: many, text: named }, { limits }))).toContain(
      'this result has more than',
    );
    expect(failureOf(() => applyText(ofInput, { l: many, text: 'x'.repeat(1_000_000) }))).toContain('this result has');
  });

  it('a note of four sections of a megabyte is within it', () => {
    const sections = Array.from({ length: 4 }, () => ({ text: 'x'.repeat(1_000_000) }));
    const mapping = '{"{% for s in %note.sections %}": {div: "<p>{{ %s.text }}</p>"}}';
    expect(applyText(mapping, { note: { sections } })).toHaveLength(4);
  });

  it('the budget can be set, and each application has its own', () => {
    const mapping = compileText('{"{% for x in %l %}": {k: "{{ %x }}"}}', ['l'], { limits: { steps: 50 } });
    expect(failureOf(() => mapping.apply({ variables: { l: many } }))).toBe(
      '1:15: this mapping does more than 50 steps; is it looping over too much?',
    );
    for (let round = 0; round < 5; round++) {
      expect(mapping.apply({ variables: { l: [1, 2, 3] } }).value).toHaveLength(3);
    }
  });

  it('a value that is deeper than 100 levels, or holds itself, is an error', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 98; level++) deep = { a: deep };
    expect(applyText('a: "{{ %x }}"', { x: deep })).toStrictEqual({ a: deep });
    const problem = '1:8: this result is nested deeper than 100 levels';
    expect(failureOf(() => applyText('a: {b: ["{{ %x }}"]}', { x: { a: { a: { a: deep } } } }))).toContain(
      'nested deeper',
    );
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(failureOf(() => applyText('a: "{{ %x }}"', { x: circle }))).toBe(problem);
    const list: unknown[] = [];
    list.push(list, list);
    expect(failureOf(() => applyText('a: "{{ %x.b }}"\nc: "{[ %x.b ]}"', { x: { b: list } }))).toMatch(/nested|lists/);
  });
});

describe('what a mapping reports about itself', () => {
  it.each([
    ['its variables', '{a: "{{ %b.c }}", d: "{[ %e ]}", f: "x {{ %g }}"}', 'b e g'],
    [
      'in conditions, loops and keys',
      '- {"{% if %a %}": "{{ %b }}", "{% else %}": "{{ %c }}"}\n- {"{% for x in %d %}": "{{ %x }} {{ %e }}"}\n- {"{{ %f }}": "{{ $this }}"}',
      'a b c d e f',
    ],
    ['in arguments and operators', `{a: "{{ %b.where(c = %d)[%e] | -(%f) is Quantity }}"}`, 'b d e f'],
    ['in merges and names', '{"{% assign %}": [{a: "{{ %b }}"}], "{% merge %}": ["{{ %a.where(x = %c) }}"]}', 'b c'],
    ['not those that it names itself', '{"{% assign %}": [{note: {x: 1}}], a: "{{ %note.x }}"}', ''],
    ['but those that it names later', '[{"{% assign %}": [{note: "{{ %note }}"}], a: "{{ %note }}"}]', 'note'],
    ['through %context', '{a: "{{ %context.disease.name }}"}', 'context disease'],
  ])('%s', (_, mapping, reads) => {
    const { file, reads: found } = compileText(mapping, [...'bcdefg', 'a', 'note', 'disease']);
    expect([...found].sort().join(' ')).toBe(reads);
    expect(file).toBe('mapping.yaml');
  });

  it('a code that is missing in a table is reported with the line that looked it up', () => {
    const sections: CodeTable = {
      name: 'sections',
      system: 'urn:s',
      unmapped: 'report',
      codes: { PLAN: { code: 'p' } },
    };
    const mapping = compileText(
      'a:\n  - "{{ \'PLAN\'.code(%codes.sections) }}"\n  - "{{ \'NONE\'.code(%codes.sections) }}"',
      ['codes'],
    );
    const plain = mapping.apply({ variables: { codes: { sections } } });
    expect(plain.value).toEqual({ a: [{ system: 'urn:s', code: 'p' }] });
    expect(plain.unmapped).toEqual([
      { table: 'sections', code: 'NONE', place: { file: 'mapping.yaml', line: 3, column: 9 } },
    ]);
    expect(mapping.apply({ variables: { codes: { sections } }, wantsLineage: true }).unmapped).toEqual(plain.unmapped);
  });
});
