import { describe, expect, test } from '@jest/globals';
import { aContext, checked } from './checked.ts';

const MISSING = '1:1 this document does not show the AI notice: put %notice first in its text';

function site(document: string): ReturnType<typeof aContext> {
  const { needsNotice: _, ...context } = aContext({ document });
  return context;
}

describe('the AI notice in documents that carry the note', () => {
  const basic = 'resourceType: Basic\ncode: { text: "{{ %note.title }}" }';

  test.each(['composition', 'document-reference', 'differential', 'my-own'])('%s shows it', (document) => {
    expect(checked(basic, site(document))).toEqual([MISSING]);
    expect(checked(basic.replace('%note.title', '%notice & %note.title'), site(document))).toEqual([]);
  });

  test('a document of another name with a Composition carries the note', () => {
    const yaml = `
resourceType: DocumentReference
status: current
content: [ { attachment: { title: "{{ %site.name }}" } } ]
`;
    expect(checked(yaml, site('my-own'))).toEqual([MISSING]);
  });

  test('a document without the note does not need it', () => {
    expect(checked('resourceType: Basic\ncode: { text: "{{ %disease.name }}" }', site('condition'))).toEqual([]);
  });

  test('a name that the mapping gives itself is not the notice', () => {
    const yaml = '"{% assign %}": { notice: mine }\nresourceType: Basic\ncode: { text: "{{ %notice & %note.title }}" }';
    expect(checked(yaml, site('composition'))).toEqual([MISSING]);
  });

  test('the sandbox may leave it out', () => {
    expect(checked(basic, { ...site('composition'), needsNotice: false })).toEqual([]);
  });

  test('the notice is not made of itself', () => {
    expect(checked('"{{ %notice }}"', site('notice'))).toEqual(['1:1 the notice cannot be made of %notice']);
  });
});
