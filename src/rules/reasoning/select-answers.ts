// How likely each is, and which of them are answered. Something else than what is known here always has its share, so that
// a few weak findings never look like certainty.
import type { Category } from '../../domain/diagnosis/diagnosis.ts';
import type { Words } from '../knowledge/knowledge.ts';
import type { Thought } from './consider-further.ts';
import { compareIds, type Ranked } from './rank-conditions.ts';

/** Log-odds of what is none of the conditions. */
const SOMETHING_ELSE = 0;
/** The same, where hardly anything of the text was understood. */
const SOMETHING_ELSE_UNHEARD = 2;
const MAX_ANSWERED = 8;
const MIN_SHARE = 0.02;
/** So many are named also where the first is nearly sure, if they are not quite out of the question. */
const MIN_ANSWERED = 3;
const LEAST_SHARE = 0.002;
/** Besides the likely ones. */
const MAX_NOT_MISSED = 8;
/** Of the share of the first. */
const AS_LIKELY = 0.5;

export type Answered = Ranked & {
  readonly share: number;
  readonly category: Category;
  /** The names of what brings it to mind, where it is not for its likelihood that it is told. */
  readonly thoughtOfWith: readonly Words[];
};

type Parts = {
  /** Best first. */
  readonly ranked: readonly Ranked[];
  /** What is to be thought of besides, what fits best first. */
  readonly besides?: readonly Thought[];
  readonly isUnderstood: boolean;
};

/** The likely ones, best first; after them what must not be missed though it is not likely, best first, too. */
export function shareOut({ ranked, besides = [], isUnderstood }: Parts): readonly Answered[] {
  const isRanked = new Set(ranked.map(({ condition }) => condition));
  const outside = besides.filter(({ condition }) => !isRanked.has(condition)).slice(0, MAX_NOT_MISSED);
  const all = [...ranked, ...outside].sort(byScore);
  const shares = softmax(all, isUnderstood ? SOMETHING_ELSE : SOMETHING_ELSE_UNHEARD);
  const likely = likelyOf(ranked, shares);
  const isLikely = new Set(likely.map(({ condition }) => condition));
  const notMissed = besides.filter(({ condition }) => !isLikely.has(condition)).slice(0, MAX_NOT_MISSED);
  const toTell = new Map(notMissed.map((one) => [one.condition, one.thoughtOfWith]));
  return [...likely, ...all.filter(({ condition }) => toTell.has(condition))].map((one) => ({
    ...one,
    share: share(shares, one),
    category: categoryOf(one, { first: likely[0], shares }),
    thoughtOfWith: toTell.get(one.condition) ?? [],
  }));
}

/** What must not be missed is not needed to fill up: it has a place of its own. */
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
