// Reads the words for days as lengths of time: `tomorrow` is a day from now, `antier` two days ago.
import type { Language } from '../../domain/language.ts';
import type { Token } from '../tokens/tokens.ts';

/** The longest phrase comes first. */
const DAYS: Readonly<Record<Language, readonly (readonly [phrase: string, days: number])[]>> = {
  en: [
    ['the day after tomorrow', 2],
    ['the day before yesterday', 2],
    ['tomorrow', 1],
    ['yesterday', 1],
    ['last night', 1],
    ['overnight', 1],
  ],
  es: [
    ['pasado manana', 2],
    ['antes de ayer', 2],
    ['anteayer', 2],
    ['antier', 2],
    ['manana', 1],
    ['ayer', 1],
    ['anoche', 1],
  ],
  pt: [
    ['depois de amanha', 2],
    ['antes de ontem', 2],
    ['anteontem', 2],
    ['amanha', 1],
    ['ontem', 1],
  ],
};
/** Behind these `mañana` is the morning. */
const OF_MORNING = new Set(['la', 'de', 'por', 'esta', 'cada', 'toda', 'las']);

export function readNamedDays(
  tokens: readonly Token[],
  language: Language | undefined,
): readonly { readonly days: number; readonly first: number; readonly end: number }[] {
  if (language === undefined) return [];
  return tokens.flatMap((token, first) => {
    if (token.kind !== 'word') return [];
    const named = DAYS[language].find(([phrase]) =>
      phrase.split(' ').every((word, ahead) => tokens[first + ahead]?.word === word),
    );
    if (named === undefined || (token.word === 'manana' && OF_MORNING.has(tokens[first - 1]?.word ?? ''))) return [];
    return [{ days: named[1], first, end: first + named[0].split(' ').length }];
  });
}
