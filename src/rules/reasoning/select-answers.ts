// Turns scores into probabilities and selects the conditions of the answer. "None of the known conditions" always has a share, so that
// a few weak findings never look like certainty.
import type { Category } from '../../domain/diagnosis/diagnosis.ts';
import { compareIds } from '../knowledge/findings.ts';
import type { Translations } from '../knowledge/knowledge.ts';
import type { FurtherCondition } from './consider-further.ts';
import type { Ranked } from './rank-conditions.ts';

/** Log-odds of "none of the conditions". */
const SOMETHING_ELSE = 0;
/** The same if hardly any of the text was understood. */
const SOMETHING_ELSE_UNHEARD = 2;
const MAX_ANSWERED = 8;
const MIN_SHARE = 0.02;
/** This many are named even if the first is nearly certain, as long as their share is at least LEAST_SHARE. */
const MIN_ANSWERED = 3;
const LEAST_SHARE = 0.002;
/** Limit of the conditions that are listed for safety, in addition to the likely ones. */
const MAX_NOT_MISSED = 8;
/** Share, relative to the first condition, from which on a condition is also "most likely". */
const AS_LIKELY = 0.5;

export type SelectedCondition = Ranked & {
  readonly share: number;
  readonly category: Category;
  /** The names of the findings and conditions that suggest it, if it is listed for safety and not for its probability. */
  readonly suggestedBy: readonly Translations[];
};

type Parts = {
  /** Sorted by score, best first. */
  readonly ranked: readonly Ranked[];
  /** Conditions to list for safety, best fit first. */
  readonly besides?: readonly FurtherCondition[];
  readonly isUnderstood: boolean;
};

/** Returns the likely conditions, best first, then the unlikely ones that must not be missed, best first. */
export function selectAnswers({ ranked, besides = [], isUnderstood }: Parts): readonly SelectedCondition[] {
  const isRanked = new Set(ranked.map(({ condition }) => condition));
  const outside = besides.filter(({ condition }) => !isRanked.has(condition)).slice(0, MAX_NOT_MISSED);
  const all = [...ranked, ...outside].sort(byScore);
  const shares = softmax(all, isUnderstood ? SOMETHING_ELSE : SOMETHING_ELSE_UNHEARD);
  const likely = likelyOf(ranked, shares);
  const isLikely = new Set(likely.map(({ condition }) => condition));
  const notMissed = besides.filter(({ condition }) => !isLikely.has(condition)).slice(0, MAX_NOT_MISSED);
  const toTell = new Map(notMissed.map((one) => [one.condition, one.suggestedBy]));
  return [...likely, ...all.filter(({ condition }) => toTell.has(condition))].map((one) => ({
    ...one,
    share: share(shares, one),
    category: categoryOf(one, { first: likely[0], shares }),
    suggestedBy: toTell.get(one.condition) ?? [],
  }));
}

/** Conditions that must not be missed do not fill the list up: they have their own part. */
function likelyOf(ranked: readonly Ranked[], shares: ReadonlyMap<Ranked, number>): readonly Ranked[] {
  const likely = ranked.filter((one) => share(shares, one) >= MIN_SHARE).slice(0, MAX_ANSWERED);
  const more = ranked.filter(
    (one) => !one.condition.mustNotMiss && !likely.includes(one) && share(shares, one) >= LEAST_SHARE,
  );
  return [...likely, ...more.slice(0, Math.max(0, MIN_ANSWERED - likely.length))];
}

function byScore(one: Ranked, other: Ranked): number {
  return other.score - one.score || compareIds(one.condition.id, other.condition.id);
}

function softmax(ranked: readonly Ranked[], somethingElse: number): ReadonlyMap<Ranked, number> {
  // Relative to the highest score, so that no power overflows.
  const highest = Math.max(somethingElse, ranked[0]?.score ?? somethingElse);
  const powers = ranked.map(({ score }) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, Math.exp(somethingElse - highest));
  return new Map(ranked.map((one, index) => [one, (powers[index] ?? 0) / all]));
}

function share(shares: ReadonlyMap<Ranked, number>, one: Ranked): number {
  return shares.get(one) ?? 0;
}

type ShareContext = { readonly first: Ranked | undefined; readonly shares: ReadonlyMap<Ranked, number> };

function categoryOf(one: Ranked, { first, shares }: ShareContext): Category {
  if (one === first) return 'most-likely';
  if (one.condition.mustNotMiss) return 'cant-miss';
  return first !== undefined && share(shares, one) >= share(shares, first) * AS_LIKELY ? 'most-likely' : 'expanded';
}
