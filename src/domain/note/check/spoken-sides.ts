// The sides that a conversation names, each with its part of the body, and those of them that it does not call healthy.
import type { Side } from './body-words.ts';
import type { OpenSide } from './sides.ts';
import { isSaidSpared } from './spared-sides.ts';
import type { TextFacts } from './text-facts.ts';

export type SpokenSides = {
  /** The first utterance with `left knee`. */
  readonly sides: ReadonlyMap<string, number>;
  /** The same without utterances that call it healthy. */
  readonly affectedSides: ReadonlyMap<string, number>;
  /** The first utterance with each part of the body in the plural: `my legs`. */
  readonly pairs: ReadonlyMap<string, number>;
};
/** Whether the finding at this place is denied, by its own sentence or by the answer. */
type IsDeniedAt = (utterance: number, first: number, isDenied: boolean) => boolean;
type Mention = { readonly key: string; readonly utterance: number; readonly isSpared: boolean };

const MAX_PARTS = 6;
const SIDE_REACH = 2;

export function sideKey(side: Side, part: string): string {
  return `${side} ${part}`;
}

export function collectSides(readings: readonly TextFacts[], isDeniedAt: IsDeniedAt): SpokenSides {
  const mentions = [...namedSides(readings, isDeniedAt), ...openSides(readings, isDeniedAt)];
  const affected = mentions.filter(({ isSpared }) => !isSpared);
  return { sides: firstOf(mentions), affectedSides: firstOf(affected), pairs: collectPairs(readings) };
}

function collectPairs(readings: readonly TextFacts[]): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>();
  for (const [utterance, { tokens, sides }] of readings.entries()) {
    for (const { id, first } of sides.parts) {
      const word = tokens[first]?.word ?? '';
      const isPlural = word === 'feet' || (word.endsWith('s') && word !== tokens[first]?.stem);
      if (isPlural && !pairs.has(id)) pairs.set(id, utterance);
    }
  }
  return pairs;
}

/** Of several mentions of one side the first in the list counts: a part that is named is surer than one that is not. */
function firstOf(mentions: readonly Mention[]): ReadonlyMap<string, number> {
  return new Map(mentions.toReversed().map(({ key, utterance }) => [key, utterance]));
}

function namedSides(readings: readonly TextFacts[], isDeniedAt: IsDeniedAt): readonly Mention[] {
  return readings.flatMap((reading, utterance) =>
    reading.sides.sided.map(({ side, part, first, end }) => {
      const isSpared = isSparedAt(reading, utterance, { first, end }, isDeniedAt);
      return { key: sideKey(side, part), utterance, isSpared };
    }),
  );
}

/** Finds the part for a side without one: `Which knee?` - `The left one.` */
function openSides(readings: readonly TextFacts[], isDeniedAt: IsDeniedAt): readonly Mention[] {
  return readings.flatMap((reading, utterance) =>
    reading.sides.open.flatMap((open) => {
      const isSpared = isSparedAt(reading, utterance, { first: open.index, end: open.index + 1 }, isDeniedAt);
      return partsFor(readings, utterance, open).map((part) => {
        return { key: sideKey(open.side, part), utterance, isSpared };
      });
    }),
  );
}

function isSparedAt(
  reading: TextFacts,
  utterance: number,
  span: { readonly first: number; readonly end: number },
  isDeniedAt: IsDeniedAt,
): boolean {
  // `Are you right handed?` - `No, left.`
  if (isDeniedAt(utterance, span.first, false)) return true;
  return isSaidSpared(reading, span, ({ first, isDenied }) => isDeniedAt(utterance, first, isDenied));
}

/** Those of the last sentence before the side that names any; otherwise those of the utterance, or of the ones before. */
function partsFor(readings: readonly TextFacts[], utterance: number, { index }: OpenSide): readonly string[] {
  const { tokens = [], sides } = readings[utterance] ?? {};
  const last = sides?.parts.findLastIndex(({ first }) => first < index) ?? -1;
  // No sentence names more parts that a side could mean.
  const before = sides?.parts.slice(Math.max(0, last + 1 - MAX_PARTS), last + 1) ?? [];
  const sentence = tokens[before.at(-1)?.first ?? -1]?.sentence;
  if (sentence !== undefined) {
    return before.filter(({ first }) => tokens[first]?.sentence === sentence).map(({ id }) => id);
  }
  const places = Array.from({ length: SIDE_REACH + 1 }, (_, back) => utterance - back);
  const place = places.find((at) => (readings[at]?.sides.parts.length ?? 0) > 0);
  return place === undefined ? ['side'] : (readings[place]?.sides.parts.slice(-MAX_PARTS) ?? []).map(({ id }) => id);
}
