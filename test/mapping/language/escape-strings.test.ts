// No text of the input is ever an instruction: wherever it comes in, it goes out as it was.
import { describe, expect, it } from '@jest/globals';
import { ESCAPE_STRINGS } from './escape-strings.ts';
import { applyText, compileText } from './run-mapping.ts';

const MAPPING = `
first: "{{ %text }}"
null kept: "{{+ %text +}}"
all: "{[ %texts ]}"
within: "<{{ %text }}|{{ %text }}>"
sum: "{{ %text + %text }}"
whole: "{{ %object }}"
under a key: "{{ %object.where(key = %text).key }}"
"{% assign %}":
  - assigned: "{{ %text }}"
  - made: { of: "{{ %text }}", in: ["{{ %object }}"] }
assigned: "{{ %assigned }}"
again: "{{ %made }}"
for: { "{% for one in %texts %}": { one: "{{ %one }}" } }
context: { "{{ %object }}": "{{ key }}" }
if: { "{% if %text = %object.key %}": "{{ %text }}", "{% else %}": other }
merged: { a: 1, "{% merge %}": ["{{ %object }}", { b: "{{ %text }}" }] }
beside: { a: 1, "{% if true %}": "{{ %object }}" }
`;

it('there are sixty different hostile strings', () => {
  expect(new Set(ESCAPE_STRINGS).size).toBe(60);
});

describe('in every place where input can go', () => {
  const mapping = compileText(MAPPING, ['text', 'texts', 'object', 'secret']);

  it.each(ESCAPE_STRINGS.map((text) => [text]))('%s', (text) => {
    const object = { key: text, list: [text, text] };
    const variables = { text, texts: [text, text], object, secret: 'the secret' };
    const { value } = mapping.apply({ variables });
    expect(value).toStrictEqual({
      first: text,
      'null kept': text,
      all: [text, text],
      within: `<${text}|${text}>`,
      sum: text + text,
      whole: object,
      'under a key': text,
      assigned: text,
      again: { of: text, in: [object] },
      for: [{ one: text }, { one: text }],
      context: [text],
      if: text,
      merged: { a: 1, ...object, b: text },
      beside: { a: 1, ...object },
    });
    expect(mapping.apply({ variables, wantsLineage: true }).value).toStrictEqual(value);
  });
});

describe('as a key of the input', () => {
  it.each(ESCAPE_STRINGS.filter((text) => text !== '__proto__').map((text) => [text]))('%s', (text) => {
    const object = { [text]: { inner: 'x', none: [] } };
    expect(applyText('{a: "{{ %object }}", b: {c: 1, "{% merge %}": "{{ %object }}"}}', { object })).toEqual({
      a: { [text]: { inner: 'x' } },
      b: { c: 1, [text]: { inner: 'x' } },
    });
  });

  it('__proto__ reaches no prototype', () => {
    const object = JSON.parse('{"__proto__": {"polluted": true}, "kept": 1}');
    const value = applyText('{a: "{{ %object }}", b: {c: 1, "{% merge %}": "{{ %object }}"}}', { object });
    expect(JSON.stringify(value)).toBe('{"a":{"kept":1},"b":{"c":1,"kept":1}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect((value as { a: { polluted?: unknown } }).a.polluted).toBeUndefined();
  });

  it('inherited members of objects are not read', () => {
    const mapping = '{a: "{{ %object.constructor }}", b: "{{ %object.toString }}", c: "{{ %object.__proto__ }}", d: 1}';
    expect(applyText(mapping, { object: { own: 1 } })).toStrictEqual({ d: 1 });
  });
});
