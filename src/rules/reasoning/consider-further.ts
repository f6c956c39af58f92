// What a careful clinician has in mind besides the likely answers, however little speaks for it: the dangerous alternatives and
// complications of what is likely, and what must be thought of with such a complaint at all.
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Condition, Finding, Knowledge, Words } from '../knowledge/knowledge.ts';
import { hiddenDangers, speakingFor } from './hidden-dangers.ts';
import { isThere, mayFit } from './patient-fit.ts';
import { isRuledOut, type Ranked, rank } from './rank-conditions.ts';

/** Alternatives are looked for of so many of the best, and of those only where they are not far behind. */
const LEADING = 3;
const LEADING_HIDDEN = 2;
const LEADING_WITHIN = 2;
/** Log-odds ahead of what only the complaint brings to mind: an alternative of the best fits more than the complaint. */
const OF_THE_BEST = 3;
const OF_ANOTHER = 1.5;
/** Behind the best in log-odds: what comes into question and must not be missed is thought of up to there, whatever its share. */
const NEAR = 3.5;
/** The same of what is hidden: nothing was heard that it needs, so it has to fit nearly as well as the best. */
const HIDDEN_WITHIN = 2.5;
/** Log-odds that stand for the best where nothing comes into question. */
const NOTHING = -1;

export type Thought = Ranked & {
  /** The names of findings and conditions that bring it to mind. */
  readonly thoughtOfWith: readonly Words[];
};

/** What fits best first. `ranked`: best first; what is in it may come again. */
export function thinkFurther(knowledge: Knowledge, heard: HistoryFacts, ranked: readonly Ranked[]): readonly Thought[] {
  const best = ranked[0]?.score ?? NOTHING;
  const hidden = hiddenDangers(knowledge, heard).filter(({ score }) => score >= best - HIDDEN_WITHIN);
  const leading = [...ranked.slice(0, LEADING), ...hidden.slice(0, LEADING_HIDDEN)].filter(
    ({ score }) => score >= best - LEADING_WITHIN,
  );
  const isRanked = new Set(ranked.map(({ condition }) => condition));
  const isHidden = new Set(hidden.map(({ condition }) => condition));
  return rank(knowledge, heard, ({ mustNotMiss }) => mustNotMiss)
    .filter((one) => !isRuledOut(one))
    .flatMap((one) => {
      const likely = leading.filter(({ condition }) => condition.alsoThink.includes(one.condition.id));
      const found = [
        ...broughtBy(one.condition, heard, knowledge),
        ...(isHidden.has(one.condition) ? speakingFor(one).map(({ finding }) => finding) : []),
      ];
      const names = [...likely.map(({ condition }) => condition.name), ...found.map(({ name }) => name)];
      const isCandidate = isRanked.has(one.condition);
      if (names.length === 0 && !(isCandidate && one.score >= best - NEAR)) return [];
      const ahead = likely[0] === undefined ? 0 : likely[0] === ranked[0] ? OF_THE_BEST : OF_ANOTHER;
      // What nothing of the complaint speaks for is never told as likely.
      const score = isCandidate ? one.score : Math.min(one.score, best - NEAR);
      const fit = (isHidden.has(one.condition) ? one.score : score) + ahead;
      return [{ thought: { ...one, score, thoughtOfWith: [...new Set(names)] }, fit }];
    })
    .sort((one, other) => other.fit - one.fit)
    .map(({ thought }) => thought);
}

function broughtBy({ consider }: Condition, heard: HistoryFacts, knowledge: Knowledge): readonly Finding[] {
  if (consider === undefined || !mayFit(consider, heard, knowledge)) return [];
  return consider.with.flatMap((id) => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && isThere(heard, id) ? [finding] : [];
  });
}
