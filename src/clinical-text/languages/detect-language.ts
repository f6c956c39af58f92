// Detects the language of a text or sentence by its function words, endings and letters, and by the languages of its clinical words.
// Telegram style has hardly any function words: there the clinical words decide.
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { WordToken } from '../tokens/word-tokens.ts';
import { ENDINGS, FUNCTION_WORDS, LETTERS, OTHER_WORDS } from './language-words.ts';

export type LanguageScores = Readonly<Record<Language | 'other', number>>;

/** Returns the languages whose phrases contain this word. */
export type LanguagesOfWord = (token: WordToken) => readonly Language[];

const NOTHING: LanguageScores = { en: 0, es: 0, pt: 0, other: 0 };
const LONG_ENOUGH = 6;

export function scoreLanguages(
  text: string,
  tokens: readonly WordToken[],
  languagesOf: LanguagesOfWord,
): LanguageScores {
  const scores = { ...NOTHING };
  for (const token of tokens) {
    if (token.number !== undefined) continue;
    const inLists = LANGUAGES.filter((language) => FUNCTION_WORDS[language].has(token.text));
    for (const language of inLists) scores[language] += 1 / inLists.length ** 2;
    if (OTHER_WORDS.has(token.text)) scores.other += inLists.length === 0 ? 1 : 0.7;
    const known = languagesOf(token);
    for (const language of known) scores[language] += 0.8 / known.length ** 2;
    if (inLists.length === 0 && token.text.length >= LONG_ENOUGH) addEnding(scores, token.text);
    for (const [language, letters] of LETTERS) {
      if (token.end - token.start < 40 && letters.test(text.slice(token.start, token.end))) scores[language] += 0.7;
    }
  }
  return scores;
}

function addEnding(scores: Record<Language | 'other', number>, word: string): void {
  for (const language of LANGUAGES) {
    if (ENDINGS[language].some((ending) => word.endsWith(ending))) scores[language] += 0.3;
  }
}

export type Detected = {
  readonly language: Language | undefined;
  /** True if no other language is likely. */
  readonly isSure: boolean;
};

/** Returns no language if words of other languages have the highest score. */
export function pickLanguage(scores: LanguageScores): Detected {
  const [best, second] = LANGUAGES.map((language) => ({ language, score: scores[language] })).sort(
    (a, b) => b.score - a.score,
  );
  if (best === undefined || best.score < 0.3 || scores.other > best.score)
    return { language: undefined, isSure: false };
  const isSure = best.score >= 1.5 && best.score >= 1.4 * (second?.score ?? 0);
  return { language: best.language, isSure };
}
