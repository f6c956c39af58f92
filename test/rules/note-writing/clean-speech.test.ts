import { describe, expect, it } from '@jest/globals';
import { splitSpeech } from '../../../src/clinical-text/sentences/split-speech.ts';
import type { Language } from '../../../src/domain/language.ts';
import { makeCleanSpeech } from '../../../src/rules/note-writing/clean-speech.ts';
import { joinCorrected } from '../../../src/rules/note-writing/join-corrected.ts';
import { SHIPPED_LANGUAGES } from '../knowledge/shipped-languages.ts';

const files = SHIPPED_LANGUAGES.notes;
const clean = (language: Language, spoken: string) => makeCleanSpeech(files, language)(spoken);

describe('A cleaned sentence', () => {
  it.each<[Language, string, string]>([
    ['en', 'it is the right, no wait, the left knee', 'It is the left knee.'],
    ['en', 'On the left, er, no wait, the right side, when I cough.', 'On the right side, when I cough.'],
    ['en', 'They came Monday, I mean Tuesday, in the morning.', 'They came Tuesday, in the morning.'],
    ['en', 'For two days, no wait, three days.', 'For three days.'],
    ['en', 'Take the ibuprofen gel, no sorry, diclofenac gel.', 'Take the diclofenac gel.'],
    ['es', 'Desde el martes, no, desde el lunes por la noche.', 'Desde el lunes por la noche.'],
    ['es', 'La derecha... no, la izquierda.', 'La izquierda.'],
    ['pt', 'Na segunda, aliás, na terça.', 'Na terça.'],
    ['pt', 'É o ombro direito, quer dizer, não, ai, que cabeça, o esquerdo.', 'É o ombro esquerdo.'],
    ['es', 'Es el hombro derecho, no, perdón, qué cabeza la mía, el izquierdo.', 'Es el hombro izquierdo.'],
    ['en', "It's on the right, no wait, silly me, the left.", "It's on the left."],
  ])('keeps the corrected form (%s: "%s")', (language, spoken, cleaned) => {
    expect(clean(language, spoken)).toBe(cleaned);
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
  ])('stays unchanged if a removal could reverse a fact (%s: "%s")', (language, spoken) => {
    expect(clean(language, spoken)).toBe(spoken);
  });

  it.each<[Language, string, string]>([
    ['en', 'um, the, the pain is, you know, in my back', 'The pain is, in my back.'],
    ['es', 'pues, eh, me duele, o sea, la espalda', 'Me duele, la espalda.'],
    ['pt', 'então, é o... ena... enalapril', 'É o... enalapril.'],
  ])('loses fillers and false starts (%s: "%s")', (language, spoken, cleaned) => {
    expect(clean(language, spoken)).toBe(cleaned);
  });
});

describe('A sentence that corrects the one before', () => {
  const joined = (language: Language, spoken: string) => {
    const cleanSpeech = makeCleanSpeech(files, language);
    return joinCorrected(splitSpeech(spoken), cleanSpeech).map(cleanSpeech);
  };

  it.each<[Language, string, readonly string[]]>([
    ['pt', 'É o ombro direito. Quer dizer, não, ai, que cabeça, o esquerdo. Dói.', ['É o ombro esquerdo.', 'Dói.']],
    ['pt', 'É o joelho direito. Ai, não, me enganei, o esquerdo.', ['É o joelho esquerdo.']],
    ['es', 'Es la rodilla derecha. Ay, no, qué cabeza, la izquierda.', ['Es la rodilla izquierda.']],
    ['es', 'Me duele el oído derecho. Perdón, me equivoqué, el izquierdo.', ['Me duele el oído izquierdo.']],
    ['en', "It's on the right. No, wait, what am I saying, on the left.", ["It's on the left."]],
    ['en', 'It started on Monday. Sorry, my mistake, on Tuesday.', ['It started on Tuesday.']],
  ])('removes the wrong word from it (%s: "%s")', (language, spoken, cleaned) => {
    expect(joined(language, spoken)).toEqual(cleaned);
  });

  it.each<[Language, string]>([
    ['en', "It's the left knee. No, the right one is fine."],
    ['pt', 'É o ombro esquerdo. O direito foi o que eu operei.'],
    ['es', 'Me duele la rodilla derecha. La izquierda no.'],
    ['en', 'Is it the left? No, the right.'],
  ])('stays separate if it corrects nothing (%s: "%s")', (language, spoken) => {
    expect(joined(language, spoken)).toEqual(splitSpeech(spoken));
  });
});

describe('The speech of one person', () => {
  it.each<[string, readonly string[]]>([
    ['It was 37.6. Then 38,1! Really?', ['It was 37.6.', 'Then 38,1!', 'Really?']],
    ['Faz uns... dois meses. Não.', ['Faz uns... dois meses.', 'Não.']],
    ['I saw Dr. Smith... Then nothing', ['I saw Dr. Smith...', 'Then nothing']],
    ['¿Fiebre? ¿Tos?', ['¿Fiebre?', '¿Tos?']],
    ['... !', []],
  ])('"%s" is split into the sentences %j', (spoken, sentences) => {
    expect(splitSpeech(spoken)).toEqual(sentences);
  });
});
