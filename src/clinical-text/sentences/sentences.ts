// Splits a history into sentences, each with the languages whose phrases are searched in it.
import { LANGUAGES, type Language } from '../../domain/language.ts';
import {
  type LanguageScores,
  type LanguagesOfWord,
  pickLanguage,
  scoreLanguages,
} from '../languages/detect-language.ts';
import { BREAKS } from '../tokens/breaks.ts';
import { tailMarks, type WordToken } from '../tokens/word-tokens.ts';

export type Sentence = {
  /** Token indexes; `to` is behind the last. */
  readonly from: number;
  readonly to: number;
  readonly isQuestion: boolean;
  /** The marks behind its last word. */
  readonly tail: string;
  /** The languages whose phrases are searched in it. */
  readonly languages: readonly Language[];
  /** The most likely of them. */
  readonly best: Language | undefined;
};

/** A language with this share of the score is a language of the text. */
const SHARE = 0.3;

export function splitSentences(text: string, tokens: readonly WordToken[], languagesOf: LanguagesOfWord) {
  const spans = sentenceSpans(tokens);
  const parts = spans.map(({ from, to }) => scoreLanguages(text, tokens.slice(from, to), languagesOf));
  const scores = sumScores(parts);
  const whole = pickLanguage(scores);
  const total = LANGUAGES.reduce((sum, language) => sum + scores[language], 0);
  const ofText = whole.isSure
    ? LANGUAGES.filter((one) => one === whole.language || scores[one] > SHARE * total)
    : LANGUAGES;
  const tail = tailMarks(text, tokens);
  const sentences = spans.map(({ from, to }, index): Sentence => {
    const own = pickLanguage(parts[index] ?? scores);
    const marks = tokens[to]?.marks ?? tail;
    return {
      from,
      to,
      isQuestion: marks.includes('?') && tokens[to]?.isQueried !== true,
      tail: marks,
      languages: LANGUAGES.filter((one) => ofText.includes(one) || (own.isSure && own.language === one)),
      best: own.isSure ? own.language : (whole.language ?? own.language),
    };
  });
  return { sentences, language: whole.language, scores };
}

function sentenceSpans(tokens: readonly WordToken[]): { readonly from: number; readonly to: number }[] {
  const starts = tokens.flatMap(({ before }, index) => (before === BREAKS.sentence || index === 0 ? [index] : []));
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? tokens.length }));
}

function sumScores(parts: readonly LanguageScores[]): LanguageScores {
  const sum = { en: 0, es: 0, pt: 0, other: 0 };
  for (const part of parts) {
    sum.en += part.en;
    sum.es += part.es;
    sum.pt += part.pt;
    sum.other += part.other;
  }
  return sum;
}
