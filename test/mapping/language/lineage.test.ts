// For each element of a result: which line made it, and from what. The console shows it for the question where a word came from.
import { describe, expect, it } from '@jest/globals';
import { compileText, type Variables } from './run-mapping.ts';

const note = {
  title: 'Visit',
  sections: [
    { key: 'PLAN', text: 'rest', tags: ['a', 'b'] },
    { key: 'DATA', text: 'cough', tags: ['c'] },
  ],
};
const patient = { resourceType: 'Patient', id: 'p1', name: [{ family: 'Doe', given: ['Jo', 'Ann'] }] };

/** `element line source, source` of each entry. */
function linesOf(mapping: string, variables: Variables = { note, patient }, isStrict = true): readonly string[] {
  const compiled = compileText(mapping, Object.keys(variables), { isStrict });
  const { lineage = [], value } = compiled.apply({ variables, wantsLineage: true });
  expect(value).toStrictEqual(compiled.apply({ variables }).value);
  return lineage.map(({ element, place, sources }) => `${element} ${place.line} ${sources.join(', ')}`.trim());
}

describe('the line and the sources of each element', () => {
  it.each<[string, string, readonly string[]]>([
    ['a constant has no source', 'a: {b: [1, x]}', ['a.b[0] 1', 'a.b[1] 1']],
    ['a value alone is the result itself', '"{{ %note.title }}"', ['1 %note.title']],
    ['a path', 'a: "{{ %note.title }}"', ['a 1 %note.title']],
    ['the first of many', 'a: "{{ %note.sections.text }}"', ['a 1 %note.sections[0].text']],
    ['an object of the input is one element', 'a: "{{ %patient.name }}"', ['a 1 %patient.name[0]']],
    [
      'all values',
      'a: "{[ %note.sections.tags ]}"',
      ['a[0] 1 %note.sections[0].tags[0]', 'a[1] 1 %note.sections[0].tags[1]', 'a[2] 1 %note.sections[1].tags[0]'],
    ],
    [
      'a text names all that it is made of',
      'a: "{{ %patient.name.family }}, {{ %patient.name.given.last() }}"',
      ['a 1 %patient.name[0].family, %patient.name[0].given[1]'],
    ],
    ['a null that was kept', 'a: "{{+ %note.gone +}}"', ['a 1']],
    ['what fell away has none', 'a: "{{ %note.gone }}"\nb: {}\nc: 1', ['c 3']],
    ['the whole input', 'a: "{{ %context.note.title }}"', ['a 1 %note.title']],
  ])('%s', (_, mapping, lines) => {
    expect(linesOf(mapping)).toEqual(lines);
  });
});

describe('functions', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'that choose: the chosen one',
      `a: "{{ %note.sections.where(key = 'DATA').text }}"`,
      ['a 1 %note.sections[1].text'],
    ],
    [
      'that choose among values',
      `a: "{{ %note.sections.tags.where($this > 'a') }}"`,
      ['a 1 %note.sections[0].tags[1]'],
    ],
    ['by an index', 'a: "{{ %note.sections[1].text }}"', ['a 1 %note.sections[1].text']],
    [
      'by an index that is computed',
      'a: "{{ %note.sections[%note.sections.count() - 1].text }}"',
      ['a 1 %note.sections[1].text'],
    ],
    [
      'that make something: all that they read',
      'a: "{{ %note.sections.text.join(\' \') }}"',
      ['a 1 %note.sections[0].text, %note.sections[1].text'],
    ],
    [
      'that make something of each',
      'a: "{[ %note.sections.select(text.upper()) ]}"',
      ['a[0] 1 %note.sections[0].text', 'a[1] 1 %note.sections[1].text'],
    ],
    ['operators', 'a: "{{ %note.title + %patient.id }}"', ['a 1 %note.title, %patient.id']],
    [
      'unions',
      'a: "{[ %note.title | %note.sections.key ]}"',
      ['a[0] 1 %note.title', 'a[1] 1 %note.sections[0].key', 'a[2] 1 %note.sections[1].key'],
    ],
    ['iif: what it gave', 'a: "{{ iif(%note.title.exists(), %patient.id, %note.title) }}"', ['a 1 %patient.id']],
    ['literals have none', `a: "{{ 'x' }}"`, ['a 1']],
    ['repeat', 'a: "{[ %x.repeat(item).text ]}"', ['a[0] 1 %x.item[0].text', 'a[1] 1 %x.item[0].item[0].text']],
    ['an element of several types', 'a: "{{ %x.value }}"', ['a 1 %x.valueString']],
    ['a name that needs quotes', 'a: "{{ %x.`odd name` }}"', ['a 1 %x.`odd name`']],
  ])('%s', (_, mapping, lines) => {
    const x = { item: [{ text: 'one', item: [{ text: 'two' }] }], valueString: 'v', 'odd name': 1 };
    expect(linesOf(mapping, { note, patient, x })).toEqual(lines);
  });
});

describe('blocks', () => {
  it('each round of a loop has its own item as the source', () => {
    const mapping = `
s:
  "{% for index, section in %note.sections %}":
    at: "{{ %index }}"
    text: "{{ %section.text }}"
    tags: { "{% for tag in %section.tags %}": "{{ %tag }}" }`;
    expect(linesOf(mapping)).toEqual([
      's[0].at 4',
      's[0].text 5 %note.sections[0].text',
      's[0].tags[0] 6 %note.sections[0].tags[0]',
      's[0].tags[1] 6 %note.sections[0].tags[1]',
      's[1].at 4',
      's[1].text 5 %note.sections[1].text',
      's[1].tags[0] 6 %note.sections[1].tags[0]',
    ]);
  });

  it('a loop over filtered items has their positions in the input as sources', () => {
    const mapping = `"{% for s in %note.sections.where(key = 'DATA') %}": { t: "{{ %s.text }}" }`;
    expect(linesOf(mapping)).toEqual(['[0].t 1 %note.sections[1].text']);
  });

  it('a context block has the item of its key as the source', () => {
    expect(linesOf('a: {"{{ %note.sections }}": "{{ text }}"}')).toEqual([
      'a[0] 1 %note.sections[0].text',
      'a[1] 1 %note.sections[1].text',
    ]);
  });

  it('an assigned part has the line that made it and the paths which that line read', () => {
    const mapping = `
"{% assign %}":
  - plan: "{{ %note.sections.where(key = 'PLAN') }}"
  - made: { text: "{{ %plan.text }}", fixed: 1 }
  - tags: "{[ %note.sections.tags ]}"
whole: "{{ %plan }}"
below: "{{ %plan.text }}"
made: "{{ %made }}"
part: "{{ %made.text }}"
tag: "{{ %tags[2] }}"`;
    expect(linesOf(mapping)).toEqual([
      'whole 6 %note.sections[0]',
      'below 7 %note.sections[0].text',
      'made.text 4 %note.sections[0].text',
      'made.fixed 4',
      'part 9 %note.sections[0].text',
      'tag 10 %note.sections[1].tags[0]',
    ]);
  });

  it('items of joined lists have their final positions', () => {
    const mapping = `
- 0
- [[1], []]
- "{[ %note.sections.key ]}"
- "{% for s in %note.sections %}": ["{{ %s.text }}", "{{ %s.gone }}"]`;
    expect(linesOf(mapping)).toEqual([
      '[0] 2',
      '[1] 3',
      '[2] 4 %note.sections[0].key',
      '[3] 4 %note.sections[1].key',
      '[4] 5 %note.sections[0].text',
      '[5] 5 %note.sections[1].text',
    ]);
  });

  it('after merges and ifs, the part that wrote last is the source', () => {
    const mapping = `
a: 1
b: 2
key: x
"{% merge %}":
  - b: "{{ %note.title }}"
  - "{{ %note.sections[1] }}"
"{% if true %}":
  a: "{{ %patient.id }}"
  tags: [z]`;
    expect(linesOf(mapping)).toEqual([
      'a 9 %patient.id',
      'b 6 %note.title',
      'key 7 %note.sections[1].key',
      'text 7 %note.sections[1].text',
      'tags[0] 10',
    ]);
  });

  it('an if alone and an if in a list have the lines of their branches', () => {
    expect(linesOf('a: {"{% if true %}": "{{ %note.title }}"}\nb:\n  - "{% if true %}": [1]')).toEqual([
      'a 1 %note.title',
      'b[0] 3',
    ]);
  });
});

it('bare names of a mapping that is not strict are traced to the input', () => {
  expect(linesOf('{a: "{{ note.title }}", b: "{{ Patient.id }}"}', { ...patient, note }, false)).toEqual([
    'a 1 %note.title',
    'b 1 %id',
  ]);
});

it('a mapping applied without lineage records none', () => {
  expect(compileText('a: 1', []).apply({ variables: {} })).toStrictEqual({ value: { a: 1 }, unmapped: [] });
});

it('thousands of values have their sources, equal ones in their order', () => {
  const list = Array.from({ length: 6000 }, (_, index) => ({ no: index % 2 }));
  const [first, second, ...others] = linesOf('"{[ %list.no.tail() ]}"', { list });
  expect([first, second, others.at(-1)]).toEqual(['[0] 1 %list[1].no', '[1] 1 %list[0].no', '[5998] 1 %list[5999].no']);
});
