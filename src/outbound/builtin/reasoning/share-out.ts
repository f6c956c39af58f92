// How likely each is, and which of them are answered. Something else than what is known here always has its share, so that
// a few weak findings never look like certainty.
import type { Category } from '../../../domain/diagnosis.ts';
import type { Ranked } from './rank-conditions.ts';

/** Log-odds of what is none of the conditions. */
const SOMETHING_ELSE = 0;
/** The same, where hardly anything of the text was understood. */
const SOMETHING_ELSE_UNHEARD = 2;
const MAX_ANSWERED = 8;
const MIN_SHARE = 0.02;
/** Behind the best in log-odds: what must not be missed is named up to there, whatever its share. */
const NOT_MISSED_WITHIN = 3.5;
const MAX_NOT_MISSED = 4;
/** Of the share of the first. */
const AS_LIKELY = 0.5;

export type Answered = Ranked & { readonly share: number; readonly category: Category };

/** `ranked`: best first. In the same order. */
export function shareOut(
  ranked: readonly Ranked[],
  { isUnderstood }: { readonly isUnderstood: boolean },
): readonly Answered[] {
  const [best] = ranked;
  if (best === undefined) return [];
  const shares = softmax(ranked, isUnderstood ? SOMETHING_ELSE : SOMETHING_ELSE_UNHEARD);
  const likely = ranked.filter((one) => share(shares, one) >= MIN_SHARE).slice(0, MAX_ANSWERED);
  const isLikely = new Set(likely);
  const notMissed = ranked
    .filter((one) => one.condition.mustNotMiss && !isLikely.has(one) && one.score >= best.score - NOT_MISSED_WITHIN)
    .slice(0, MAX_NOT_MISSED);
  const isAnswered = new Set([...likely, ...notMissed]);
  return ranked
    .filter((one) => isAnswered.has(one))
    .map((one) => ({ ...one, share: share(shares, one), category: categoryOf(one, { first: likely[0], shares }) }));
}

function softmax(ranked: readonly Ranked[], somethingElse: number): ReadonlyMap<Ranked, number> {
  // From the highest, so that no power grows beyond what a number holds.
  const highest = Math.max(somethingElse, ranked[0]?.score ?? somethingElse);
  const powers = ranked.map(({ score }) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, Math.exp(somethingElse - highest));
  return new Map(ranked.map((one, index) => [one, (powers[index] ?? 0) / all]));
}

function share(shares: ReadonlyMap<Ranked, number>, one: Ranked): number {
  return shares.get(one) ?? 0;
}

type Standing = { readonly first: Ranked | undefined; readonly shares: ReadonlyMap<Ranked, number> };

function categoryOf(one: Ranked, { first, shares }: Standing): Category {
  if (one === first) return 'most-likely';
  if (one.condition.mustNotMiss) return 'cant-miss';
  return first !== undefined && share(shares, one) >= share(shares, first) * AS_LIKELY ? 'most-likely' : 'expanded';
}
