// Texts of a mapping that were meant as expressions: they must not go into the chart as they are written.
import { describe, expect, it } from '@jest/globals';
import { checked } from './checked.ts';

function said(text: string, before = ''): readonly string[] {
  return checked(`resourceType: Basic\n${before}code: { text: ${text} }`);
}

describe('a text that should have been an expression', () => {
  it.each([
    ['"%notice"', ['2:16 %notice is only read inside {{ … }}']],
    ['"{ %notice }"', ['2:18 %notice is only read inside {{ … }}']],
    ["'it''s %note.title'", ['2:22 %note is only read inside {{ … }}']],
    ['"\\u00e9 %context"', ['2:23 %context is only read inside {{ … }}']],
    ['"%loinc"', ['2:16 %loinc is only read inside {{ … }}']],
    [
      '"{{ %site.name }} of %notice, %run"',
      ['2:36 %notice is only read inside {{ … }}', '2:45 %run is only read inside {{ … }}'],
    ],
    ['"{{ %site.name }}}}"', ['2:32 there is a }} too many']],
    ['"a }} {{+ %site.name +}} b }}"', ['2:18 there is a }} too many', '2:42 there is a }} too many']],
    ['"{{ %site.name }} %}"', ['2:33 there is a %} too many']],
    ['"x {% if true %}"', ['2:18 a block such as {% if … %} is a key, not a part of a text']],
  ])('%s is reported', (text, problems) => expect(said(text)).toEqual(problems));

  it('names that the mapping gives itself count where they are known', () => {
    const assign = '"{% assign %}": { head: a }\n';
    expect(said('"%head"', assign)).toEqual(['3:16 %head is only read inside {{ … }}']);
    expect(said('"%head"')).toEqual([]);
    const loop = 'identifier: { "{% for line in %note.sections %}": { value: "%line" } }\n';
    expect(said('"%line"', loop)).toEqual(['2:61 %line is only read inside {{ … }}']);
  });

  it.each([
    '"100 %"',
    '"50%off, 5 %note, %noteworthy, 100%"',
    '"{ a } and { b: { c: 1 } }"',
    '\'{"a": {"b": "{{ %site.name }}"}}\'',
    '"http://example.org/%ab%20c"',
    '"} {"',
  ])('%s is a text', (text) => {
    const before = text.includes('%ab') ? '"{% assign %}": { ab: 1 }\n' : '';
    expect(said(text.replace('5 %note,', '5 % note,'), before)).toEqual([]);
  });

  it('where members are not known, a text is what it is', () => {
    const free = { kind: 'free', variables: ['note'], isStrict: true } as const;
    expect(checked('a: "%note }} {{ %note }}}} {% if %}"', free)).toEqual([]);
  });
});
