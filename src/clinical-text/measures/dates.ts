// Reads the dates of a text, in digits and in words. A day of the week and `yesterday` are no dates.
import type { Language } from '../../domain/language.ts';
import { numbersIn } from '../numbers/number-words.ts';
import { type NumberReading, readNumbers } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';

export type DateReading = {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
  /** Day and month may be swapped: 03/04/2024. */
  readonly isEitherWay: boolean;
  readonly first: number;
  readonly end: number;
};

/** The months of each language in their order: `dez` is ten in Portuguese, and `out` is no October in English. */
const MONTHS: Readonly<Record<Language, string>> = {
  en: 'january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct november|nov december|dec',
  es: 'enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago septiembre|setiembre|sep|sept|set octubre|oct noviembre|nov diciembre|dic',
  pt: 'janeiro|jan fevereiro|fev marco|mar abril|abr maio|mai junho|jun julho|jul agosto|ago setembro|set outubro|out novembro|nov dezembro|dez',
};
const MONTHS_OF: Readonly<Record<Language, ReadonlyMap<string, number>>> = {
  en: monthsOf('en'),
  es: monthsOf('es'),
  pt: monthsOf('pt'),
};
const NO_MONTHS: ReadonlyMap<string, number> = new Map();
/** Short months that mean something else, too: they need a day before them in digits. */
const DOUBTFUL = new Set(['dez', 'set', 'out', 'mar', 'sept', 'abr', 'ago', 'mai']);
const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const DAY_OF = new Map<string, number>([
  ...ORDINALS.map((word, index) => [word, index + 1] as const),
  ['thirtieth', 30],
  ['primero', 1],
  ['primeiro', 1],
]);
const ENDINGS = new Set(['st', 'nd', 'rd', 'th', 'o', 'º', 'ro']);
const LINKS = new Set(['of', 'de', 'the', 'del', ',', 'el', 'o']);
const ABOUT = new Set([
  'about',
  'around',
  'late',
  'early',
  'mid',
  'last',
  'fines',
  'mediados',
  'meados',
  'mais',
  'finales',
]);
const SINCE = new Set(['in', 'since', 'from', 'until', 'en', 'desde', 'hasta', 'em', 'ate', 'de', 'during', 'of']);

function monthsOf(language: Language): ReadonlyMap<string, number> {
  const names = MONTHS[language].split(' ');
  return new Map(names.flatMap((forms, index) => forms.split('|').map((name) => [name, index + 1] as const)));
}

type Numbers = ReadonlyMap<number, readonly NumberReading[]>;
type Part = { readonly value: number; readonly end: number };

/** `known`: the numbers of the text, if they were read before. */
export function readDates(
  tokens: readonly Token[],
  language: Language | undefined,
  known: readonly NumberReading[] = readNumbers(tokens, numbersIn(language)),
): readonly DateReading[] {
  const numbers: Numbers = Map.groupBy(known, ({ first }) => first);
  const months = language === undefined ? NO_MONTHS : MONTHS_OF[language];
  const dates: DateReading[] = [];
  for (let index = 0; index < tokens.length; ) {
    const date =
      readDigits(tokens, index, numbers) ??
      readMonthOfYear(tokens, index, numbers) ??
      readDayOfMonth(tokens, index, numbers) ??
      monthFirst(tokens, index, numbers, months) ??
      dayFirst(tokens, index, numbers, months) ??
      yearAlone(tokens, index, numbers);
    if (date) dates.push(date);
    index = date?.end ?? index + 1;
  }
  return dates;
}

/** Reads `2024-03-03` and `03/04/2024`. */
function readDigits(tokens: readonly Token[], first: number, numbers: Numbers): DateReading | undefined {
  const marks = [tokens[first + 1]?.word, tokens[first + 3]?.word];
  if (marks[0] !== marks[1] || (marks[0] !== '-' && marks[0] !== '/')) return undefined;
  const parts = [0, 2, 4].map((ahead) => wholeAt(numbers, first + ahead));
  const [one, two, three] = parts;
  if (one === undefined || two === undefined || three === undefined) return undefined;
  const span = { first, end: first + 5 };
  if (isYear(one) && isMonth(two) && isDay(three))
    return { year: one, month: two, day: three, isEitherWay: false, ...span };
  const year = three < 100 && tokens[first + 4]?.word.length === 2 ? 2000 + three : three;
  if (!isYear(year) || !isDay(one) || !isDay(two) || (one > 12 && two > 12)) return undefined;
  const [day, month] = two > 12 ? [two, one] : [one, two];
  return { year, month, day, isEitherWay: one <= 12 && two <= 12, ...span };
}

/** Reads `07/2025`. */
function readMonthOfYear(tokens: readonly Token[], first: number, numbers: Numbers): DateReading | undefined {
  const [month, year] = [wholeAt(numbers, first), wholeAt(numbers, first + 2)];
  const isPair = tokens[first + 1]?.word === '/' && tokens[first - 1]?.word !== '/' && tokens[first + 3]?.word !== '/';
  const isYearInDigits = tokens[first + 2]?.kind === 'number' && year !== undefined && isYear(year);
  if (!isPair || month === undefined || !isMonth(month) || !isYearInDigits) return undefined;
  return { year, month, isEitherWay: false, first, end: first + 3 };
}

/** Reads `14/02` and `el 14/11`. Without the zero or the article it may be a fraction. */
function readDayOfMonth(tokens: readonly Token[], first: number, numbers: Numbers): DateReading | undefined {
  const [one, two] = [wholeAt(numbers, first), wholeAt(numbers, first + 2)];
  const below = tokens[first + 2];
  const isPair = tokens[first + 1]?.word === '/' && tokens[first - 1]?.word !== '/' && tokens[first + 3]?.word !== '/';
  const isNamed = /^0[1-9]$/.test(below?.word ?? '') || /^(?:el|dia|on)$/.test(tokens[first - 1]?.word ?? '');
  if (!isPair || !isNamed || one === undefined || two === undefined || !isDay(one) || !isMonth(two)) return undefined;
  return { month: two, day: one, isEitherWay: one <= 12, first, end: first + 3 };
}

/** Reads `March 3rd, 2024`, `march third` and `in March`. */
function monthFirst(
  tokens: readonly Token[],
  first: number,
  numbers: Numbers,
  months: ReadonlyMap<string, number>,
): DateReading | undefined {
  const month = months.get(tokens[first]?.word ?? '');
  if (month === undefined) return undefined;
  const isAlone = isDoubtful(tokens, first);
  const day = isAlone ? undefined : dayAt(tokens, skip(tokens, first + 1, new Set(['the', '.'])), numbers);
  const year = yearAt(tokens, day?.end ?? first + 1, numbers);
  if (isAlone && year === undefined) return undefined;
  const before = tokens[first - 1]?.word ?? '';
  const since = ABOUT.has(before) ? (tokens[first - 2]?.word ?? '') : before;
  const isNamed = day !== undefined || year !== undefined || SINCE.has(since);
  if (!isNamed || (tokens[first]?.word.length ?? 0) < 3) return undefined;
  return dateOf({ month, day, year, first, end: year?.end ?? day?.end ?? first + 1 });
}

/** Reads `3 de marzo de 2024`, `3/mar/2024` and `the third of March`. */
function dayFirst(
  tokens: readonly Token[],
  first: number,
  numbers: Numbers,
  months: ReadonlyMap<string, number>,
): DateReading | undefined {
  const day = dayAt(tokens, first, numbers);
  if (day === undefined) return undefined;
  const at = tokens[day.end]?.word === '/' ? day.end + 1 : skip(tokens, day.end, LINKS);
  const month = months.get(tokens[at]?.word ?? '');
  if (month === undefined || at > day.end + 1) return undefined;
  if (isDoubtful(tokens, at) && tokens[first]?.kind !== 'number') return undefined;
  const year = yearAt(tokens, at + 1, numbers);
  return dateOf({ month, day, year, first, end: year?.end ?? at + 1 });
}

function isDoubtful(tokens: readonly Token[], index: number): boolean {
  return DOUBTFUL.has(tokens[index]?.word ?? '');
}

function yearAlone(tokens: readonly Token[], first: number, numbers: Numbers): DateReading | undefined {
  if (!SINCE.has(tokens[first - 1]?.word ?? '')) return undefined;
  const year = yearAt(tokens, first, numbers);
  return year && dateOf({ year, first, end: year.end });
}

function dateOf(parts: {
  readonly year?: Part | undefined;
  readonly month?: number | undefined;
  readonly day?: Part | undefined;
  readonly first: number;
  readonly end: number;
}): DateReading {
  const { year, month, day, first, end } = parts;
  return {
    ...(year && { year: year.value }),
    ...(month !== undefined && { month }),
    ...(day && { day: day.value }),
    isEitherWay: false,
    first,
    end,
  };
}

function dayAt(tokens: readonly Token[], index: number, numbers: Numbers): Part | undefined {
  const word = tokens[index]?.word ?? '';
  const ordinal = DAY_OF.get(word);
  if (ordinal !== undefined) return { value: ordinal, end: index + 1 };
  const number = numbers.get(index)?.find(({ isLoose }) => !isLoose);
  const value = number?.values[0];
  if (number === undefined || value === undefined) return undefined;
  const next = DAY_OF.get(tokens[number.end]?.word ?? '');
  if ((value === 20 || value === 30) && next !== undefined && next < 10)
    return { value: value + next, end: number.end + 1 };
  if (!isDay(value)) return undefined;
  return { value, end: number.end + (ENDINGS.has(tokens[number.end]?.word ?? '') ? 1 : 0) };
}

function yearAt(tokens: readonly Token[], first: number, numbers: Numbers): Part | undefined {
  const index = skip(tokens, first, LINKS);
  const number = numbers.get(index)?.find(({ values }) => isYear(values[0] ?? 0));
  return number && { value: number.values[0] ?? 0, end: number.end };
}

/** Skips at most two of these words. */
function skip(tokens: readonly Token[], first: number, words: ReadonlySet<string>): number {
  let index = first;
  while (index < first + 2 && words.has(tokens[index]?.word ?? '')) index += 1;
  return index;
}

function wholeAt(numbers: Numbers, index: number): number | undefined {
  const value = numbers.get(index)?.[0]?.values[0];
  return Number.isInteger(value) ? value : undefined;
}

function isYear(value: number): boolean {
  return value >= 1900 && value < 2100 && Number.isInteger(value);
}

function isMonth(value: number): boolean {
  return value >= 1 && value <= 12;
}

function isDay(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 31;
}
