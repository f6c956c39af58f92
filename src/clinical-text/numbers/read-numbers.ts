// Finds the numbers in a text, in digits or in words. Words that can be read in several ways (`one twenty` is 120, or 1 and 20) give each
// reading; the less plain ones are marked as loose.

import type { Token } from '../tokens/tokens.ts';
import { readCardinal, type WordRow } from './cardinals.ts';
import type { NumberWords } from './number-words.ts';

export type NumberReading = {
  /** More than one if the writing is ambiguous: `1.000` in Spanish. */
  readonly values: readonly number[];
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
  /** One of several readings of the same words, and not the plain one. */
  readonly isLoose: boolean;
};

/** No number of a note has more characters. */
const MAX_DIGITS = 12;
/** Digits that are spoken one by one. */
const MAX_SPELLED = 8;

const FRACTIONS: ReadonlyMap<string, number> = new Map([
  ['1/2', 0.5],
  ['1/4', 0.25],
  ['3/4', 0.75],
  ['1/3', 0.33],
  ['2/3', 0.67],
]);

export function readNumbers(tokens: readonly Token[], language: NumberWords): readonly NumberReading[] {
  const plain: NumberReading[] = [];
  const loose: NumberReading[] = [];
  for (let index = 0; index < tokens.length; ) {
    const whole = readWhole(tokens, index, language);
    if (whole === undefined) {
      index += 1;
      continue;
    }
    const exact = quartersOf(tokens, whole, language) ?? withFraction(tokens, whole, language) ?? whole;
    plain.push(exact);
    if (exact === whole) loose.push(...looseFraction(tokens, whole, language));
    index = exact.end;
  }
  return [...plain, ...loose, ...joined(plain, tokens)].toSorted((a, b) => a.first - b.first || b.end - a.end);
}

function readWhole(tokens: readonly Token[], first: number, language: NumberWords): NumberReading | undefined {
  const token = tokens[first];
  if (token === undefined || token.kind === 'mark') return undefined;
  if (token.kind === 'number') {
    const fraction = fractionAt(tokens, first);
    if (fraction !== undefined) return { values: [fraction], first, end: first + 3, isLoose: false };
    const values = readDigits(token.word, language.hasDecimalComma);
    return values.length === 0 ? undefined : { values, first, end: first + 1, isLoose: false };
  }
  // `Point five` is 0.5, not 5.
  const decimals =
    token.word === 'point' && language.points.has(token.word) ? readDecimals(tokens, first + 1, language) : undefined;
  if (decimals) return { values: [Number(`0.${decimals.digits}`)], first, end: decimals.end, isLoose: false };
  if (language.halves.has(token.word)) return { values: [0.5], first, end: first + 1, isLoose: false };
  if (language.couples.has(token.word) && /^(of|de)$/.test(tokens[first + 1]?.word ?? ''))
    return { values: [2], first, end: first + 1, isLoose: false };
  if (language.quarters.has(token.word) && /^(of|de)$/.test(tokens[first + 1]?.word ?? ''))
    return { values: [0.25], first, end: first + 1, isLoose: false };
  const cardinal = language.words.has(token.word) ? readCardinal(rowOf(tokens), first, language) : undefined;
  return cardinal && { values: [cardinal.value], first, end: cardinal.end, isLoose: false };
}

/** Reads `1/2`, but neither the day and month of `1/2/2024` nor a pressure. */
function fractionAt(tokens: readonly Token[], first: number): number | undefined {
  const [above, slash, below, next] = [0, 1, 2, 3].map((ahead) => tokens[first + ahead]);
  if (slash?.word !== '/' || !slash.isGlued || below?.isGlued !== true || next?.word === '/') return undefined;
  if (tokens[first - 1]?.word === '/') return undefined;
  return FRACTIONS.get(`${above?.word}/${below.word}`);
}

/** `1,000` and `1.000` have two readings in languages with a decimal comma. */
function readDigits(word: string, hasDecimalComma: boolean): readonly number[] {
  if (word.length > MAX_DIGITS) return [];
  const asDecimal = /^\d+[.,]\d+$/.test(word) ? Number(word.replace(',', '.')) : undefined;
  const asThousands = /^[1-9]\d{0,2}(?:[.,]\d{3})+$/.test(word) ? Number(word.replace(/[.,]/g, '')) : undefined;
  if (/^\d+$/.test(word)) return [Number(word)];
  if (hasDecimalComma) return [asThousands, asDecimal].filter((value) => value !== undefined);
  const read = word.includes(',') ? asThousands : asDecimal;
  return read === undefined ? [] : [read];
}

/** A hyphen may join two words: `thirty-eight`. */
function rowOf(tokens: readonly Token[]): WordRow {
  return {
    wordAt: (index) => (tokens[index]?.kind === 'word' ? tokens[index].word : undefined),
    goesOnAt: (index) => (tokens[index]?.word === '-' && tokens[index].isGlued ? index + 1 : index),
  };
}

/** Reads `three quarters of an hour` and `tres cuartos de hora`. */
function quartersOf(
  tokens: readonly Token[],
  { values, first, end }: NumberReading,
  { quarters }: NumberWords,
): NumberReading | undefined {
  const isQuarters = quarters.has(tokens[end]?.word ?? '') && /^(of|de)$/.test(tokens[end + 1]?.word ?? '');
  return isQuarters ? { values: values.map((value) => value / 4), first, end: end + 1, isLoose: false } : undefined;
}

/** Reads the fraction behind a whole number: `point five`, `coma dos`, `and a half`, `e meio`. */
function withFraction(
  tokens: readonly Token[],
  whole: NumberReading,
  language: NumberWords,
): NumberReading | undefined {
  const places = withoutHyphens(tokens, whole.end);
  const [word, next, afterNext] = places.map((place) => tokens[place]?.word ?? '');
  const [, secondPlace = 0, thirdPlace = 0] = places;
  if (word === language.joiner && language.halves.has(next ?? '')) return plus(whole, 0.5, secondPlace + 1);
  if (word === 'and' && language.articles.has(next ?? '') && language.halves.has(afterNext ?? '')) {
    return plus(whole, 0.5, thirdPlace + 1);
  }
  if (!language.points.has(word ?? '')) return undefined;
  const decimals = readDecimals(tokens, whole.end + 1, language);
  return decimals && plus(whole, Number(`0.${decimals.digits}`), decimals.end);
}

/** The places of the next three words of `two-and-a-half` and `two and a half`. */
function withoutHyphens(tokens: readonly Token[], first: number): readonly number[] {
  const places: number[] = [];
  for (let index = first; places.length < 3 && index < first + 6; index += 1) {
    if (tokens[index]?.word !== '-' || !tokens[index]?.isGlued) places.push(index);
  }
  return places;
}

/** Reads `treinta y ocho con dos` and `trinta e oito e dois`, which may also be two numbers. */
function looseFraction(
  tokens: readonly Token[],
  whole: NumberReading,
  language: NumberWords,
): readonly NumberReading[] {
  if (!language.loosePoints.has(tokens[whole.end]?.word ?? '')) return [];
  const decimals = readDecimals(tokens, whole.end + 1, language);
  if (decimals === undefined) return thousandths(tokens, whole, language);
  if (decimals.digits.length > 1) return [];
  return [{ ...plus(whole, Number(`0.${decimals.digits}`), decimals.end), isLoose: true }];
}

/** `Catorce con doscientos` and `catorze e duzentos` are kilograms and grams. */
function thousandths(tokens: readonly Token[], whole: NumberReading, language: NumberWords): readonly NumberReading[] {
  const next = readWhole(tokens, whole.end + 1, language);
  const value = next?.values[0] ?? 0;
  if (next === undefined || value < 100 || value > 999) return [];
  return [{ ...plus(whole, value / 1000, next.end), isLoose: true }];
}

function plus(whole: NumberReading, fraction: number, end: number): NumberReading {
  return { ...whole, values: whole.values.map((value) => rounded(value + fraction)), end };
}

/** Reads the digits behind a point: `five`, `two five`, `zero five`, `twenty five`, `5`. */
function readDecimals(tokens: readonly Token[], first: number, language: NumberWords) {
  let digits = '';
  let index = first;
  for (; index < first + 3; index += 1) {
    const word = language.words.get(tokens[index]?.word ?? '');
    if (word?.kind !== 'digit') break;
    digits += word.value;
  }
  if (digits !== '') return { digits, end: index };
  const next = readWhole(tokens, first, language);
  const value = next?.values[0];
  if (next === undefined || value === undefined || !Number.isInteger(value) || value > 99) return undefined;
  return { digits: String(value), end: next.end };
}

/** Adjacent numbers may be one: `one twenty`, `one oh five`, `ninety eight six`, `twenty nineteen`, `1 2 0`. */
function joined(plain: readonly NumberReading[], tokens: readonly Token[]): readonly NumberReading[] {
  const found: NumberReading[] = [];
  for (let start = 0; start < plain.length; ) {
    let end = start + 1;
    while (end < plain.length && isRightBehind(plain[end - 1], plain[end], tokens)) end += 1;
    const run = plain.slice(start, end);
    run.forEach((_, place) => {
      found.push(...asOne(run.slice(place, place + 2)), ...asOne(run.slice(place, place + 3)));
    });
    // These are digits that are spoken one by one. A longer row is no value.
    if (run.length > 3 && run.length <= MAX_SPELLED) found.push(...asOne(run));
    start = end;
  }
  return found;
}

function isRightBehind(
  one: NumberReading | undefined,
  other: NumberReading | undefined,
  tokens: readonly Token[],
): boolean {
  return one !== undefined && other !== undefined && one.end === other.first && tokens[other.first]?.kind !== 'mark';
}

function asOne(run: readonly NumberReading[]): readonly NumberReading[] {
  const [first, last] = [run[0], run.at(-1)];
  const value = run.length < 2 ? undefined : valueOfRun(run.map(({ values }) => values[0] ?? Number.NaN));
  if (value === undefined || first === undefined || last === undefined) return [];
  return [{ values: [value], first: first.first, end: last.end, isLoose: true }];
}

function valueOfRun(parts: readonly number[]): number | undefined {
  const [one = Number.NaN, two = Number.NaN, three = Number.NaN] = parts;
  if (!parts.every(Number.isInteger)) return undefined;
  // `Cero cuatro` is 0.4.
  if (one === 0 && parts.length === 2 && two > 0) return two < 10 ? two / 10 : two / 100;
  if (parts.length === 3 && two === 0 && one < 10 && one > 0 && three < 10) return one * 100 + three;
  if (parts.length > 2) return parts.every((part) => part < 10) ? Number(parts.join('')) : undefined;
  if (one > 0 && one < 100 && two >= 10 && two < 100) return one * 100 + two;
  return one >= 10 && one < 1000 && two < 10 ? rounded(one + two / 10) : undefined;
}

/** Removes the rounding errors of binary fractions. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
