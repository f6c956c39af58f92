// Turns scores into probabilities and selects the conditions of the answer. "None of the known conditions" always has a share, so that
// a few weak findings never look like certainty.
import type { Category } from '../../domain/diagnosis/diagnosis.ts';
import { compareIds } from '../knowledge/findings.ts';
import type { Condition } from '../knowledge/knowledge.ts';
import type { FurtherCondition } from './consider-further.ts';
import type { Ranked } from './rank-conditions.ts';

/** Log-odds of "none of the conditions". */
const SOMETHING_ELSE = 0;
/** The same if hardly any of the text was understood. */
const SOMETHING_ELSE_UNHEARD = 2;
const MAX_LIKELY = 5;
const MIN_SHARE = 0.02;
/** A dangerous condition with a smaller share needs evidence of its own. */
const EVIDENT_SHARE = 0.1;
/** Limit of the dangerous conditions that have evidence of their own, in addition to the likely ones. */
const MAX_NOT_MISSED = 5;
/** Limit of the dangerous conditions without such evidence, which are named in words and are no candidates. */
const MAX_TO_EXCLUDE = 3;
/** Share, relative to the first condition, from which on a condition is also "most likely". */
const AS_LIKELY = 0.5;

export type SelectedCondition = Ranked & {
  readonly share: number;
  readonly category: Category;
  /** True if it is listed for safety and not for its probability. */
  readonly isForSafety: boolean;
};

export type Selection = {
  /** The likely conditions, best first, then the unlikely ones that must not be missed, best first. */
  readonly answered: readonly SelectedCondition[];
  /** Dangerous conditions that nothing in particular speaks for, best fit first. */
  readonly toExclude: readonly Condition[];
};

type Parts = {
  /** Sorted by score, best first. */
  readonly ranked: readonly Ranked[];
  /** Conditions to consider for safety, best fit first. */
  readonly besides?: readonly FurtherCondition[];
  readonly isUnderstood: boolean;
};

export function selectAnswers({ ranked, besides = [], isUnderstood }: Parts): Selection {
  const isRanked = new Set(ranked.map(({ condition }) => condition));
  const evident = besides.filter(({ ownEvidence }) => ownEvidence === 'clear');
  const outside = evident.filter(({ condition }) => !isRanked.has(condition)).slice(0, MAX_NOT_MISSED);
  const all = [...ranked, ...outside].sort(byScore);
  const shares = softmax(all, isUnderstood ? SOMETHING_ELSE : SOMETHING_ELSE_UNHEARD);
  const isEvident = new Set(evident.map(({ condition }) => condition));
  const isLikelyEnough = (one: Ranked): boolean => {
    const least =
      one === ranked[0] || !one.condition.mustNotMiss || isEvident.has(one.condition) ? MIN_SHARE : EVIDENT_SHARE;
    return share(shares, one) >= least;
  };
  const likely = ranked.filter(isLikelyEnough).slice(0, MAX_LIKELY);
  const isLikely = new Set(likely.map(({ condition }) => condition));
  const further = besides.filter(({ condition }) => !isLikely.has(condition));
  const notMissed = further.filter(({ ownEvidence }) => ownEvidence === 'clear').slice(0, MAX_NOT_MISSED);
  const isForSafety = new Set(notMissed.map(({ condition }) => condition));
  const answered = [...likely, ...all.filter(({ condition }) => isForSafety.has(condition))].map((one) => ({
    ...one,
    share: share(shares, one),
    category: categoryOf(one, { first: likely[0], shares }),
    isForSafety: isForSafety.has(one.condition),
  }));
  const toExclude = further.map(({ condition }) => condition).filter((condition) => !isForSafety.has(condition));
  return { answered, toExclude: toExclude.slice(0, MAX_TO_EXCLUDE) };
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
