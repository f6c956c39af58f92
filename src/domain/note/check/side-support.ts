// Searches the conversation for a side of the body.
import type { Side } from './body-words.ts';
import type { SpokenFacts } from './spoken-facts.ts';
import { sideKey } from './spoken-sides.ts';
import { type ContentOf, latest, type Support } from './support-value.ts';

/** People name the larger part: `I twisted my right foot`. */
const NEAR_PARTS: ReadonlyMap<string, string> = new Map([
  ['ankle', 'foot'],
  ['heel', 'foot'],
  ['toe', 'foot'],
  ['wrist', 'hand'],
  ['thumb', 'hand'],
  ['finger', 'hand'],
  ['calf', 'leg'],
  ['shin', 'leg'],
  ['thigh', 'leg'],
  ['elbow', 'arm'],
]);
const SIDES = ['left', 'right', 'both'] as const;

/** What is written of a side as ill is not supported by a mention that calls it healthy. */
export function sideSupport({ side, part, isSpared }: ContentOf<'side'>, spoken: SpokenFacts): Support {
  const sides = isSpared ? spoken.sides : spoken.affectedSides;
  const own = sides.get(sideKey(side, part));
  if (own !== undefined) return own;
  if (part === 'side') return anyPart(side, sides);
  const nearPart = NEAR_PARTS.get(part);
  const isNamed = SIDES.some((one) => spoken.sides.has(sideKey(one, part)));
  const near = nearPart === undefined || isNamed ? undefined : sides.get(sideKey(side, nearPart));
  // `On the right side, down here`
  const unnamed = isNamed ? undefined : sides.get(sideKey(side, 'side'));
  return near ?? unnamed ?? (side === 'both' ? bothOf(part, sides) : 'unsupported');
}

/** Without a part any part of that side will do. */
function anyPart(side: Side, sides: SpokenFacts['sides']): Support {
  for (const [key, utterance] of sides) if (key.startsWith(`${side} `)) return utterance;
  if (side !== 'both') return 'unsupported';
  const lefts = [...sides.keys()].flatMap((key) => (key.startsWith('left ') ? key.slice('left '.length) : []));
  return lefts.map((part) => bothOf(part, sides)).find((support) => support !== 'unsupported') ?? 'unsupported';
}

function bothOf(part: string, sides: SpokenFacts['sides']): Support {
  return latest([sides.get(sideKey('left', part)), sides.get(sideKey('right', part))]);
}
