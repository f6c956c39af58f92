// The short units of notes, which are words or letters elsewhere: `58M`, `63 a`, `8 sem`, `x3d`, and the fractions `5/7` (days), `2/52`
// (weeks), `3/12` (months) and `9/40` (weeks of pregnancy) of British notes. They are read behind digits only.
import type { Language } from '../../domain/language.ts';
import type { Token } from '../tokens/tokens.ts';
import type { FoundUnit, Unit } from './units.ts';

const LETTERS: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    d: 'day',
    w: 'week',
    wk: 'week',
    mo: 'month',
    hs: 'hour',
    hrs: 'hour',
  }),
);
const PARTS_OF_TIME: ReadonlyMap<string, Unit> = new Map(
  Object.entries({ '7': 'day', '52': 'week', '40': 'week', '12': 'month' }),
);
const BEFORE_WEEKS = new Set(['ha', 'por', 'faz', 'em', 'com', 'de', 'ig', 'en', 'hace', 'cada', 'max', 'durante']);
const MOST_WEEKS = 60;
const MOST_YEARS = 120;
const MOST_MONTHS = 24;
const MOST_WEEKS_OF_PREGNANCY = 43;
/** A body temperature in Fahrenheit is higher, so `34F` is a woman of 34. */
const LEAST_FAHRENHEIT = 90;
const LEAST_AGE_OF_MAN = 13;

/** The unit at `first`, behind a number in digits. */
export function readShortUnit(
  tokens: readonly Token[],
  first: number,
  language: Language | undefined,
): FoundUnit | undefined {
  const [number, token] = [tokens[first - 1], tokens[first]];
  if (number?.kind !== 'number' || token?.kind !== 'word') return undefined;
  const value = Number(number.word.replace(',', '.'));
  const end = first + 1;
  if (isAgeAndSex(token, value)) return { unit: 'year', end };
  const unit = LETTERS.get(token.word);
  const isBehindTimes = /^(x|×|for)$/.test(tokens[first - 2]?.word ?? '');
  if (unit !== undefined && (token.isGlued || token.word.length > 1 || isBehindTimes)) return { unit, end };
  if (language === 'en') return token.word === 'y' && value <= MOST_YEARS ? { unit: 'year', end } : undefined;
  if (language === undefined) return undefined;
  if (token.word === 'a' && value <= MOST_YEARS && isYears(tokens, first)) return { unit: 'year', end };
  if (token.word === 'm' && value <= MOST_MONTHS && isMonths(tokens, first)) return { unit: 'month', end };
  return token.word === 'sem' && value <= MOST_WEEKS && isWeeks(tokens, first) ? { unit: 'week', end } : undefined;
}

/** Reads `5/7`; the slash is at `first`. */
export function readTimeFraction(
  tokens: readonly Token[],
  first: number,
  language: Language | undefined,
): FoundUnit | undefined {
  const [slash, below, next] = [tokens[first], tokens[first + 1], tokens[first + 2]];
  if (language !== 'en' || slash?.word !== '/' || !slash.isGlued || below?.isGlued !== true) return undefined;
  if (next?.word === '/' || tokens[first - 2]?.word === '/' || !Number.isInteger(Number(tokens[first - 1]?.word)))
    return undefined;
  if (below.word === '40' && Number(tokens[first - 1]?.word) > MOST_WEEKS_OF_PREGNANCY) return undefined;
  const unit = PARTS_OF_TIME.get(below.word);
  return unit === undefined ? undefined : { unit, end: first + 2 };
}

/** `58M` and `34F`, but not 101F. */
function isAgeAndSex(token: Token, value: number): boolean {
  if (!token.isGlued || !token.isUpper || !Number.isInteger(value) || value > MOST_YEARS) return false;
  return (token.word === 'f' && value < LEAST_FAHRENHEIT) || (token.word === 'm' && value >= LEAST_AGE_OF_MAN);
}

/** `63 a,` and `3 a 2 m`, but not `de 5 a 10` and `5 a cada noite`. */
function isYears(tokens: readonly Token[], first: number): boolean {
  const next = tokens[first + 1];
  if (next?.kind === 'number') return /^m(es|eses)?$/.test(tokens[first + 2]?.word ?? '');
  return next === undefined || next.kind === 'mark' || next.sentence !== tokens[first]?.sentence;
}

/** A metre is written behind a height, and months behind a time or an age. */
function isMonths(tokens: readonly Token[], first: number): boolean {
  const before = tokens[first - 2];
  return (
    /^(hace|ha|por|faz|de|em|en|cada|a)$/.test(before?.word ?? '') && !/^(altura|talla|alt)$/.test(before?.word ?? '')
  );
}

/** `Sem` is Portuguese for `without`, too. */
function isWeeks(tokens: readonly Token[], first: number): boolean {
  const next = tokens[first + 1];
  const isEnd =
    next === undefined || next.kind === 'mark' || next.sentence !== tokens[first]?.sentence || next.word === 'e';
  return isEnd || BEFORE_WEEKS.has(tokens[first - 2]?.word ?? '');
}
