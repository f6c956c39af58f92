import { describe, expect, it } from '@jest/globals';
import { loadMapping } from '../../../src/mapping/load-mapping.ts';
import { aContext, checked } from './checked.ts';

const MISSING = '1:1 this document does not show the AI notice: put %notice first in its text';

function site(document: string): ReturnType<typeof aContext> {
  const { needsNotice: _, ...context } = aContext({ document });
  return context;
}

describe('the AI notice in documents that carry the note', () => {
  const basic = 'resourceType: Basic\ncode: { text: "{{ %note.title }}" }';

  it.each(['composition', 'document-reference', 'differential', 'my-own'])('%s shows it', (document) => {
    expect(checked(basic, site(document))).toEqual([MISSING]);
    expect(checked(basic.replace('%note.title', '%notice & %note.title'), site(document))).toEqual([]);
  });

  it('a document of another name with a Composition carries the note', () => {
    const yaml = `
resourceType: DocumentReference
status: current
content: [ { attachment: { title: "{{ %site.name }}" } } ]
`;
    expect(checked(yaml, site('my-own'))).toEqual([MISSING]);
  });

  it.each(['%note.title', '%transcript.text'])('a document that says %s shows it, whatever its name', (read) => {
    const yaml = `resourceType: Basic\ncode: { text: "{{ ${read} }}" }`;
    expect(checked(yaml, site('condition'))).toEqual([MISSING]);
    expect(checked(yaml.replace('{{ ', '{{ %notice & '), site('condition'))).toEqual([]);
  });

  it.each(['%disease.name', '%diagnosis.diseases.name.first()', '%triage.triage_level'])(
    'a document that says %s may have no text of its own, and what it has is looked at when it is made',
    (expression) => {
      expect(checked(`resourceType: Basic\ncode: { text: "{{ ${expression} }}" }`, site('visit'))).toEqual([]);
    },
  );

  it.each(['device', 'provenance', 'task'])('%s reads what was written, and does not say it', (document) => {
    expect(checked('resourceType: Basic\ncode: { text: "{{ %triage.triage_level }}" }', site(document))).toEqual([]);
  });

  it('a document without anything that the AI wrote does not need it', () => {
    expect(checked('resourceType: Basic\ncode: { text: "{{ %site.name }}" }', site('condition'))).toEqual([]);
  });

  it.each([
    ['in a name that is never read', '"{% assign %}": { head: "{{ %notice }}" }', '%note.title', [MISSING]],
    [
      'in a name that is read only by another name that is never read',
      '"{% assign %}": [ { a: "{{ %notice }}" }, { b: "{{ %a }}" } ]',
      '%note.title',
      [MISSING],
    ],
    ['in a condition', '"{% if %notice.exists() %}": { language: en }', '%note.title', [MISSING]],
    ['in a name that is read', '"{% assign %}": { head: "{{ %notice }}" }', '%head & %note.title', []],
    [
      'in a name that is read through another',
      '"{% assign %}": [ { a: "{{ %notice }}" }, { b: "x {{ %a }}" } ]',
      '%b & %note.title',
      [],
    ],
    ['as a member of the whole input', 'language: en', '%context.notice & %note.title', []],
  ])('a notice %s', (_, line, read, problems) => {
    const yaml = `${line}\nresourceType: Basic\ncode: { text: "{{ ${read} }}" }`;
    expect(checked(yaml, site('composition'))).toEqual(problems);
  });

  it('the item of a loop shows it where the item is read', () => {
    const yaml = (read: string) =>
      `resourceType: Basic\ncode: { text: "{{ %note.title }}" }\nidentifier: { "{% for n in %notice %}": { value: "${read}" } }`;
    expect(checked(yaml('{{ %n }}'), site('composition'))).toEqual([]);
    expect(checked(yaml('x'), site('composition'))).toEqual([MISSING]);
  });

  it.each([
    ['"{{ %notce & %note.title }}"', '2:19 %notce is not known here; did you mean %notice?'],
    ['"{{ notice & %note.title }}"', '2:19 notice is not known here; did you mean %notice?'],
    ['"{{ %context.notce & %note.title }}"', '2:19 %context.notce is not known here; did you mean %context.notice?'],
    ['"%notice {{ %note.title }}"', '2:16 %notice is only read inside {{ … }}'],
  ])('only the mistake itself is reported in %s', (text, problem) => {
    expect(checked(`resourceType: Basic\ncode: { text: ${text} }`, site('composition'))).toEqual([problem]);
  });

  it('a part that could not be parsed may be the one that shows it', () => {
    const text = 'resourceType: Basic\ncode: { text: "{{ %notice && %note.title }}" }';
    const { problems } = loadMapping({ file: 'composition.yaml', text, context: site('composition') });
    expect(problems.map(({ message }) => message)).toEqual(['&& cannot stand here: write and, or one & to join texts']);
  });

  it('an assigned name is not the notice', () => {
    const yaml = '"{% assign %}": { notice: mine }\nresourceType: Basic\ncode: { text: "{{ %notice & %note.title }}" }';
    expect(checked(yaml, site('composition'))).toEqual([MISSING]);
  });

  it('the sandbox may leave it out', () => {
    expect(checked(basic, { ...site('composition'), needsNotice: false })).toEqual([]);
  });

  it('the notice document must not read %notice', () => {
    expect(checked('"{{ %notice }}"', site('notice'))).toEqual(['1:1 the notice cannot be made of %notice']);
  });
});
