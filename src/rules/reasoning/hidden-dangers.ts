// Dangerous conditions of which nothing was heard that they need, and several other things that go with them: what they need may
// have been said in words that nobody here knows.
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { type Evidence, isCandidate, isRuledOut, type Ranked, rank } from './rank-conditions.ts';

const SEVERAL = 2;
/** Log-odds: two that go with nearly everything, as nausea with vomiting, bring nothing to mind. */
const ENOUGH = 1;

/** Best first. */
export function hiddenDangers(knowledge: Knowledge, heard: HistoryFacts): readonly Ranked[] {
  const hidden = rank(
    knowledge,
    heard,
    (condition, possible) => condition.mustNotMiss && !isCandidate(condition, possible),
  );
  return hidden.filter((one) => {
    const speaking = speakingFor(one);
    return !isRuledOut(one) && speaking.length >= SEVERAL && sumOf(speaking) >= ENOUGH;
  });
}

/** Each for itself: a productive cough and the cough that it implies are one. */
export function speakingFor({ evidence }: Ranked): readonly Evidence[] {
  const speaking = evidence.filter(({ presence, weight }) => presence !== 'absent' && weight > 0);
  const implied = new Set(speaking.flatMap(({ finding }) => finding.implies));
  return speaking.filter(({ id }) => !implied.has(id));
}

function sumOf(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, { weight }) => sum + weight, 0);
}
