// Reads the sides of a text, left, right and both, each with its part of the body.

import type { NamedThing } from '../../../clinical-text/phrases/named-things.ts';
import { type Token, wordsBetween } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import {
  BOTH_BY_TWO,
  findBodyParts,
  SHORT_SIDED_PARTS,
  SHORT_SIDES,
  SIDE_LETTERS,
  SIDE_WORDS,
  type Side,
} from './body-words.ts';

export type SidedPart = {
  readonly side: Side;
  /** `side` if only a side of the body is named. */
  readonly part: string;
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
};
export type Sides = {
  readonly sided: readonly SidedPart[];
  /** Sides without a part of the body in this text: `The left one.` */
  readonly open: readonly OpenSide[];
  readonly parts: readonly { readonly id: string; readonly first: number }[];
  /** The tokens of all sides. */
  readonly places: ReadonlySet<number>;
};
export type OpenSide = { readonly side: Side; readonly index: number };

/** Words between a side and its part. */
const REACH = 4;
/** What begins here is radiated to, or reached. */
const TOWARDS = new Set([
  'to',
  'into',
  'radiating',
  'hacia',
  'hasta',
  'irradia',
  'irradiado',
  'irradiada',
  'ate',
  'irradiando',
]);
/** `Vitamina D`, `hepatite E` */
const NAMED_BY_LETTER =
  /^(vit|vitamina|hepatit\w*|grupo|class|classe|clase|tipo|type|gripe|grado|grau|grade|estadio|estagio|fase|nyha|e|ou)$/;

export function readSides(tokens: readonly Token[], language: Language): Sides {
  const sides = tokens.map((_, index) => sideAt(tokens, index, language)).filter((side) => side !== undefined);
  const at = new Map(sides.map((side) => [side.index, side]));
  const parts = findBodyParts(tokens, language);
  const sided = sides.length === 0 ? [] : parts.flatMap((part) => nearestSide(tokens, part, at, language));
  const used = new Set(sided.map(({ by }) => by));
  const named = new Set(sided.filter(({ part }) => part !== 'side').map(({ by }) => by));
  const allSided = [
    // `Left-sided chest pain` is about the chest, and not also about a side.
    ...sided.filter(({ part, by }) => part !== 'side' || !named.has(by)).map(({ by: _, ...found }) => found),
    ...shortParts(tokens, language),
  ];
  const open = sides.filter(({ index }) => !used.has(index)).map(({ side, index }) => ({ side, index }));
  return {
    sided: allSided,
    open,
    parts: parts.map(({ id, first }) => ({ id, first })),
    places: new Set([...allSided.flatMap(placesOf), ...open.map(({ index }) => index)]),
  };
}

function placesOf({ first, end }: Pick<SidedPart, 'first' | 'end'>): readonly number[] {
  return Array.from({ length: end - first }, (_, ahead) => first + ahead);
}

/** Reads `LLL` and `FID`. */
function shortParts(tokens: readonly Token[], language: Language): readonly SidedPart[] {
  return tokens.flatMap(({ word, isUpper }, first) => {
    const found = isUpper ? SHORT_SIDED_PARTS[language].get(word) : undefined;
    return found === undefined ? [] : [{ ...found, first, end: first + 1 }];
  });
}

type FoundSide = { readonly side: Side; readonly index: number; readonly end: number };

function sideAt(tokens: readonly Token[], index: number, language: Language): FoundSide | undefined {
  const token = tokens[index];
  if (token?.kind !== 'word') return undefined;
  const side = SIDE_WORDS.get(token.word) ?? SIDE_WORDS.get(token.stem);
  if (side) return { side, index, end: index + 1 };
  const short = shortSide(tokens, index, language);
  if (short) return { side: short, index, end: index + 1 };
  const isTwo = BOTH_BY_TWO.some(([one, two]) => token.word === one && tokens[index + 1]?.word === two);
  return isTwo ? { side: 'both', index, end: index + 2 } : undefined;
}

/** Reads `R knee`, `rodilla dcha` and `otalgia D`. */
function shortSide(tokens: readonly Token[], index: number, language: Language): Side | undefined {
  const [before, token, next] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (token === undefined) return undefined;
  const written = SHORT_SIDES[language].get(token.word);
  if (written || !token.isUpper || token.word.length > 1) return written;
  const side = SIDE_LETTERS[language].get(token.word);
  // `L-sided`
  if (language === 'en' && next?.word === '-' && /^(?:sided|side)$/.test(tokens[index + 2]?.word ?? '')) return side;
  // `2 L`, `L5` and `R 18` are a volume, a vertebra and a rate.
  if (side === undefined || before?.kind === 'number' || next?.kind === 'number') return undefined;
  if (language === 'en') return next?.kind === 'word' && next.sentence === token.sentence ? side : undefined;
  const isBehind = before?.kind === 'word' && before.sentence === token.sentence;
  return isBehind && !NAMED_BY_LETTER.test(before.word) ? side : undefined;
}

/** True if what is between a side and a part belongs to one of them only: `R sciatica to little toe`, `fingers and both feet`. */
function isApart(tokens: readonly Token[], part: NamedThing, { index, end }: FoundSide, language: Language): boolean {
  const isBefore = index < part.first;
  const between = isBefore ? tokens.slice(end, part.first) : tokens.slice(part.end, index);
  if (isBefore) return between.some(({ word }) => TOWARDS.has(word));
  return language === 'en' && between.some(({ word }) => word === 'and' || word === ',');
}

function nearestSide(
  tokens: readonly Token[],
  part: NamedThing,
  sides: ReadonlyMap<number, FoundSide>,
  language: Language,
): readonly (SidedPart & { readonly by: number })[] {
  let nearest: { readonly found: FoundSide; readonly distance: number } | undefined;
  for (let index = part.first - 2 * REACH; index < part.end + 2 * REACH; index += 1) {
    const found = sides.get(index);
    if (found === undefined || tokens[index]?.sentence !== tokens[part.first]?.sentence) continue;
    const isBefore = found.index < part.first;
    if (isApart(tokens, part, found, language)) continue;
    const words = isBefore
      ? wordsBetween(tokens, found.end, part.first, REACH)
      : wordsBetween(tokens, part.end, found.index, REACH);
    // In English the side is before its part, in the other languages behind it.
    const distance = words + (isBefore === (language === 'en' || found.side === 'both') ? 0 : 0.5);
    if (words <= REACH && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) nearest = { found, distance };
  }
  if (nearest === undefined) return [];
  const { side, index, end } = nearest.found;
  return [{ side, part: part.id, first: Math.min(part.first, index), end: Math.max(part.end, end), by: index }];
}
