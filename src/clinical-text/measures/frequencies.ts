// Reads how often something is taken, as times a day: `twice daily`, `BID`, `every 8 hours`, `de 8 em 8 horas`. Twice a day and every 12
// hours are the same.
import type { Language } from '../../domain/language.ts';
import type { NumberReading } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';
import { unitOfWord } from './units.ts';

export type Frequency = { readonly key: string; readonly end: number };

/** Numbers by the token at which they begin, with the plain reading first. */
export type NumbersAt = ReadonlyMap<number, readonly NumberReading[]>;

const HOURS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168, month: 720, year: 8760 };

// The phrases of each frequency; the key is the times a day, or a name.
const PHRASES: Readonly<Record<string, string>> = {
  '1': 'daily|qd|od|over the day|over 24 hours|over twenty - four hours|en veinticuatro horas|em vinte e quatro horas|mane|qam|every day|each day|a day|per day|every morning|each morning|diario|diaria|diariamente|al dia|por dia|cada dia|cada manana|todos los dias|todas las mananas|ao dia|todos os dias|todo dia|toda manha|todas as manhas|cada 24 hora',
  '2': 'bid|bd|twice daily|twice a day|twice per day|twice each day|twice every day|morning and night|morning and evening|manana y noche|manha e noite|morning and at night|por la manana y por la noche|de manha e a noite|de manha e de noite',
  '3': 'tid|thrice daily|thrice a day|tds',
  '4': 'qid|qds',
  '1/2':
    'every other day|every second day|dia por medio|en dias alternos|dias alternos|dias alternados|dia sim dia nao|dia sim , dia nao|dia si dia no|dia si , dia no',
  '1/7':
    'semanais|weekly|once weekly|every week|each week|a week|per week|semanal|semanales|semanalmente|cada semana|por semana|a la semana|toda semana',
  '2/7': 'twice weekly|twice a week|twice per week',
  '1/30':
    'mensual|mensuales|mensal|mensais|monthly|once monthly|every month|cada mes|al mes|por mes|por mes|ao mes|todo mes',
  '24': 'hourly|de hora em hora|de hora en hora',
  bedtime:
    'bedtime|nocte|qhs|nightly|at night|every night|each night|before bed|al acostarse|por la noche|cada noche|todas las noches|antes de dormir|en la noche|ao deitar|a noite|toda noite|todas as noites|antes de deitar',
  prn: 'prn|in between|for breakthrough|sos|sn|s / n|as required|when required|if required|as it needs|if he needs|if she needs|if they need|if i need|when i need|when he needs|when she needs|si precisa|si lo precisa|si lo necesito|cuando lo necesito|cuando precise|si hace falta|cuando haga falta|segun precise|conforme necessidade|se preciso|quando preciso|se for preciso|as needed|if needed|when needed|as necessary|if necessary|as you need|when you need|if you need|si es necesario|si lo necesita|cuando lo necesite|segun necesidad|segun sea necesario|a demanda|se necessario|quando necessario|se precisar|quando precisar|si precisa',
};
const BY_FIRST_WORD = Map.groupBy(
  Object.entries(PHRASES).flatMap(([key, phrases]) =>
    phrases.split('|').map((phrase) => ({ key: asKey(key), words: phrase.split(' ') })),
  ),
  ({ words }) => words[0],
);
const TIMES = new Set(['time', 'x', '×', 'vez', 'vece', 'veze']);
const EACH = new Set([
  'a',
  'per',
  'each',
  'every',
  'al',
  'por',
  'ao',
  'cada',
  'la',
  'na',
  '/',
  'o',
  'as',
  'en',
  'el',
  'this',
  'esta',
  'nesta',
  'essa',
  'nessa',
  'in',
  'um',
  'una',
  'uma',
  'un',
]);
const EVERY = new Set(['every', 'cada', 'each', 'q']);
const TO = new Set(['to', 'a', '-', '–', 'or', 'o', 'ou']);
/** `Take two a day` is a frequency; a higher number is an amount. */
const MAX_A_DAY = 12;
/** `16 a month`: an attack a day is the most, and two in a bad month. */
const MOST_A_MONTH = 62;
const LEAST_OF_MANY = 720;
/** `/24 h` is an interval, `/1 h` rather a rate. */
const LEAST_HOURS = 4;
const MOST_TABLETS = 4;
const INTERVALS = new Set([4, 6, 8, 12, 24]);
/** `20 mg hourly` has no interval in its number. */
const INTERVALS_OF_HOURS = new Set([1, 2, 3, 4, 6, 8, 12, 24]);
const BEHIND_INTERVAL = new Set([
  'for',
  'and',
  'if',
  'y',
  'por',
  'durante',
  'si',
  'hasta',
  'e',
  'se',
  'ate',
  'con',
  'com',
]);
/** These are short words of other languages. */
const ENGLISH_ONLY = new Set(['od', 'mane', 'nocte', 'bd', 'om']);
const OF_THE_PAST = /^(pasad|passad|anterior|retrasad|que|ago|last)/;
const OVERDOSE_BEFORE = new Set([
  'of',
  'previous',
  'prior',
  'past',
  'intentional',
  'accidental',
  'deliberate',
  'mixed',
  'hx',
  ':',
]);
const MANY_TIMES = new Set(['x', '×']);

export function readFrequency(
  tokens: readonly Token[],
  first: number,
  numbers: NumbersAt,
  language: Language | undefined,
): Frequency | undefined {
  return (
    readEvery(tokens, first, numbers, language) ??
    readHourly(tokens, first, numbers) ??
    readPerHours(tokens, first, numbers) ??
    readSchedule(tokens, first) ??
    readTimes(tokens, first, numbers) ??
    readInterval(tokens, first, numbers, language) ??
    readPhrase(tokens, first, language)
  );
}

/** `Cada doce`, `every eight`: the hours are not said, and nothing else is counted. */
function readUnsaidHours(tokens: readonly Token[], { values }: NumberReading, end: number): Frequency | undefined {
  const next = tokens[end];
  const isEnd = next === undefined || next.kind === 'mark' || BEHIND_INTERVAL.has(next.word);
  const hours = values[0] ?? 0;
  return isEnd && INTERVALS.has(hours) ? { key: perDay(24 / hours), end } : undefined;
}

/** Reads `4-hourly` and `four hourly`. */
function readHourly(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  const number = plainAt(numbers, first);
  if (number === undefined) return undefined;
  const at = tokens[number.end]?.word === '-' ? number.end + 1 : number.end;
  const hours = number.values[0] ?? 0;
  const isHourly = tokens[at]?.word === 'hourly' && INTERVALS_OF_HOURS.has(hours);
  return isHourly ? { key: perDay(24 / hours), end: at + 1 } : undefined;
}

/** Reads the end of `20 mg/24 h`. */
function readPerHours(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  if (tokens[first]?.word !== '/' || tokens[first - 1]?.kind !== 'word') return undefined;
  const number = plainAt(numbers, first + 1);
  const hours = number?.values[0] ?? 0;
  if (number === undefined || hours < LEAST_HOURS || hoursAt(tokens, number.end) !== 1) return undefined;
  return { key: perDay(24 / hours), end: number.end + 1 };
}

/** Reads `1-0-1`: the tablets of the morning, of noon and of the night. */
function readSchedule(tokens: readonly Token[], first: number): Frequency | undefined {
  const digits: number[] = [];
  let index = first;
  for (; /^(\d|0[.,]5|½)$/.test(tokens[index]?.word ?? ''); index += 2) {
    if (digits.length > 0 && tokens[index]?.isGlued !== true) break;
    digits.push(Number(tokens[index]?.word.replace(',', '.')));
    if (tokens[index + 1]?.word !== '-' || !tokens[index + 1]?.isGlued) break;
  }
  const isSchedule = digits.length >= 3 && digits.length <= 4 && digits.every((one) => one <= MOST_TABLETS);
  const times = digits.filter((one) => one > 0).length;
  return isSchedule && times > 0 ? { key: String(times), end: index + 1 } : undefined;
}

function asKey(key: string): string {
  const [above, below] = key.split('/').map(Number);
  return Number.isFinite(above) ? perDay((above ?? 1) / (below ?? 1)) : key;
}

function perDay(times: number): string {
  return String(Math.round(times * 1000) / 1000);
}

/** Reads `every 6 hours`, `every four to six hours`, `cada 8 horas` and `q6h`. */
function readEvery(
  tokens: readonly Token[],
  first: number,
  numbers: NumbersAt,
  language: Language | undefined,
): Frequency | undefined {
  // Spanish charts write `c/8 h`. In Portuguese `c/ 8 dias` is `with 8 days`.
  const isShort = tokens[first]?.word === 'c' && tokens[first + 1]?.word === '/';
  if (!isShort && !EVERY.has(tokens[first]?.word ?? '')) return undefined;
  const low = plainAt(numbers, first + (isShort ? 2 : 1));
  if (low === undefined) {
    const alone = hoursAt(tokens, first + 1);
    return alone === 1 ? { key: '24', end: first + 2 } : undefined;
  }
  const high = TO.has(tokens[low.end]?.word ?? '') ? plainAt(numbers, low.end + 1) : undefined;
  const last = high?.end ?? low.end;
  // `Every couple of hours`
  const end = /^(of|de)$/.test(tokens[last]?.word ?? '') ? last + 1 : last;
  const hours = hoursAt(tokens, end);
  if (hours === undefined) return readUnsaidHours(tokens, low, end);
  if (isShort && language === 'pt' && hours > 1) return undefined;
  const keys = [low, high]
    .filter((number) => number !== undefined)
    .map(({ values }) => perDay(24 / ((values[0] ?? 1) * hours)));
  return { key: keys.join(' to '), end: end + 1 };
}

/** Reads `de 8 em 8 horas` and `8/8h`. */
function readInterval(
  tokens: readonly Token[],
  first: number,
  numbers: NumbersAt,
  language: Language | undefined,
): Frequency | undefined {
  const one = plainAt(numbers, first);
  if (one === undefined || !['em', '/', 'en'].includes(tokens[one.end]?.word ?? '')) return undefined;
  const two = plainAt(numbers, one.end + 1);
  const value = one.values[0] ?? 1;
  if (two === undefined || value !== two.values[0]) return undefined;
  const hours = hoursAt(tokens, two.end);
  if (hours !== undefined) return { key: perDay(24 / (value * hours)), end: two.end + 1 };
  // `De seis em seis`: the hours are not said.
  const isHours = language === 'pt' && tokens[one.end]?.word === 'em' && value >= 2 && value <= 24;
  return isHours && !unitBehind(tokens, two.end) ? { key: perDay(24 / value), end: two.end } : undefined;
}

/** Reads `3 times a day`, `dos veces al día`, `3x/dia` and `two a day`, but not `twice every 2 weeks`. */
function readTimes(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  const isOnce = tokens[first]?.word === 'once';
  // `x4/día`
  const isMarked = MANY_TIMES.has(tokens[first]?.word ?? '') && tokens[first + 1]?.kind === 'number';
  const low = plainAt(numbers, isMarked ? first + 1 : first);
  const high = low && TO.has(tokens[low.end]?.word ?? '') ? plainAt(numbers, low.end + 1) : undefined;
  const isRange = high !== undefined && TIMES.has(tokens[high.end]?.stem ?? '');
  const count = low?.values[0] ?? (isOnce ? 1 : undefined);
  if (count === undefined || count > MOST_A_MONTH) return undefined;
  let index = (isRange ? high.end : low?.end) ?? first + 1;
  const hasTimes = isMarked || TIMES.has(tokens[index]?.stem ?? '');
  if (hasTimes && !isMarked) index += 1;
  const keyOf = (perHours: number) =>
    [count, ...(isRange ? high.values.slice(0, 1) : [])].map((times) => perDay((times * 24) / perHours)).join(' to ');
  const isDaily = /^(daily|diari[ao]s?)$/.test(tokens[index]?.word ?? '');
  if (isDaily && (hasTimes || isOnce)) return { key: keyOf(24), end: index + 1 };
  const linkStart = index;
  while (index < linkStart + 2 && EACH.has(tokens[index]?.word ?? '')) index += 1;
  // `× 5 días` is a length of time.
  if (index === linkStart && (!hasTimes || isMarked)) return undefined;
  // `Five every day` is an amount.
  if (!hasTimes && !isOnce && EVERY.has(tokens[linkStart]?.word ?? '')) return undefined;
  const hours = hoursAt(tokens, index);
  // `Dos veces la semana pasada` is no frequency.
  if (OF_THE_PAST.test(tokens[index + 1]?.word ?? '')) return undefined;
  if (count > MAX_A_DAY && (hours ?? 0) < LEAST_OF_MANY) return undefined;
  if (hours === undefined || hours < 24 || (tokens[linkStart]?.word === '/' && !hasTimes)) return undefined;
  return { key: keyOf(hours), end: index + 1 };
}

function readPhrase(tokens: readonly Token[], first: number, language: Language | undefined): Frequency | undefined {
  if (language !== 'en' && ENGLISH_ONLY.has(tokens[first]?.word ?? '')) return undefined;
  if (language !== 'pt' && tokens[first]?.word === 'sn') return undefined;
  // `OD paracetamol`, `thoughts of OD`: an overdose.
  if (tokens[first]?.word === 'od' && isOverdose(tokens, first)) return undefined;
  const candidates = BY_FIRST_WORD.get(tokens[first]?.word) ?? [];
  const fitting = candidates.filter(({ words }) => words.every((word, ahead) => tokens[first + ahead]?.word === word));
  const longest = fitting.toSorted((a, b) => b.words.length - a.words.length)[0];
  return longest && { key: longest.key, end: first + longest.words.length };
}

function isOverdose(tokens: readonly Token[], index: number): boolean {
  const [before, od] = [tokens[index - 1], tokens[index]];
  return before?.sentence !== od?.sentence || OVERDOSE_BEFORE.has(before?.word ?? '');
}

function plainAt(numbers: NumbersAt, index: number): NumberReading | undefined {
  return numbers.get(index)?.find(({ isLoose }) => !isLoose);
}

function unitBehind(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return token !== undefined && unitOfWord(token) !== undefined;
}

function hoursAt(tokens: readonly Token[], index: number): number | undefined {
  const token = tokens[index];
  const unit = token && unitOfWord(token);
  return unit === undefined ? undefined : HOURS[unit];
}
