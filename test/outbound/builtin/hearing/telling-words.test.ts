import { describe, expect, it } from '@jest/globals';
import { fc } from '../../../support/fast-check.ts';
import { hear } from './small-lexicon.ts';

function wordsOf(text: string): readonly string[] {
  return [...hear(text).words].toSorted();
}

describe('The words that tell how something is told', () => {
  it.each([
    ['Found grey on the bathroom floor at 03:40, BP 90/50.', ['bathroom', 'bp', 'floor', 'found', 'grey']],
    ['Encontrada gris en el suelo del baño.', ['bano', 'encontrada', 'gris', 'suelo']],
    ['Encontrada cinzenta no chão da cozinha.', ['chao', 'cinzenta', 'cozinha', 'encontrada']],
  ])('are those that carry meaning, without numbers: %s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are those of what is there, and not those of what is denied, long past, or of others', () => {
    expect(wordsOf('Fever and a lost bicycle.')).toEqual(['bicycle', 'fever', 'lost']);
    expect(wordsOf('No fever. A lost bicycle.')).toEqual(['bicycle', 'lost']);
    expect(wordsOf('Her mother had fever.')).not.toContain('fever');
  });

  it('are each there once, whatever their order', () => {
    const sentences = ['Grey as ash.', 'Lost his bicycle.', 'Fever at noon.', 'No cough.'];
    fc.assert(
      fc.property(fc.shuffledSubarray(sentences, { minLength: sentences.length }), (shuffled) => {
        expect(wordsOf(shuffled.join(' '))).toEqual(wordsOf(sentences.join(' ')));
      }),
    );
  });
});
