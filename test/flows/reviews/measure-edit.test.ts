// How far a signed note is from its draft: lengths of what was inserted and deleted, without the marks of the check.
import { describe, expect, it } from '@jest/globals';
import type { WrittenNote } from '../../../src/domain/note/note.ts';
import { measureEdit } from '../../../src/flows/reviews/measure-edit.ts';
import { fc } from '../../support/fast-check.ts';

const ZERO = { characters: 0, words: 0 };

function aNote(...texts: readonly string[]): WrittenNote {
  const sections = texts.map((text, index) => ({ key: `S${index}`, title: `Section ${index}`, text }));
  return { note: { title: 'Visit', sections } };
}

const measured = (before: string, after: string, language: 'en' | 'es' | 'pt' = 'en') =>
  measureEdit({ shown: aNote(before), signed: aNote(after), language })[0];

describe('the edit distance of a section', () => {
  it('of a text that was not changed is nothing inserted and nothing deleted', () => {
    expect(measured('Rest, and fluids.', 'Rest, and fluids.')).toEqual({
      section: 'S0',
      draft: { characters: 17, words: 3 },
      inserted: ZERO,
      deleted: ZERO,
    });
  });

  it.each([
    ['a word that was replaced', 'Ibuprofen 400 mg.', 'Ibuprofen 600 mg.', [3, 1], [3, 1]],
    ['a word that was added', 'Rest.', 'Rest today.', [6, 1], [0, 0]],
    ['a sentence that was removed', 'Rest. Fluids.', 'Rest.', [0, 0], [8, 1]],
    ['a text that was removed', 'Rest.', '', [0, 0], [5, 1]],
    ['a text where there was none', '', 'Rest.', [5, 1], [0, 0]],
    ['accents, as one word', 'Reposo em casa', 'Reposo à tarde', [6, 2], [6, 2]],
  ])('counts %s', (_, before, after, inserted, deleted) => {
    expect(measured(before, after)).toMatchObject({
      inserted: { characters: inserted[0], words: inserted[1] },
      deleted: { characters: deleted[0], words: deleted[1] },
    });
  });

  it('does not count a mark of the check that was removed', () => {
    expect(measured('Takes 5 mg [not found in the recording].', 'Takes 5 mg.')).toMatchObject({
      draft: { characters: 11, words: 3 },
      inserted: ZERO,
      deleted: ZERO,
    });
  });

  it('is measured for each section by itself, of those that the draft has', () => {
    const [first, second] = measureEdit({
      shown: aNote('One.', 'Two.'),
      signed: aNote('One.', 'Three.'),
      language: 'en',
    });
    expect([first?.inserted, second?.inserted]).toEqual([ZERO, { characters: 5, words: 1 }]);
  });

  it('explains the length of every signed text', () => {
    const words = fc.array(fc.constantFrom('rest', 'fluids', 'today', ' ', '.', 'é', '\n'), { maxLength: 40 });
    fc.assert(
      fc.property(words, words, (one, other) => {
        const [before, after] = [one.join(''), other.join('')];
        const { draft, inserted, deleted } = measured(before, after) ?? { draft: ZERO, inserted: ZERO, deleted: ZERO };
        expect(draft.characters + inserted.characters - deleted.characters).toBe(after.length);
      }),
    );
  });

  it('of long texts that have nothing in common counts as replaced, instead of being compared for minutes', () => {
    const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join(' ');
    const [before, after] = [`Same. ${many('a')}`, `Same. ${many('b')}`];
    const { inserted, deleted } = measured(before, after) ?? { inserted: ZERO, deleted: ZERO };
    expect([inserted.words, deleted.words]).toEqual([20_000, 20_000]);
  });
});
