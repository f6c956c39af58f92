// Every rule of the published language, one line each.
import { describe, expect, it } from '@jest/globals';
import { applyText, type Variables } from './run-mapping.ts';

type Case = readonly [rule: string, mapping: string, input: Variables, result: unknown];

const ward = {
  name: 'Ward 7',
  beds: [{ no: 1 }, { no: 2 }, { no: 3 }],
  nobody: [],
  open: true,
  night: false,
  zero: 0,
  note: '',
};

function walk(cases: readonly Case[]): void {
  it.each(cases)('%s', (_, mapping, input, result) => {
    expect(applyText(mapping, input)).toStrictEqual(result);
  });
}

describe('constants are copied to the result', () => {
  walk([
    ['a text', '"bed"', {}, 'bed'],
    ['a number', '4.5', {}, 4.5],
    ['true', 'true', {}, true],
    ['false', 'false', {}, false],
    ['null', 'null', {}, null],
    ['null under a key is kept', 'a: null', {}, { a: null }],
    ['null in a list is kept', '[1, null, 2]', {}, [1, null, 2]],
    ['an empty text, zero and false are kept', '{a: "", b: 0, c: false}', {}, { a: '', b: 0, c: false }],
    ['single braces mean nothing', '"{ %ward } %ward }}"', { ward }, '{ %ward } %ward }}'],
    ['an object of constants', '{a: {b: [1, {c: 2}]}}', {}, { a: { b: [1, { c: 2 }] } }],
  ]);
});

describe('{{ }} is the first value', () => {
  walk([
    ['a text', 'a: "{{ %ward.name }}"', { ward }, { a: 'Ward 7' }],
    ['a number keeps its type', '"{{ %ward.beds[1].no }}"', { ward }, 2],
    ['false keeps its type', '"{{ %ward.night }}"', { ward }, false],
    ['zero and an empty text stay', '["{{ %ward.zero }}", "{{ %ward.note }}"]', { ward }, [0, '']],
    ['the first of many', '"{{ %ward.beds.no }}"', { ward }, 1],
    ['an object, whole', '"{{ %ward.beds }}"', { ward }, { no: 1 }],
    ['nothing takes its key away', '{a: "{{ %ward.nobody }}", b: 1}', { ward }, { b: 1 }],
    ['nothing takes its item away', '["{{ %ward.nobody }}", 1]', { ward }, [1]],
    ['nothing alone is nothing', '"{{ %ward.nobody }}"', { ward }, undefined],
    ['the braces need no white space', '"{{%ward.name}}"', { ward }, 'Ward 7'],
    ['over several lines', 'a: >-\n  {{\n    %ward.beds\n      .where(no = 3)\n      .no\n  }}', { ward }, { a: 3 }],
    ['over several lines in quotes', '"{{\\n%ward.beds.where(\\n$this.no=2\\n).no\\n}}"', { ward }, 2],
    ['braces in a quoted text of it', `"{{ '}}' + '{{ %ward }}' }}"`, { ward }, '}}{{ %ward }}'],
    ['the empty collection', '{a: "{{ {} }}", b: "{{ {}}}", c: 1}', {}, { c: 1 }],
  ]);
});

describe('{{+ +}} keeps null', () => {
  walk([
    ['empty is null', '{a: "{{+ %ward.nobody +}}"}', { ward }, { a: null }],
    ['a value is itself', '{a: "{{+ %ward.name +}}"}', { ward }, { a: 'Ward 7' }],
    ['in a list', '["{{+ %ward.nobody +}}", 1]', { ward }, [null, 1]],
    ['within a text', '{a: "bed {{+ %ward.nobody +}}!"}', { ward }, { a: null }],
    ['a value within a text', '{a: "bed {{+ %ward.beds.last().no +}}!"}', { ward }, { a: 'bed 3!' }],
    ['the first that is empty decides', '{a: "{{ %ward.nobody }}{{+ %ward.nobody +}}", b: 1}', { ward }, { b: 1 }],
  ]);
});

describe('text around expressions', () => {
  walk([
    ['one', '"in {{ %ward.name }}."', { ward }, 'in Ward 7.'],
    ['several', '"/{{ %ward.beds[0].no }}/{{ %ward.beds[1].no }}/{{ %ward.open }}"', { ward }, '/1/2/true'],
    ['side by side', '"{{ %ward.zero }}{{ %ward.zero }}"', { ward }, '00'],
    ['one that is empty takes all of it', '{a: "Patient/{{ %ward.nobody }}", b: 1}', { ward }, { b: 1 }],
    ['an empty text is a value', '"[{{ %ward.note }}]"', { ward }, '[]'],
    ['the same one twice', '"{{ %ward.name }} {{ %ward.name }}"', { ward }, 'Ward 7 Ward 7'],
    ['signs that mean something to a replacement', '"a{{ %cost }}b"', { cost: "$& $1 $'" }, "a$& $1 $'b"],
    ['white space around it is text, too', '" {{ %ward.zero }}"', { ward }, ' 0'],
  ]);
});

describe('{[ ]} is all values', () => {
  walk([
    ['as a list', '"{[ %ward.beds.no ]}"', { ward }, [1, 2, 3]],
    ['one value is a list, too', 'a: "{[ %ward.name ]}"', { ward }, { a: ['Ward 7'] }],
    ['with a line end behind it', 'a: |\n  {[ %ward.beds.no ]}\n', { ward }, { a: [1, 2, 3] }],
    ['none is nothing', '{a: "{[ %ward.nobody ]}", b: 1}', { ward }, { b: 1 }],
    ['in a list its items join the list', '[0, "{[ %ward.beds.no ]}", 4]', { ward }, [0, 1, 2, 3, 4]],
    ['brackets in the expression', '"{[%ward.beds[0]]}"', { ward }, [{ no: 1 }]],
  ]);
});

describe('empty values are left out', () => {
  walk([
    ['an empty object that was written', '{a: {}, b: 1}', {}, { b: 1 }],
    ['an empty list that was written', '{a: [], b: 1}', {}, { b: 1 }],
    ['an object that became empty', '{a: {c: {d: "{{ {} }}"}}, b: 1}', {}, { b: 1 }],
    ['a list that became empty', '{a: ["{{ {} }}", {}, [[]]], b: 1}', {}, { b: 1 }],
    ['all of it', '{a: {b: ["{{ {} }}"]}}', {}, undefined],
    ['an empty object alone', '{}', {}, undefined],
    ['an empty list alone', '[]', {}, undefined],
    ['in what comes from the input', '{a: "{{ %x }}"}', { x: { b: {}, c: [[], {}], d: 1 } }, { a: { d: 1 } }],
    ['an empty object of the input', '{a: "{{ %x }}", b: 1}', { x: { y: {} } }, { b: 1 }],
    [
      'null, zero, false and "" of the input stay',
      '"{{ %x }}"',
      { x: { a: null, b: 0, c: false, d: '' } },
      { a: null, b: 0, c: false, d: '' },
    ],
  ]);
});

describe('lists in lists are flattened', () => {
  walk([
    ['two levels', '[[1, 2, 3], [4, 5, 6]]', {}, [1, 2, 3, 4, 5, 6]],
    ['many levels', '[[[[1]], 2], [[], [[[3]]]]]', {}, [1, 2, 3]],
    ['nulls stay among them', '[[1, null, 2], null]', {}, [1, null, 2, null]],
    ['in objects', '{a: [[1], [2]]}', {}, { a: [1, 2] }],
    ['lists in objects in lists are their own', '[{a: [1]}, {a: [2]}]', {}, [{ a: [1] }, { a: [2] }]],
    ['of the input', '"{{ %x }}"', { x: { a: [[1], [[2, null]], 3] } }, { a: [1, 2, null, 3] }],
  ]);
});

describe('{% assign %} names values', () => {
  walk([
    ['one', '"{% assign %}": {bed: 7}\na: "{{ %bed }}"', {}, { a: 7 }],
    [
      'several, in order',
      '"{% assign %}": [{bed: 7}, {next: "{{ %bed + 1 }}"}]\na: "{{ %bed }}"\nb: "{{ %next }}"',
      {},
      { a: 7, b: 8 },
    ],
    [
      'an object',
      '"{% assign %}": {place: {ward: 7}}\na: "{{ %place.ward }}"\nb: "{{ %place }}"',
      {},
      { a: 7, b: { ward: 7 } },
    ],
    [
      'a list is several items',
      '"{% assign %}": {beds: [1, 2]}\na: "{[ %beds ]}"\nb: "{{ %beds }}"',
      {},
      { a: [1, 2], b: 1 },
    ],
    [
      'an inner one hides an outer one',
      '"{% assign %}": {bed: 1}\nin: {"{% assign %}": {bed: 2}, a: "{{ %bed }}"}\nout: "{{ %bed }}"',
      {},
      { in: { a: 2 }, out: 1 },
    ],
    ['an inner one hides a variable of the input', '"{% assign %}": {ward: 1}\na: "{{ %ward }}"', { ward }, { a: 1 }],
    [
      'its own value still sees the outer one',
      '"{% assign %}": {bed: 1}\nin: {"{% assign %}": {bed: "{{ %bed + 1 }}"}, a: "{{ %bed }}"}',
      {},
      { in: { a: 2 } },
    ],
    [
      'nothing is empty, not unknown',
      '"{% assign %}": [{a: "{{ {} }}"}, {b: "{{ %a }}"}, {c: {}}]\nx: "{{ %b }}"\ny: "{{ %c.exists() }}"',
      {},
      { y: false },
    ],
    [
      'null is empty to an expression',
      '"{% assign %}": {a: null}\nx: "{{ %a }}"\ny: "{{ %a.empty() }}"',
      {},
      { y: true },
    ],
    ['nothing but names makes nothing', '"{% assign %}": {a: 1}', {}, undefined],
    ['an empty list of names', '"{% assign %}": []\na: 1', {}, { a: 1 }],
    ['beside a loop', '"{% assign %}": {l: [1, 2]}\n"{% for x in %l %}": "{{ %x * 2 }}"', {}, [2, 4]],
    ['beside an if', '"{% assign %}": {l: true}\n"{% if %l %}": yes', {}, 'yes'],
    ['beside a context block', '"{% assign %}": {l: {k: 5}}\n"{{ %l }}": "{{ k }}"', {}, [5]],
    ['wherever it stands in its object', 'a: "{{ %bed }}"\n"{% assign %}": {bed: 7}', {}, { a: 7 }],
    [
      'with a block as value',
      `"{% assign %}":\n  - l: {"{% for b in %ward.beds %}": "{{ %b.no + 10 }}"}\n  - k: {"{% if %l.count() = 3 %}": three, "{% else %}": other}\na: "{[ %l ]}"\nb: "{{ %k }}"`,
      { ward },
      { a: [11, 12, 13], b: 'three' },
    ],
    [
      'with names of its own in a value',
      '"{% assign %}": [{a: {"{% assign %}": [{x: 100}], y: "{{ %x }}"}}, {b: "{{ %a.y + 1 }}"}]\nr: "{{ %b }}"',
      {},
      { r: 101 },
    ],
    ['white space in the braces is free', '"{%assign%}": {a: 1}\nb: "{{ %a }}"', {}, { b: 1 }],
  ]);
});

describe('{% if %} and {% else %}', () => {
  const isNight = '"{% if %ward.night %}"';
  const isOpen = '"{% if %ward.open %}"';
  walk([
    ['the branch is the value', `a: {${isOpen}: {b: 1}}`, { ward }, { a: { b: 1 } }],
    ['at the top', `${isOpen}: {b: 1}\n"{% else %}": {b: 2}`, { ward }, { b: 1 }],
    [
      'of any type',
      `a: {${isOpen}: [1, 2]}\nb: {${isOpen}: text}\nc: {${isOpen}: null}`,
      { ward },
      { a: [1, 2], b: 'text', c: null },
    ],
    ['else', `a: {${isNight}: 1, "{% else %}": 2}`, { ward }, { a: 2 }],
    ['without an else nothing', `a: {${isNight}: 1}\nb: 3`, { ward }, { b: 3 }],
    ['empty is false', 'a: {"{% if %ward.nobody %}": 1, "{% else %}": 2}', { ward }, { a: 2 }],
    [
      'any single value is true',
      'a: {"{% if %ward.name %}": 1, "{% else %}": 2}\nb: {"{% if %ward.zero %}": 1}',
      { ward },
      { a: 1, b: 1 },
    ],
    ['an else of null', `a: {${isNight}: 1, "{% else %}": "{{+ {} +}}"}`, { ward }, { a: null }],
    ['an if in an if', `a: {${isOpen}: {${isOpen}: x}}`, { ward }, { a: 'x' }],
    ['an else in an else', `a: {${isNight}: 1, "{% else %}": {${isNight}: 2, "{% else %}": 3}}`, { ward }, { a: 3 }],
    ['in a list', `- {${isOpen}: 1}\n- {${isNight}: 2}\n- {${isOpen}: [3, 4]}`, { ward }, [1, 3, 4]],
    ['beside keys it adds its own', `a: 1\n${isOpen}: {b: 2}`, { ward }, { a: 1, b: 2 }],
    ['beside keys the else adds its own', `a: 1\n${isNight}: {b: 2}\n"{% else %}": {b: 3}`, { ward }, { a: 1, b: 3 }],
    ['over those that stand there', `a: 1\n${isOpen}: {a: 2, b: null}\nb: 5`, { ward }, { a: 2, b: null }],
    ['what is nothing in it covers nothing', `a: 1\n${isOpen}: {a: "{{ {} }}", b: 2}`, { ward }, { a: 1, b: 2 }],
    ['beside keys null adds nothing', `a: 1\n${isOpen}: null`, { ward }, { a: 1 }],
    ['beside keys nothing adds nothing', `a: 1\n${isOpen}: "{{ {} }}"`, { ward }, { a: 1 }],
    ['beside keys an empty list is nothing', `a: 1\n${isOpen}: []`, { ward }, { a: 1 }],
    ['beside keys that are nothing', `a: {}\n${isOpen}: {b: 1}`, { ward }, { b: 1 }],
    [
      'a branch with names of its own',
      `${isOpen}: {"{% assign %}": {x: 1}, b: "{{ %x }}"}\na: 2`,
      { ward },
      { a: 2, b: 1 },
    ],
    [
      'a branch that is a loop',
      `a: {${isOpen}: {"{% for b in %ward.beds %}": "{{ %b.no }}"}}`,
      { ward },
      { a: [1, 2, 3] },
    ],
    ['white space in the braces is free', '"{%if %ward.open%}": 1\n"{%else%}": 2', { ward }, 1],
    ['its end sign in a quoted text', `"{% if %ward.name = '%}' %}": 1\n"{% else %}": 2`, { ward }, 2],
  ]);
});

describe('{% for %} makes a list', () => {
  walk([
    [
      'once for each item',
      'a: {"{% for b in %ward.beds %}": {n: "{{ %b.no }}"}}',
      { ward },
      { a: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    ],
    [
      'with its index, from 0',
      '{"{% for i, b in %ward.beds %}": "{{ %i }}:{{ %b.no }}"}',
      { ward },
      ['0:1', '1:2', '2:3'],
    ],
    [
      'in a list its items join the list',
      `- 0\n- {"{% for b in %ward.beds %}": "{{ %b.no }}"}\n- {"{% for b in %ward.beds %}": "{{ %b.no }}"}`,
      { ward },
      [0, 1, 2, 3, 1, 2, 3],
    ],
    ['over nothing it is nothing', '{a: {"{% for b in %ward.nobody %}": 1}, b: 2}', { ward }, { b: 2 }],
    ['over one item', '{"{% for b in %ward %}": "{{ %b.name }}"}', { ward }, ['Ward 7']],
    [
      'items that make nothing fall away',
      '{"{% for b in %ward.beds %}": "{{ %b.where(no > 1).no }}"}',
      { ward },
      [2, 3],
    ],
    [
      'lists that it makes are flattened',
      '{"{% for b in %ward.beds %}": ["{{ %b.no }}", 0]}',
      { ward },
      [1, 0, 2, 0, 3, 0],
    ],
    [
      'over a list that was assigned',
      '"{% assign %}": {l: [{k: a}, {k: b}]}\nr: [{"{% for x in %l %}": {k: "{{ %x.k }}"}}]',
      {},
      { r: [{ k: 'a' }, { k: 'b' }] },
    ],
    ['over a union of two lists', '"{% for x in %a | %b %}": "{{ %x }}"', { a: [1, 2], b: [2, 3] }, [1, 2, 3]],
    [
      'in a loop',
      '{"{% for i, x in %a %}": {"{% for j, y in %a %}": "{{ %i }}{{ %j }}{{ %x }}{{ %y }}"}}',
      { a: ['p', 'q'] },
      ['00pp', '01pq', '10qp', '11qq'],
    ],
    [
      'an inner name hides the outer one',
      '{"{% for x in %a %}": {o: "{{ %x }}", l: {"{% for x in %b %}": "{{ %x }}"}, p: "{{ %x }}"}}',
      { a: [1], b: [2] },
      [{ o: 1, l: [2], p: 1 }],
    ],
    ['a body of constants', '{"{% for x in %a %}": {k: v}}', { a: [1, 2] }, [{ k: 'v' }, { k: 'v' }]],
    [
      'names assigned in its body',
      '{"{% for x in %a %}": {"{% assign %}": {y: "{{ %x * 2 }}"}, k: "{{ %y }}"}}',
      { a: [1, 2] },
      [{ k: 2 }, { k: 4 }],
    ],
    [
      'nothing assigned in one round is empty in it',
      '{"{% for x in %a %}": {"{% assign %}": {y: "{{ %x.where($this > 1) }}"}, k: "{{ %x }}", y: "{{ %y }}"}}',
      { a: [2, 1] },
      [{ k: 2, y: 2 }, { k: 1 }],
    ],
  ]);
});

describe('{% merge %} puts objects together', () => {
  walk([
    ['a list of objects', '"{% merge %}": [{a: 1}, {b: 2}, {a: 3}]', {}, { a: 3, b: 2 }],
    ['one object', 'b: 1\n"{% merge %}": {a: 1}', {}, { b: 1, a: 1 }],
    ['over the keys beside it', 'a: 1\nb: 1\n"{% merge %}": {a: 2}', {}, { a: 2, b: 1 }],
    ['a key that is covered is not made at all', 'a: "{{ %x + 1 }}"\n"{% merge %}": {a: 2}', { x: 'one' }, { a: 2 }],
    ['a covered key keeps its place', 'a: 1\nb: 1\n"{% merge %}": {a: 2, c: 3}', {}, { a: 2, b: 1, c: 3 }],
    ['null is skipped', '"{% merge %}": [{a: 1}, null, {b: 2}]', {}, { a: 1, b: 2 }],
    ['nothing is skipped', '"{% merge %}": [{a: 1}, "{{ {} }}", {}, {b: 2}]', {}, { a: 1, b: 2 }],
    ['an object of the input', '"{% merge %}": ["{{ %x }}", {b: 3}]', { x: { a: 1, b: 2 } }, { a: 1, b: 3 }],
    ['a null in it covers', 'a: 1\n"{% merge %}": {a: null}', {}, { a: null }],
    ['nothing at all', '"{% merge %}": []', {}, undefined],
    ['ifs in it', '"{% merge %}": [{"{% if true %}": {a: 1}}, {"{% if false %}": {b: 2}}]', {}, { a: 1 }],
    [
      'before an if in the same object',
      'a: 1\n"{% merge %}": {a: 2, b: 2}\n"{% if true %}": {b: 3}',
      {},
      { a: 2, b: 3 },
    ],
    ['with names', '"{% assign %}": {x: 5}\n"{% merge %}": [{a: "{{ %x }}"}]', {}, { a: 5 }],
  ]);
});

describe('{{ }} as a key is a context', () => {
  const input = { ward, root: { hospital: 'General' } };
  walk([
    [
      'names without % read its items',
      'a: {"{{ %ward.beds }}": {n: "{{ no }}", h: "{{ %root.hospital }}"}}',
      { ...input, ward: { beds: [{ no: 1 }, { no: 2 }] } },
      {
        a: [
          { n: 1, h: 'General' },
          { n: 2, h: 'General' },
        ],
      },
    ],
    ['one item is a list, too', '{"{{ %ward }}": "{{ name }}"}', input, ['Ward 7']],
    ['nothing is nothing', '{a: {"{{ %ward.nobody }}": 1}, b: 2}', input, { b: 2 }],
    ['$this is the item', '{"{{ %ward.beds.no }}": "{{ $this + 1 }}"}', input, [2, 3, 4]],
    ['in a context', '{"{{ %ward }}": {"{{ beds }}": "{{ no }}"}}', input, [1, 2, 3]],
    [
      'after it the outer one holds again',
      '{"{{ %ward }}": [{"{{ beds }}": "{{ no }}"}, "{{ name }}"]}',
      input,
      [1, 2, 3, 'Ward 7'],
    ],
    [
      'loops, ifs and names in it read its item',
      '{"{{ %ward }}": {"{% assign %}": {n: "{{ name }}"}, "{% if open %}": {o: "{{ %n }}"}, l: {"{% for b in beds %}": "{{ %b.no }}"}}}',
      input,
      [{ l: [1, 2, 3], o: 'Ward 7' }],
    ],
    ['%context is still the whole input', '{"{{ %ward }}": "{{ %context.root.hospital }}"}', input, ['General']],
  ]);
});

describe('what a name means', () => {
  walk([
    ['%context is the whole input', '"{{ %context.ward.name }}"', { ward }, 'Ward 7'],
    ["a function's argument reads its item", '"{{ %ward.beds.where(no = 2).no }}"', { ward }, 2],
    [
      'a variable without a value is empty',
      '{a: "{{ %gone.exists() }}", b: "{{ %gone }}"}',
      { gone: undefined },
      { a: false },
    ],
    ['null is empty', '{a: "{{ %gone.exists() }}", b: "{{ %gone }}"}', { gone: null }, { a: false }],
  ]);

  it.each([
    ['a bare name at the top', '{a: "{{ ward.name }}"}', '1:9: ward is not known here; did you mean %ward?'],
    ['an unknown variable', '{a: "x {{ %wart.name }}"}', '1:11: %wart is not known here'],
    ['a bare name in a condition', '{"{% if ward.open %}": 1}', '1:9: ward is not known here; did you mean %ward?'],
    [
      'a name outside of its object',
      '{a: {"{% assign %}": {x: 1}, b: 1}, c: "{{ %x }}"}',
      '1:44: %x is not known here',
    ],
    ['a name before it is assigned', '{"{% assign %}": [{a: "{{ %b }}"}, {b: 1}], c: 1}', '1:27: %b is not known here'],
    ["a loop's item after the loop", '[{"{% for x in %ward.beds %}": 1}, "{{ %x }}"]', '1:40: %x is not known here'],
  ])('%s is an error, not silence', (_, mapping, message) => {
    expect(() => applyText(mapping, { ward })).toThrow(`mapping.yaml:${message}`);
  });

  it('in a mapping that is not strict, bare names read the input, also by its type', () => {
    const input = { resourceType: 'Encounter', status: 'finished', location: [{ bed: 4 }], id: 'e' };
    const mapping = `
      state: "{{ status }}"
      id: "{{ Encounter.id }}"
      beds: {"{% for l in location %}": "{{ %l.bed }}"}
      list: {"{{ location }}": {bed: "{{ bed }}", of: "{{ %context.id }}"}}
      "{% if status = 'finished' %}": {done: "{{ 'is ' + status }}"}`;
    expect(applyText(mapping, input, { isStrict: false })).toStrictEqual({
      state: 'finished',
      id: 'e',
      beds: [4],
      list: [{ bed: 4, of: 'e' }],
      done: 'is finished',
    });
  });
});
