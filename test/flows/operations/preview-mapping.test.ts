import { describe, expect, it } from '@jest/globals';
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

describe('a preview of a site’s mappings', () => {
  it('it has all documents that the site writes', () => {
    const { documents, all, notice } = previewMapping({ site, input: NOTE });
    expect([namesOf(documents), namesOf(all), notice]).toEqual([['composition'], ['composition'], NOTICE]);
  });

  it('it has one document if one is requested, with the others of the set beside it', () => {
    const { documents, all } = previewMapping({ site, input: NOTE, document: 'letter' });
    expect(namesOf(documents)).toEqual(['letter']);
    expect(namesOf(all).toSorted()).toEqual(['composition', 'letter']);
  });

  it('it has no document for the AI notice, which is a text', () => {
    const { documents, notice } = previewMapping({ site, input: NOTE, document: 'notice' });
    expect([namesOf(documents), notice]).toEqual([[], NOTICE]);
  });

  it('invalid facts are one error that names the probable meaning', () => {
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
