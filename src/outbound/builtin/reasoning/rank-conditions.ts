// Which conditions come into question, and how much speaks for each: sums of log-odds, always added up in the order of the
// knowledge, so that the order of what was said changes nothing.
import type { Heard, HeardFinding } from '../hearing/heard.ts';
import type { Condition, Finding, Knowledge, Weight } from '../knowing/knowledge.ts';
import { isImpossible, isKnownToFit, isThere, sexOf } from './whom.ts';

/** What a finding that was mentioned does to a condition. */
export type Evidence = HeardFinding & { readonly finding: Finding; readonly weight: number };

export type Ranked = {
  readonly condition: Condition;
  /** Log-odds. */
  readonly score: number;
  /** The part of the score that is due to age and sex. */
  readonly people: number;
  /** Strongest first; what counts nothing is left out. */
  readonly evidence: readonly Evidence[];
};

/** Best first; the same score by id. */
export function rankConditions(knowledge: Knowledge, heard: Heard): readonly Ranked[] {
  const possible = withoutImpossible(knowledge, heard);
  return knowledge.conditions
    .filter((condition) => isCandidate(condition, possible))
    .map((condition) => rank(condition, possible, knowledge))
    .sort((one, other) => other.score - one.score || compareIds(one.condition.id, other.condition.id));
}

export function isCandidate({ needs }: Condition, heard: Heard): boolean {
  return needs.some((id) => isThere(heard, id));
}

export function peopleWeight({ people }: Condition, person: Heard['person']): number {
  return people.filter((group) => isKnownToFit(group, person)).reduce((sum, { weight }) => sum + weight, 0);
}

/** What was told of a finding, as log-odds. */
export function toldWeight({ present, absent }: Weight, told: HeardFinding['told']): number {
  if (told === 'absent') return absent;
  return told === 'uncertain' ? present / 2 : present;
}

export function compareIds(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function rank(condition: Condition, heard: Heard, knowledge: Knowledge): Ranked {
  const evidence = evidenceOf(condition, heard, knowledge);
  const sex = sexOf(heard);
  const people = peopleWeight(condition, { ...heard.person, ...(sex !== undefined && { sex }) });
  const score = evidence.reduce((sum, { weight }) => sum + weight, condition.base + people);
  return { condition, score, people, evidence: evidence.filter(({ weight }) => weight !== 0).sort(byStrength) };
}

function evidenceOf(condition: Condition, heard: Heard, knowledge: Knowledge): Evidence[] {
  return Array.from(condition.findings, ([id, weight]): Evidence | undefined => {
    const said = heard.findings.get(id);
    const finding = knowledge.findings.get(id);
    return said && finding && { ...said, finding, weight: toldWeight(weight, said.told) };
  }).filter((evidence) => evidence !== undefined);
}

function byStrength(one: Evidence, other: Evidence): number {
  return Math.abs(other.weight) - Math.abs(one.weight) || compareIds(one.id, other.id);
}

function withoutImpossible(knowledge: Knowledge, heard: Heard): Heard {
  const possible = [...heard.findings].filter(([id]) => {
    const finding = knowledge.findings.get(id);
    return finding === undefined || !isImpossible(finding, heard.person);
  });
  return { ...heard, findings: new Map(possible) };
}
