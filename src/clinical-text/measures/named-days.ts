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

type NamedDay = { readonly words: readonly string[]; readonly days: number };
const BY_FIRST_WORD: Readonly<Record<Language, ReadonlyMap<string, readonly NamedDay[]>>> = {
  en: byFirstWord('en'),
  es: byFirstWord('es'),
  pt: byFirstWord('pt'),
};

function byFirstWord(language: Language): ReadonlyMap<string, readonly NamedDay[]> {
  const named = DAYS[language].map(([phrase, days]) => ({ words: phrase.split(' '), days }));
  return Map.groupBy(named, ({ words: [first = ''] }) => first);
}

type FoundDays = { readonly days: number; readonly first: number; readonly end: number };

export function readNamedDays(tokens: readonly Token[], language: Language | undefined): readonly FoundDays[] {
  const found: FoundDays[] = [];
  if (language === undefined) return found;
  const known = BY_FIRST_WORD[language];
  for (let first = 0; first < tokens.length; first += 1) {
    const word = tokens[first]?.word ?? '';
    const named = known
      .get(word)
      ?.find(({ words }) => words.every((one, ahead) => tokens[first + ahead]?.word === one));
    if (named === undefined || (word === 'manana' && OF_MORNING.has(tokens[first - 1]?.word ?? ''))) continue;
    found.push({ days: named.days, first, end: first + named.words.length });
  }
  return found;
}
