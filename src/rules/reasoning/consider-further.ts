// Finds the conditions that a careful clinician considers besides the likely ones: dangerous alternatives and complications of the
// likely ones, and conditions that must be considered with such a complaint. Those with evidence of their own become candidates; the
// others are only named as not to be overlooked.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { hiddenDangers } from './hidden-dangers.ts';
import { type OwnEvidence, weighOwnEvidence } from './own-evidence.ts';
import { isSuggested } from './patient-fit.ts';
import { isRuledOut, type Ranked, rank } from './rank-conditions.ts';

/** Alternatives are searched for this many of the best conditions, if they are within LEADING_WITHIN of the best score. */
const LEADING = 3;
const LEADING_HIDDEN = 2;
const LEADING_WITHIN = 2;
/** Bonus in log-odds: an alternative of a leading condition fits better than one that only the complaint suggests. */
const OF_THE_BEST = 3;
const OF_ANOTHER = 1.5;
/** Distance from the best score in log-odds: a candidate that must not be missed is considered up to here, whatever its probability. */
const NEAR = 3.5;
/** The same for hidden dangers: no finding that they need was found, so they must fit nearly as well as the best. */
const HIDDEN_WITHIN = 2.5;
/** Log-odds that replace the best score if there is no candidate. */
const NOTHING = -1;

export type FurtherCondition = Ranked & { readonly ownEvidence: OwnEvidence };

/** Returns the best fit first. `ranked` is sorted by score; its conditions may appear again in the result. */
export function considerFurther(
  knowledge: Knowledge,
  facts: HistoryFacts,
  ranked: readonly Ranked[],
): readonly FurtherCondition[] {
  const best = ranked[0]?.score ?? NOTHING;
  const first = ranked[0]?.condition;
  const hidden = hiddenDangers(knowledge, facts).filter(
    ({ fit, score }) => fit === 'fits' && score >= best - HIDDEN_WITHIN,
  );
  const leading = [...ranked.slice(0, LEADING), ...hidden.slice(0, LEADING_HIDDEN)].filter(
    ({ score }) => score >= best - LEADING_WITHIN,
  );
  const isRanked = new Set(ranked.map(({ condition }) => condition));
  const isHidden = new Set(hidden.map(({ condition }) => condition));
  return rank(knowledge, facts, ({ mustNotMiss }) => mustNotMiss)
    .filter((one) => one.fit === 'fits' && !isRuledOut(one))
    .flatMap((one) => {
      const likely = leading.filter(({ condition }) => condition.alsoThink.includes(one.condition.id));
      const isToConsider = isHidden.has(one.condition) || isSuggested(one.condition, facts, knowledge);
      const isCandidate = isRanked.has(one.condition);
      if (likely.length === 0 && !isToConsider && !(isCandidate && one.score >= best - NEAR)) return [];
      const ahead = likely[0] === undefined ? 0 : likely[0] === ranked[0] ? OF_THE_BEST : OF_ANOTHER;
      // A condition for which no complaint speaks is never shown as likely.
      const score = isCandidate ? one.score : Math.min(one.score, best - NEAR);
      const fit = (isHidden.has(one.condition) ? one.score : score) + ahead;
      return [{ further: { ...one, score, ownEvidence: weighOwnEvidence(one, facts, knowledge, first) }, fit }];
    })
    .sort((one, other) => other.fit - one.fit)
    .map(({ further }) => further);
}
