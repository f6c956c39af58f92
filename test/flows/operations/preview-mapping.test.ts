import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { previewMapping } from '../../../src/flows/operations/preview-mapping.ts';
import { aMapping, aSite } from '../../support/chart-facts.ts';

const NOTICE = 'Drafted by AI.';
const document = (resourceType: string) =>
  aMapping(() => ({ resourceType, text: { div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>${NOTICE}</p></div>` } }));
const site = aSite({
  write: { note: ['composition'], diagnosis: [], provenance: false },
  mappings: {
    notice: aMapping(() => NOTICE),
    composition: document('Composition'),
    letter: document('DocumentReference'),
  },
});
const NOTE = { note: { title: 'T', sections: [] } };
const namesOf = (documents: readonly { readonly document: string }[]) => documents.map((made) => made.document);

describe('what a site would make', () => {
  test('is all that it writes', () => {
    const { documents, all, notice } = previewMapping({ site, input: NOTE });
    expect([namesOf(documents), namesOf(all), notice]).toEqual([['composition'], ['composition'], NOTICE]);
  });

  test('is one document where that is asked for, with the others beside it', () => {
    const { documents, all } = previewMapping({ site, input: NOTE, document: 'letter' });
    expect(namesOf(documents)).toEqual(['letter']);
    expect(namesOf(all).toSorted()).toEqual(['composition', 'letter']);
  });

  test('is no document where the notice is asked for, which is a text', () => {
    const { documents, notice } = previewMapping({ site, input: NOTE, document: 'notice' });
    expect([namesOf(documents), notice]).toEqual([[], NOTICE]);
  });

  test('facts that cannot be used are one error, which says what was meant', () => {
    try {
      previewMapping({ site, input: { note: { titel: 'T', sections: [] } } });
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      expect([thrown.code, thrown.details]).toEqual([
        'invalidRequest',
        ['note.titel is not known here; did you mean title?'],
      ]);
    }
    expect.assertions(1);
  });
});
