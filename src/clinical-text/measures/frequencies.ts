// Reads how often something is taken, as times a day: `twice daily`, `BID`, `every 8 hours`, `de 8 em 8 horas`. Twice a day and every 12
// hours are the same.
import type { NumberReading } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';
import { unitOfWord } from './units.ts';

export type Frequency = { readonly key: string; readonly end: number };

/** Numbers by the token at which they begin, with the plain reading first. */
export type NumbersAt = ReadonlyMap<number, readonly NumberReading[]>;

const HOURS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168, month: 720, year: 8760 };

// The phrases of each frequency; the key is the times a day, or a name.
const PHRASES: Readonly<Record<string, string>> = {
  '1': 'daily|qd|every day|each day|a day|per day|every morning|each morning|diario|diaria|diariamente|al dia|por dia|cada dia|cada manana|todos los dias|todas las mananas|ao dia|todos os dias|todo dia|toda manha|todas as manhas|cada 24 hora',
  '2': 'bid|twice daily|twice a day|twice per day|twice each day|twice every day|morning and night|morning and evening|manana y noche|manha e noite|morning and at night|por la manana y por la noche|de manha e a noite|de manha e de noite',
  '3': 'tid|thrice daily|thrice a day|tds',
  '4': 'qid|qds',
  '1/2':
    'every other day|every second day|dia por medio|en dias alternos|dias alternos|dias alternados|dia sim dia nao|dia si dia no',
  '1/7':
    'weekly|once weekly|every week|each week|a week|per week|semanal|semanalmente|cada semana|por semana|a la semana|toda semana',
  '2/7': 'twice weekly|twice a week|twice per week',
  '1/30': 'monthly|once monthly|every month|cada mes|al mes|por mes|por mes|ao mes|todo mes',
  bedtime:
    'bedtime|qhs|nightly|at night|every night|each night|before bed|al acostarse|por la noche|cada noche|todas las noches|antes de dormir|en la noche|ao deitar|a noite|toda noite|todas as noites|antes de deitar',
  prn: 'prn|as needed|if needed|when needed|as necessary|if necessary|as you need|when you need|if you need|si es necesario|si lo necesita|cuando lo necesite|segun necesidad|segun sea necesario|a demanda|se necessario|quando necessario|se precisar|quando precisar|si precisa',
};
const BY_FIRST_WORD = Map.groupBy(
  Object.entries(PHRASES).flatMap(([key, phrases]) =>
    phrases.split('|').map((phrase) => ({ key: asKey(key), words: phrase.split(' ') })),
  ),
  ({ words }) => words[0],
);
const TIMES = new Set(['time', 'x', '×', 'vez', 'vece', 'veze']);
const EACH = new Set(['a', 'per', 'each', 'every', 'al', 'por', 'ao', 'cada', 'la', 'na', '/', 'o', 'as', 'en', 'el']);
const EVERY = new Set(['every', 'cada', 'each', 'q']);
const TO = new Set(['to', 'a', '-', '–', 'or', 'o', 'ou']);
/** `Take two a day` is a frequency; a higher number is an amount. */
const MAX_A_DAY = 12;

export function readFrequency(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  return (
    readEvery(tokens, first, numbers) ??
    readTimes(tokens, first, numbers) ??
    readInterval(tokens, first, numbers) ??
    readPhrase(tokens, first)
  );
}

function asKey(key: string): string {
  const [above, below] = key.split('/').map(Number);
  return Number.isFinite(above) ? perDay((above ?? 1) / (below ?? 1)) : key;
}

function perDay(times: number): string {
  return String(Math.round(times * 1000) / 1000);
}

/** Reads `every 6 hours`, `every four to six hours`, `cada 8 horas` and `q6h`. */
function readEvery(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  // Spanish charts write `c/8 h`.
  const isShort = tokens[first]?.word === 'c' && tokens[first + 1]?.word === '/';
  if (!isShort && !EVERY.has(tokens[first]?.word ?? '')) return undefined;
  const low = plainAt(numbers, first + (isShort ? 2 : 1));
  if (low === undefined) {
    const alone = hoursAt(tokens, first + 1);
    return alone === 1 ? { key: '24', end: first + 2 } : undefined;
  }
  const high = TO.has(tokens[low.end]?.word ?? '') ? plainAt(numbers, low.end + 1) : undefined;
  const end = high?.end ?? low.end;
  const hours = hoursAt(tokens, end);
  if (hours === undefined) return undefined;
  const keys = [low, high]
    .filter((number) => number !== undefined)
    .map(({ values }) => perDay(24 / ((values[0] ?? 1) * hours)));
  return { key: keys.join(' to '), end: end + 1 };
}

/** Reads `de 8 em 8 horas` and `8/8h`. */
function readInterval(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  const one = plainAt(numbers, first);
  if (one === undefined || !['em', '/', 'en'].includes(tokens[one.end]?.word ?? '')) return undefined;
  const two = plainAt(numbers, one.end + 1);
  const hours = two && hoursAt(tokens, two.end);
  if (two === undefined || hours === undefined || one.values[0] !== two.values[0]) return undefined;
  return { key: perDay(24 / ((one.values[0] ?? 1) * hours)), end: two.end + 1 };
}

/** Reads `3 times a day`, `dos veces al día`, `3x/dia` and `two a day`, but not `twice every 2 weeks`. */
function readTimes(tokens: readonly Token[], first: number, numbers: NumbersAt): Frequency | undefined {
  const isOnce = tokens[first]?.word === 'once';
  const number = plainAt(numbers, first);
  const count = number?.values[0] ?? (isOnce ? 1 : undefined);
  if (count === undefined || count > MAX_A_DAY) return undefined;
  let index = number?.end ?? first + 1;
  const hasTimes = TIMES.has(tokens[index]?.stem ?? '');
  if (hasTimes) index += 1;
  const isDaily = /^(daily|diari[ao]s?)$/.test(tokens[index]?.word ?? '');
  if (isDaily && (hasTimes || isOnce)) return { key: perDay(count), end: index + 1 };
  const linkStart = index;
  while (index < linkStart + 2 && EACH.has(tokens[index]?.word ?? '')) index += 1;
  if (index === linkStart && !hasTimes) return undefined;
  const hours = hoursAt(tokens, index);
  if (hours === undefined || hours < 24 || (tokens[linkStart]?.word === '/' && !hasTimes)) return undefined;
  return { key: perDay((count * 24) / hours), end: index + 1 };
}

function readPhrase(tokens: readonly Token[], first: number): Frequency | undefined {
  const candidates = BY_FIRST_WORD.get(tokens[first]?.word) ?? [];
  const fitting = candidates.filter(({ words }) => words.every((word, ahead) => tokens[first + ahead]?.word === word));
  const longest = fitting.toSorted((a, b) => b.words.length - a.words.length)[0];
  return longest && { key: longest.key, end: first + longest.words.length };
}

function plainAt(numbers: NumbersAt, index: number): NumberReading | undefined {
  return numbers.get(index)?.find(({ isLoose }) => !isLoose);
}

function hoursAt(tokens: readonly Token[], index: number): number | undefined {
  const token = tokens[index];
  const unit = token && unitOfWord(token);
  return unit === undefined ? undefined : HOURS[unit];
}
