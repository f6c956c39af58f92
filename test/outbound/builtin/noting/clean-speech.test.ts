import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { makeCleanSpeech } from '../../../../src/outbound/builtin/noting/clean-speech.ts';
import { readCueFiles } from '../../../../src/outbound/builtin/noting/cue-files.ts';
import { splitSentences } from '../../../../src/outbound/builtin/noting/split-sentences.ts';

const files = readCueFiles();
const clean = (language: Language, said: string) => makeCleanSpeech(files, language)(said);

describe('A spoken sentence', () => {
  it.each<[Language, string, string]>([
    ['en', 'it is the right, no wait, the left knee', 'It is the left knee.'],
    ['en', 'On the left, er, no wait, the right side, when I cough.', 'On the right side, when I cough.'],
    ['en', 'They came Monday, I mean Tuesday, in the morning.', 'They came Tuesday, in the morning.'],
    ['en', 'For two days, no wait, three days.', 'For three days.'],
    ['en', 'Take the ibuprofen gel, no sorry, diclofenac gel.', 'Take the diclofenac gel.'],
    ['es', 'Desde el martes, no, desde el lunes por la noche.', 'Desde el lunes por la noche.'],
    ['es', 'La derecha... no, la izquierda.', 'La izquierda.'],
    ['pt', 'Na segunda, aliás, na terça.', 'Na terça.'],
  ])('keeps the corrected form (%s: %s)', (language, said, kept) => {
    expect(clean(language, said)).toBe(kept);
  });

  it.each<[Language, string]>([
    // What is put right is not plain, or the sentence goes on to say something else.
    ['en', "It's the left knee, no, the right one is fine."],
    ['en', 'It was 120 over 80, no sorry, 130 over 80.'],
    ['en', 'Two tablets of 50, no sorry, three.'],
    ['en', 'The left knee, no sorry, the right.'],
    ['en', "No, no, the left is fine, it's the right."],
    // Here the second denial only repeats the first one.
    ['pt', 'Não tenho dor no braço esquerdo, não, no direito.'],
    // Not hesitations.
    ['pt', 'Dói há três dias.'],
    ['en', 'A lump of 5 mm on the arm.'],
    ['en', 'I take one one milligram tablet, no, no, never two.'],
  ])('stays as it is where taking out could turn a fact around (%s: %s)', (language, said) => {
    expect(clean(language, said)).toBe(said);
  });

  it.each<[Language, string, string]>([
    ['en', 'um, the, the pain is, you know, in my back', 'The pain is, in my back.'],
    ['es', 'pues, eh, me duele, o sea, la espalda', 'Me duele, la espalda.'],
    ['pt', 'então, é o... ena... enalapril', 'É o... enalapril.'],
  ])('loses fillers and false starts (%s: %s)', (language, said, kept) => {
    expect(clean(language, said)).toBe(kept);
  });
});

describe('What one person says', () => {
  it.each<[string, readonly string[]]>([
    ['It was 37.6. Then 38,1! Really?', ['It was 37.6.', 'Then 38,1!', 'Really?']],
    ['Faz uns... dois meses. Não.', ['Faz uns... dois meses.', 'Não.']],
    ['I saw Dr. Smith... Then nothing', ['I saw Dr. Smith...', 'Then nothing']],
    ['¿Fiebre? ¿Tos?', ['¿Fiebre?', '¿Tos?']],
    ['... !', []],
  ])('is cut at the ends of sentences: %s', (said, sentences) => {
    expect(splitSentences(said)).toEqual(sentences);
  });
});
