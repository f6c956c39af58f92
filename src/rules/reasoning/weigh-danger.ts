// Computes which share of the candidates is dangerous, if no single dangerous condition is likely enough. In favour of caution, absent
// findings and unexplained complaints do not count against a dangerous condition.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { compareIds } from '../knowledge/findings.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import { hiddenDangers } from './hidden-dangers.ts';
import { weighOwnEvidence } from './own-evidence.ts';
import { fitOf } from './patient-requirement.ts';
import { type Ranked, rankConditions, weighUnexplained } from './rank-conditions.ts';

/** In log-odds: a condition whose `urgent` is higher can be mild, and does not count as dangerous. */
const MILD_FROM = 2;
/** Log-odds of "none of the conditions", which counts as harmless. */
const SOMETHING_ELSE = 0;

export type WeighedDanger = {
  /** The dangerous part of all candidates, 0 to 1. */
  readonly share: number;
  /** Most likely first. */
  readonly conditions: readonly Pick<Ranked, 'condition' | 'fit'>[];
};

/** `isOnlyEvident`: only conditions for which a finding speaks in particular count. */
export function weighDanger(
  knowledge: Knowledge,
  facts: HistoryFacts,
  { isOnlyEvident }: { readonly isOnlyEvident: boolean },
): WeighedDanger {
  const isEvident = (one: Ranked): boolean => !isOnlyEvident || weighOwnEvidence(one, facts, knowledge) !== 'none';
  const findings = new Map([...facts.findings].filter(([, { presence }]) => presence !== 'absent'));
  const withoutAbsent = { ...facts, findings };
  // A state that was denied, such as a pregnancy, rules its conditions out.
  const isPossible = ({ condition }: Ranked): boolean => fitOf(condition, facts, knowledge) !== 'excluded';
  const ranked = rankConditions(knowledge, withoutAbsent).filter(isPossible);
  const dangerous = [...ranked, ...hiddenDangers(knowledge, withoutAbsent).filter(isPossible)]
    .filter((one) => isDangerous(one.condition) && isEvident(one))
    .map(({ score, unexplained, ...one }) => ({ ...one, score: score - weighUnexplained(unexplained) }))
    .sort((one, other) => other.score - one.score || compareIds(one.condition.id, other.condition.id));
  const harmless = ranked.filter(({ condition }) => !isDangerous(condition));
  return {
    share: shareOf(dangerous.map(scoreOf), [SOMETHING_ELSE, ...harmless.map(scoreOf)]),
    conditions: dangerous.map(({ condition, fit }) => ({ condition, fit })),
  };
}

function isDangerous({ mustNotMiss, urgent }: Condition): boolean {
  return mustNotMiss && urgent !== undefined && urgent <= MILD_FROM;
}

function scoreOf({ score }: Pick<Ranked, 'score'>): number {
  return score;
}

function shareOf(scores: readonly number[], others: readonly number[]): number {
  // Relative to the highest score, so that no power overflows.
  const highest = Math.max(...scores, ...others);
  const sum = (all: readonly number[]): number => all.reduce((total, score) => total + Math.exp(score - highest), 0);
  return sum(scores) / (sum(scores) + sum(others));
}
