import { describe, expect, it } from '@jest/globals';
import { fc } from '../../support/fast-check.ts';
import { hear } from './small-lexicon.ts';

function wordsOf(text: string): readonly string[] {
  return [...hear(text).words.keys()].toSorted();
}

describe('The words that tell how something is told', () => {
  it.each([
    ['Slumped and grey on the bathroom floor at 03:40, BP 90/50.', ['bathroom', 'bp', 'floor', 'grey', 'slumped']],
    ['Encontrada gris en el suelo del baño.', ['bano', 'encontrada', 'gris', 'suelo']],
    ['Encontrada cinzenta no chão da cozinha.', ['chao', 'cinzenta', 'cozinha', 'encontrada']],
  ])('are those that carry meaning, without numbers: %s', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are those of what is there, and not those of what is denied, long past, or of others', () => {
    expect(wordsOf('A rash and a lost bicycle.')).toEqual(['bicycle', 'lost', 'rash']);
    expect(wordsOf('No rash. A lost bicycle.')).toEqual(['bicycle', 'lost']);
    expect(wordsOf('Her mother had diabetes.')).not.toContain('diabetes');
  });

  it('are known as they were written first', () => {
    expect(hear('Encías grises. ENCIAS GRISES.').words).toEqual(
      new Map([
        ['encias', 'Encías'],
        ['grises', 'grises'],
      ]),
    );
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
