import { describe, expect, it } from '@jest/globals';
import { fc } from '../../support/fast-check.ts';
import { extract } from './small-lexicon.ts';

function wordsOf(text: string): readonly string[] {
  return [...extract(text).words.keys()].toSorted();
}

describe('The meaningful words of a history', () => {
  it.each([
    ['Slumped and grey on the bathroom floor at 03:40, BP 90/50.', ['bathroom', 'bp', 'floor', 'grey', 'slumped']],
    ['Encontrada gris en el suelo del baño.', ['bano', 'encontrada', 'gris', 'suelo']],
    ['Encontrada cinzenta no chão da cozinha.', ['chao', 'cinzenta', 'cozinha', 'encontrada']],
  ])('"%s" has the meaningful words %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('leave out the words of findings that are denied, past or of other persons', () => {
    expect(wordsOf('A rash and a lost bicycle.')).toEqual(['bicycle', 'lost', 'rash']);
    expect(wordsOf('No rash. A lost bicycle.')).toEqual(['bicycle', 'lost']);
    expect(wordsOf('Her mother had diabetes.')).not.toContain('diabetes');
  });

  it.each([
    'Lost his bicycle. Come back if the fever gets worse.',
    'Perdió la bicicleta. Vuelva si la fiebre empeora.',
    'Perdeu a bicicleta. Volte se a febre piorar.',
  ])('leave out what is advised or warned of: %s', (text) => {
    const [statement = ''] = text.split('.');
    expect(wordsOf(text)).toEqual(wordsOf(`${statement}.`));
  });

  it('keep their first spelling', () => {
    expect(extract('Encías grises. ENCIAS GRISES.').words).toEqual(
      new Map([
        ['encias', 'Encías'],
        ['grises', 'grises'],
      ]),
    );
  });

  it('are the same for any order of the sentences', () => {
    const sentences = ['Grey as ash.', 'Lost his bicycle.', 'Fever at noon.', 'No cough.'];
    fc.assert(
      fc.property(fc.shuffledSubarray(sentences, { minLength: sentences.length }), (shuffled) => {
        expect(wordsOf(shuffled.join(' '))).toEqual(wordsOf(sentences.join(' ')));
      }),
    );
  });
});

describe('A conversation', () => {
  it.each([
    ['two numbered speakers', 'Speaker 1: I have a rash.\nSpeaker 2: Thank you.', true],
    ['a labelled clinician', 'Doctor: Good morning.\nPatient: I have a rash.', true],
    ['a history with headings', 'Complaint: a rash.\nHistory: no allergies.', false],
    ['a history without labels', 'I have a rash.', false],
  ])('is known by its speakers: %s', (_, text, expected) => {
    expect(extract(text).isConversation).toBe(expected);
  });
});
