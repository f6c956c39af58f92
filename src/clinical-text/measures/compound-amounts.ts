// Joins what is spoken in two parts: `an hour and a half`, `82 quilos e 300 gramas`, `dos litros seiscientos`, `un metro sesenta y cuatro`.
import type { NumberWords } from '../numbers/number-words.ts';
import type { NumberReading } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';
import { readUnit, type Unit, unitOfWord } from './units.ts';

export type Part = { readonly values: readonly number[]; readonly unit: Unit; readonly end: number };
type NumbersAt = ReadonlyMap<number, readonly NumberReading[]>;

const JOINERS = new Set(['and', 'y', 'e', 'con', 'com', ',']);

/** The place behind `and a half`, `y medio`, `e meia`; undefined if there is none at `first`. */
function endOfHalf(tokens: readonly Token[], first: number, language: NumberWords): number | undefined {
  if (tokens[first]?.word !== language.joiner || language.joiner === undefined) return undefined;
  const at = language.articles.has(tokens[first + 1]?.word ?? '') ? first + 2 : first + 1;
  return language.halves.has(tokens[at]?.word ?? '') && tokens[at]?.sentence === tokens[first]?.sentence
    ? at + 1
    : undefined;
}

/** An amount with what is added behind its unit. */
export function withRest(tokens: readonly Token[], part: Part, numbers: NumbersAt, language: NumberWords): Part {
  const half = endOfHalf(tokens, part.end, language);
  if (half !== undefined) return { ...part, values: part.values.map((value) => value + 0.5), end: half };
  if (part.unit !== 'kg' && part.unit !== 'm' && part.unit !== 'l') return part;
  const at = JOINERS.has(tokens[part.end]?.word ?? '') ? part.end + 1 : part.end;
  const rest = numbers.get(at)?.find(({ isLoose }) => !isLoose);
  const value = rest?.values[0] ?? 0;
  if (rest === undefined || tokens[at]?.sentence !== tokens[part.end - 1]?.sentence) return part;
  const unit = readUnit(tokens, rest.end);
  const found = { value, end: rest.end, unit };
  return part.unit === 'm' ? withCentimetres(part, found) : withThousandths(part, found);
}

type Rest = {
  readonly value: number;
  readonly end: number;
  readonly unit: { readonly unit: Unit; readonly end: number } | undefined;
};

/** Grams of a kilogram, millilitres of a litre. */
function withThousandths(part: Part, { value, end, unit }: Rest): Part {
  const small = part.unit === 'kg' ? 'g' : 'ml';
  if (value < 50 || value > 999 || (unit !== undefined && unit.unit !== small)) return part;
  return { ...part, values: part.values.map((whole) => rounded(whole + value / 1000)), end: unit?.end ?? end };
}

function withCentimetres(part: Part, { value, end, unit }: Rest): Part {
  const isFew = value >= 1 && value <= 99 && Number.isInteger(value);
  if (!isFew || (unit !== undefined && unit.unit !== 'cm') || !part.values.every((whole) => whole <= 2)) return part;
  if (unit === undefined && value < 10) return part;
  return { ...part, values: part.values.map((whole) => rounded(whole + value / 100)), end: unit?.end ?? end };
}

/** `Hora y media`, `litro y medio`: one is not said. */
export function unsaidOnes(
  tokens: readonly Token[],
  numbers: readonly NumberReading[],
  language: NumberWords,
): readonly (Part & { readonly first: number })[] {
  const found: (Part & { readonly first: number })[] = [];
  for (let index = 0; index + 2 < tokens.length; index += 1) {
    const token = tokens[index];
    const end = token?.kind === 'word' ? endOfHalf(tokens, index + 1, language) : undefined;
    const unit = token === undefined || end === undefined ? undefined : unitOfWord(token);
    if (end === undefined || unit === undefined || language.articles.has(tokens[index - 1]?.word ?? '')) continue;
    if (numbers.some((number) => number.end === index)) continue;
    found.push({ values: [1.5], unit, first: index, end });
  }
  return found;
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
