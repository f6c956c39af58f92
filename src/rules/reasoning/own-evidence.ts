// Decides whether the patient has findings that speak for a dangerous condition in particular. Without them it is only the dangerous
// alternative of another condition, or goes with a complaint that goes with everything: then it is no candidate.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { withoutImplied } from '../knowledge/findings.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import type { Ranked } from './rank-conditions.ts';

/** Log-odds, in the words of FORMAT.md: what speaks "clearly" for a condition, and "slightly". Of one finding or of several together. */
const CLEARLY = 1;
const SLIGHTLY = 0.5;
/** A finding that speaks for more conditions goes with everything: fever, vomiting, tiredness, a long duration. */
const MOST_CONDITIONS = 45;
/** A finding that speaks for so few conditions is clear, if it is one with which this condition must be considered. */
const FEW_CONDITIONS = 10;

export type OwnEvidence = 'clear' | 'slight' | 'none';

/**
 * Only findings that are present count: what is uncertain, or was only asked, is no evidence. Beside a leading condition only those count
 * that it does not explain: the others are no reason to think of another one.
 */
export function weighOwnEvidence(
  { condition, evidence }: Pick<Ranked, 'condition' | 'evidence'>,
  facts: HistoryFacts,
  knowledge: Knowledge,
  leading?: Condition,
): OwnEvidence {
  const counts = countsOf(knowledge);
  const countOf = (id: string): number => counts.get(id) ?? 0;
  const explained = leading === undefined ? NOTHING : explainedBy(leading, knowledge);
  const isExplained = (id: string): boolean => explained.has(id);
  const suggesting = (condition.consider?.with ?? []).filter((id) => facts.findings.get(id)?.presence === 'present');
  const isTelling = (id: string): boolean => !condition.findings.has(id) || !isExplained(id);
  if (suggesting.some((id) => countOf(id) <= FEW_CONDITIONS && isTelling(id))) return 'clear';
  const particular = evidence.filter(
    ({ id, presence, weight }) =>
      presence === 'present' && weight > 0 && !isExplained(id) && countOf(id) <= MOST_CONDITIONS,
  );
  const sum = withoutImplied(particular).reduce((total, { weight }) => total + weight, 0);
  return sum >= CLEARLY ? 'clear' : sum >= SLIGHTLY ? 'slight' : 'none';
}

const NOTHING: ReadonlySet<string> = new Set();

/** The findings that speak for the condition, and those that they imply: with a barking cough it explains a cough. */
function explainedBy({ findings }: Condition, knowledge: Knowledge): ReadonlySet<string> {
  const speaking = [...findings].flatMap(([id, { present }]) => (present > 0 ? [id] : []));
  return new Set(speaking.flatMap((id) => [id, ...(knowledge.findings.get(id)?.implies ?? [])]));
}

/** The knowledge is immutable, so that it is counted once. */
const counted = new WeakMap<Knowledge, ReadonlyMap<string, number>>();

/** For how many conditions each finding speaks. */
function countsOf(knowledge: Knowledge): ReadonlyMap<string, number> {
  const stored = counted.get(knowledge);
  if (stored !== undefined) return stored;
  const counts = new Map<string, number>();
  for (const { findings } of knowledge.conditions)
    findings.forEach(({ present }, id) => {
      if (present > 0) counts.set(id, (counts.get(id) ?? 0) + 1);
    });
  counted.set(knowledge, counts);
  return counts;
}
