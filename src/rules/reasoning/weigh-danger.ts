// How much of what it may be is dangerous, where nothing dangerous is likely enough by itself. The danger has the benefit of every
// doubt: what was said to be absent takes nothing from it, nor does what it leaves unexplained.
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import { hiddenDangers } from './hidden-dangers.ts';
import { compareIds, type Ranked, rankConditions, weighUnexplained } from './rank-conditions.ts';

/** Log-odds: a condition that is urgent only from more than this can be mild, and is not counted. */
const MILD_FROM = 2;
/** Log-odds of what is none of the conditions, and harmless. */
const SOMETHING_ELSE = 0;

export type WeighedDanger = {
  /** 0 to 1: the part of all that comes into question. */
  readonly share: number;
  /** Most likely first. */
  readonly conditions: readonly Condition[];
};

export function weighDanger(knowledge: Knowledge, heard: HistoryFacts): WeighedDanger {
  const findings = new Map([...heard.findings].filter(([, { presence }]) => presence !== 'absent'));
  const said = { ...heard, findings };
  const ranked = rankConditions(knowledge, said);
  const dangerous = [...ranked, ...hiddenDangers(knowledge, said)]
    .filter(({ condition }) => isDangerous(condition))
    .map(({ condition, score, unexplained }) => ({ condition, score: score - weighUnexplained(unexplained) }))
    .sort((one, other) => other.score - one.score || compareIds(one.condition.id, other.condition.id));
  const harmless = ranked.filter(({ condition }) => !isDangerous(condition));
  return {
    share: shareOf(dangerous.map(scoreOf), [SOMETHING_ELSE, ...harmless.map(scoreOf)]),
    conditions: dangerous.map(({ condition }) => condition),
  };
}

function isDangerous({ mustNotMiss, urgent }: Condition): boolean {
  return mustNotMiss && urgent !== undefined && urgent <= MILD_FROM;
}

function scoreOf({ score }: Pick<Ranked, 'score'>): number {
  return score;
}

function shareOf(scores: readonly number[], others: readonly number[]): number {
  // From the highest, so that no power grows beyond what a number holds.
  const highest = Math.max(...scores, ...others);
  const sum = (all: readonly number[]): number => all.reduce((total, score) => total + Math.exp(score - highest), 0);
  return sum(scores) / (sum(scores) + sum(others));
}
