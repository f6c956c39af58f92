// Finds the dangerous conditions that come into question but are not named, because the history does not state whether the patient can
// have them: with pelvic pain an ectopic pregnancy is no candidate before a pregnancy is known, but a test belongs to the next steps.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import { weighOwnEvidence } from './own-evidence.ts';
import { isSuggested } from './patient-fit.ts';
import { isCandidate, isRuledOut, rank } from './rank-conditions.ts';

/** Returns the best fit first. */
export function findUnclear(knowledge: Knowledge, facts: HistoryFacts): readonly Condition[] {
  const required = rank(knowledge, facts, (condition, possible) => {
    if (condition.only === undefined || !condition.mustNotMiss) return false;
    return isCandidate(condition, possible) || isSuggested(condition, possible, knowledge);
  });
  return required
    .filter((one) => one.fit === 'unknown' && !isRuledOut(one))
    .filter(
      (one) => isSuggested(one.condition, facts, knowledge) || weighOwnEvidence(one, facts, knowledge) === 'clear',
    )
    .map(({ condition }) => condition);
}
