// Searches the conversation for a side of the body.
import type { Side } from './body-words.ts';
import type { SpokenFacts } from './spoken-facts.ts';
import { sideKey } from './spoken-sides.ts';
import { type ContentOf, latest, type Support } from './support-value.ts';

/** People name the larger part, or one beside it: `I twisted my right foot`, `o peito direito` of a breast. */
const NEAR_PARTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ankle: ['foot'],
    heel: ['foot'],
    toe: ['foot'],
    wrist: ['hand'],
    thumb: ['hand'],
    finger: ['hand'],
    calf: ['leg'],
    shin: ['leg'],
    thigh: ['leg'],
    elbow: ['arm'],
    head: ['eye', 'temple', 'face'],
    breast: ['chest'],
    chest: ['breast', 'rib'],
    pelvis: ['abdomen', 'groin'],
    flank: ['back', 'kidney'],
    kidney: ['flank'],
  }),
);
const SIDES = ['left', 'right', 'both'] as const;

/** What is written of a side as ill is not supported by a mention that calls it healthy. */
export function sideSupport({ side, part, isSpared }: ContentOf<'side'>, spoken: SpokenFacts): Support {
  const sides = isSpared ? spoken.sides : spoken.affectedSides;
  const own = sides.get(sideKey(side, part));
  if (own !== undefined) return own;
  if (part === 'side') return anyPart(side, sides);
  const isNamed = SIDES.some((one) => spoken.sides.has(sideKey(one, part)));
  const nearParts = isNamed ? [] : (NEAR_PARTS.get(part) ?? []);
  const near = nearParts.map((one) => sides.get(sideKey(side, one))).find((utterance) => utterance !== undefined);
  // `On the right side, down here`
  const unnamed = isNamed ? undefined : sides.get(sideKey(side, 'side'));
  const found = near ?? unnamed;
  if (found !== undefined || side !== 'both') return found ?? 'unsupported';
  const both = bothOf(part, sides);
  return both === 'unsupported' && !isNamed ? (spoken.pairs.get(part) ?? 'unsupported') : both;
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
