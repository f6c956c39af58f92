// Finds dangerous conditions for which no needed finding but several other findings were found: the needed one may have been stated in
// words that are in no lexicon.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { withoutImplied } from '../knowledge/findings.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { type Evidence, isCandidate, isRuledOut, type Ranked, rank } from './rank-conditions.ts';

const SEVERAL = 2;
/** Log-odds: two findings that go with nearly everything, such as nausea and vomiting, are not enough. */
const ENOUGH = 1;

/** Returns the best first. */
export function hiddenDangers(knowledge: Knowledge, facts: HistoryFacts): readonly Ranked[] {
  const hidden = rank(
    knowledge,
    facts,
    (condition, possible) => condition.mustNotMiss && !isCandidate(condition, possible),
  );
  return hidden.filter((one) => {
    const speaking = speakingFor(one);
    return !isRuledOut(one) && speaking.length >= SEVERAL && sumOf(speaking) >= ENOUGH;
  });
}

/** Independent findings only: a productive cough and the cough that it implies count as one. */
function speakingFor({ evidence }: Ranked): readonly Evidence[] {
  return withoutImplied(evidence.filter(({ presence, weight }) => presence !== 'absent' && weight > 0));
}

function sumOf(evidence: readonly Evidence[]): number {
  return evidence.reduce((sum, { weight }) => sum + weight, 0);
}
