// Reads times of day: `07:00 h`, `às 18 h`, `half past three in the afternoon`, `a la una de la madrugada`. Each is minutes from midnight;
// without a part of the day it may be in either half.
import type { Language } from '../../domain/language.ts';
import type { NumberReading } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';

export type ClockReading = {
  /** Minutes from midnight; two if the half of the day is not said. */
  readonly minutes: readonly number[];
  readonly first: number;
  readonly end: number;
  /** It is written as a time, and not only spoken as a number behind `at`. */
  readonly isExact: boolean;
};
type NumbersAt = ReadonlyMap<number, readonly NumberReading[]>;
type Half = 'am' | 'pm' | undefined;
type Time = { readonly hour: number; readonly minute: number; readonly end: number };

const DAY = 24 * 60;
const AT: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(['at', 'about', 'around', 'by', 'since', 'until', 'till', 'from', 'past', 'to']),
  es: new Set(['las', 'la', 'una']),
  pt: new Set(['as', 'das', 'a', 'umas', 'pelas']),
};
const NAMED: Readonly<Record<Language, readonly (readonly [phrase: string, hour: number])[]>> = {
  en: [
    ['noon', 12],
    ['midday', 12],
    ['midnight', 0],
  ],
  es: [
    ['mediodia', 12],
    ['medio dia', 12],
    ['medianoche', 0],
    ['media noche', 0],
  ],
  pt: [
    ['meio - dia', 12],
    ['meio dia', 12],
    ['meia - noite', 0],
    ['meia noite', 0],
  ],
};
type NamedHour = { readonly words: readonly string[]; readonly hour: number };
const NAMED_BY_WORD: Readonly<Record<Language, ReadonlyMap<string, readonly NamedHour[]>>> = {
  en: byFirstWord('en'),
  es: byFirstWord('es'),
  pt: byFirstWord('pt'),
};

function byFirstWord(language: Language): ReadonlyMap<string, readonly NamedHour[]> {
  const named = NAMED[language].map(([phrase, hour]) => ({ words: phrase.split(' '), hour }));
  return Map.groupBy(named, ({ words: [first = ''] }) => first);
}

const MORNING = /^(am|morning|manana|madrugada|manha)$/;
const EVENING = /^(pm|afternoon|evening|night|tonight|tarde|noche|noite)$/;
const SMALL = new Set([
  'in',
  'the',
  'at',
  'this',
  'last',
  'de',
  'la',
  'da',
  'por',
  'del',
  'esta',
  'hoy',
  'hoje',
  'em',
  'punto',
  'en',
  ',',
  'yesterday',
  'ayer',
  'ontem',
  'a',
  'o',
  'clock',
  'oclock',
]);
/** `6h de hoje`, `22 h de ayer` */
const OF_DAY = /^(?:hoje|ontem|hoy|ayer|hontem)$/;
const HOURS = /^(h|hs|hrs|hr|hora|horas|hours)$/;
const PART_REACH = 5;

export function readClocks(
  tokens: readonly Token[],
  numbers: NumbersAt,
  language: Language | undefined,
): readonly ClockReading[] {
  const found: ClockReading[] = [];
  for (let index = 0; index < tokens.length; ) {
    const clock = digitsAt(tokens, index) ?? (language && spokenAt(tokens, index, numbers, language));
    if (clock) found.push(clock);
    index = clock?.end ?? index + 1;
  }
  return found;
}

/** Reads `07:00 h`, `18h30`, `7:15 pm` and `9am`. */
function digitsAt(tokens: readonly Token[], first: number): ClockReading | undefined {
  const [hour, mark, minute] = [tokens[first], tokens[first + 1], tokens[first + 2]];
  if (hour?.kind !== 'number' || mark === undefined || !/^\d{1,2}$/.test(hour.word)) return undefined;
  const isTime =
    (mark.word === ':' || mark.word === 'h') && mark.isGlued && minute?.isGlued === true && /^\d\d$/.test(minute.word);
  const value = Number(hour.word);
  if (isTime && value < 24 && Number(minute.word) < 60) {
    const hasUnit = HOURS.test(tokens[first + 3]?.word ?? '');
    const end = hasUnit ? first + 4 : first + 3;
    const half = /^[ap]m$/.test(tokens[end]?.word ?? '') ? halfOf(tokens[end]) : undefined;
    // `07:00` is in the morning; `7:00` may be in either half of the day.
    const isSure = hour.word.startsWith('0') || hasUnit;
    const part = half ?? (isSure && value < 12 ? 'am' : undefined);
    const time = { hour: value, minute: Number(minute.word), end: half ? end + 1 : end };
    return { minutes: minutesOf(time, part), first, end: time.end, isExact: true };
  }
  if (!/^[ap]m$/.test(mark.word) || value > 12) return undefined;
  const time = { hour: value, minute: 0, end: first + 2 };
  return { minutes: minutesOf(time, halfOf(mark)), first, end: time.end, isExact: true };
}

function spokenAt(
  tokens: readonly Token[],
  first: number,
  numbers: NumbersAt,
  language: Language,
): ClockReading | undefined {
  const named = NAMED_BY_WORD[language]
    .get(tokens[first]?.word ?? '')
    ?.find(({ words }) => words.every((word, ahead) => tokens[first + ahead]?.word === word));
  if (named) {
    return { minutes: [named.hour * 60], first, end: first + named.words.length, isExact: false };
  }
  const time = timeAt(tokens, first, numbers, language);
  if (time === undefined) return undefined;
  // `6h de hoje` is written as a time, too.
  const isExact = tokens[first]?.kind === 'number' && HOURS.test(tokens[time.end - 1]?.word ?? '');
  return { minutes: minutesOf(time, partBehind(tokens, time.end)), first, end: time.end, isExact };
}

/** The hour and minute that begin here, behind a word such as `at`, or with a part of the day behind them. */
function timeAt(tokens: readonly Token[], first: number, numbers: NumbersAt, language: Language): Time | undefined {
  const number = numbers.get(first)?.find(({ isLoose }) => !isLoose);
  const value = number?.values[0];
  // `Sete e meia` is read as 7.5.
  if (number === undefined || value === undefined || !Number.isInteger(value * 2) || value > 24) return undefined;
  const [hour, minute] = [Math.floor(value), value % 1 === 0 ? 0 : 30];
  const before = tokens[first - 1]?.word ?? '';
  const end = HOURS.test(tokens[number.end]?.word ?? '') ? number.end + 1 : number.end;
  const isOfDay =
    end > number.end && /^d[eo]$/.test(tokens[end]?.word ?? '') && OF_DAY.test(tokens[end + 1]?.word ?? '');
  const isAt = AT[language].has(before) || isOfDay;
  if (!isAt && partBehind(tokens, end) === undefined) return undefined;
  // `A las 3 horas` is a time of day, `18 h` alone is a length of time.
  if (end > number.end && !isAt) return undefined;
  return minute > 0 ? { hour, minute, end } : withMinutes(tokens, { hour, minute, end }, first, numbers);
}

/** `Half past three`, `las tres y media`, `as seis e quinze`. */
function withMinutes(tokens: readonly Token[], time: Time, first: number, numbers: NumbersAt): Time {
  const [two, one] = [tokens[first - 2]?.word ?? '', tokens[first - 1]?.word ?? ''];
  if (one === 'past' && two === 'half') return { ...time, minute: 30 };
  if (one === 'past' && two === 'quarter') return { ...time, minute: 15 };
  if (one === 'to' && two === 'quarter') return { ...time, hour: time.hour - 1, minute: 45 };
  const [link, next] = [tokens[time.end]?.word ?? '', tokens[time.end + 1]?.word ?? ''];
  if (link === 'menos' && next === 'cuarto') return { hour: time.hour - 1, minute: 45, end: time.end + 2 };
  const at = link === 'y' || link === 'e' ? time.end + 1 : time.end;
  if (at > time.end && /^(media|meia)$/.test(next)) return { ...time, minute: 30, end: at + 1 };
  if (at > time.end && next === 'cuarto') return { ...time, minute: 15, end: at + 1 };
  const minutes = numbers.get(at)?.find(({ isLoose }) => !isLoose);
  const value = minutes?.values[0] ?? 0;
  return minutes && value >= 5 && value < 60 && value % 5 === 0 ? { ...time, minute: value, end: minutes.end } : time;
}

function partBehind(tokens: readonly Token[], end: number): Half {
  for (let index = end; index < end + PART_REACH; index += 1) {
    const token = tokens[index];
    const half = halfOf(token);
    if (half !== undefined || token === undefined || !SMALL.has(token.word)) return half;
  }
  return undefined;
}

function halfOf(token: Token | undefined): Half {
  if (MORNING.test(token?.word ?? '')) return 'am';
  return EVENING.test(token?.word ?? '') ? 'pm' : undefined;
}

function minutesOf({ hour, minute }: Time, half: Half): readonly number[] {
  if (hour > 12) return [(hour * 60 + minute) % DAY];
  const base = (hour % 12) * 60 + minute;
  // At twelve at night a day begins.
  if (half === 'am') return [base];
  if (half === 'pm') return hour === 12 ? [base + DAY / 2, base] : [base + DAY / 2];
  return [base, base + DAY / 2];
}
