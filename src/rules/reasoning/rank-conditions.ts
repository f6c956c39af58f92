// Which conditions come into question, and how much speaks for each: sums of log-odds, always added up in the order of the
// knowledge, so that the order of what was said changes nothing.
import type { ExtractedFinding, HistoryFacts } from '../extraction/heard.ts';
import type { Condition, Finding, FindingKind, Knowledge, Weight } from '../knowledge/knowledge.ts';
import { type Complaint, complaintsOf, unexplained } from './explain-complaints.ts';
import { isImpossible, isKnownToFit, isThere, sexOf } from './patient-fit.ts';

/** Log-odds for each complaint that a condition leaves unexplained, and for how many of them at most. */
const UNEXPLAINED = -0.35;
const MOST_UNEXPLAINED = 10;
/** Log-odds of age and sex, or of what was said to be absent: nobody thinks of an ectopic pregnancy in a man. */
const RULED_OUT = -2;
/** What somebody comes with. The rest is who it is, and what is known of them for long. */
const PRESENTED: ReadonlySet<FindingKind> = new Set(['complaint', 'sign']);

/** What a finding that was mentioned does to a condition. */
export type Evidence = ExtractedFinding & { readonly finding: Finding; readonly weight: number };

export type Ranked = {
  readonly condition: Condition;
  /** Log-odds. */
  readonly score: number;
  /** The part of the score that is due to age and sex. */
  readonly people: number;
  /** Strongest first; what counts nothing is left out. */
  readonly evidence: readonly Evidence[];
  /** Complaints of which it says nothing. */
  readonly unexplained: readonly Complaint[];
};

/** Best first; the same score by id. */
export function rankConditions(knowledge: Knowledge, heard: HistoryFacts): readonly Ranked[] {
  return rank(knowledge, heard, (condition, possible) => isCandidate(condition, possible)).filter((ranked) =>
    isAnswer(ranked, knowledge, heard),
  );
}

/** All that `isIn` lets in, whether they come into question or not. Best first; the same score by id. */
export function rank(
  knowledge: Knowledge,
  heard: HistoryFacts,
  isIn: (condition: Condition, possible: HistoryFacts) => boolean,
): readonly Ranked[] {
  const possible = withoutImpossible(knowledge, heard);
  const complaints = complaintsOf(possible, knowledge);
  return knowledge.conditions
    .filter((condition) => isIn(condition, possible))
    .map((condition) => weigh(condition, { knowledge, heard: possible, complaints }))
    .sort((one, other) => other.score - one.score || compareIds(one.condition.id, other.condition.id));
}

/** Log-odds of what a condition leaves unexplained. */
export function weighUnexplained(complaints: readonly Complaint[]): number {
  const unsaid = complaints.reduce((sum, { presence }) => sum + (presence === 'uncertain' ? 0.5 : 1), 0);
  return Math.min(unsaid, MOST_UNEXPLAINED) * UNEXPLAINED;
}

/** By age and sex, or in words: the one thing without which it is not. */
export function isRuledOut({ people, evidence }: Ranked): boolean {
  const denied = evidence.filter(({ presence, weight }) => presence === 'absent' && weight < 0);
  return people <= RULED_OUT || denied.reduce((sum, { weight }) => sum + weight, 0) <= RULED_OUT;
}

export function isCandidate({ needs }: Condition, heard: HistoryFacts): boolean {
  return needs.some((id) => isThere(heard, id));
}

export function peopleWeight({ people }: Condition, person: HistoryFacts['person']): number {
  return people.filter((group) => isKnownToFit(group, person)).reduce((sum, { weight }) => sum + weight, 0);
}

/** What was told of a finding, as log-odds. */
export function toldWeight({ present, absent }: Weight, told: ExtractedFinding['presence']): number {
  if (told === 'absent') return absent;
  return told === 'uncertain' ? present / 2 : present;
}

export function compareIds(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * What is there already, and explains nothing of what somebody comes with, is a circumstance and no answer: not the known
 * hypertension of somebody with a sore throat.
 */
function isAnswer({ condition, evidence }: Ranked, knowledge: Knowledge, heard: HistoryFacts): boolean {
  const isPresented = (id: string): boolean => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && PRESENTED.has(finding.kind) && isThere(heard, id);
  };
  if (condition.needs.some(isPresented)) return true;
  if (evidence.some(({ id, weight }) => weight > 0 && isPresented(id))) return true;
  return ![...heard.findings.keys()].some(isPresented);
}

type Weighed = {
  readonly knowledge: Knowledge;
  readonly heard: HistoryFacts;
  readonly complaints: readonly Complaint[];
};

function weigh(condition: Condition, { knowledge, heard, complaints }: Weighed): Ranked {
  const evidence = evidenceOf(condition, heard, knowledge);
  const without = unexplained(condition, complaints, knowledge);
  const sex = sexOf(heard);
  const people = peopleWeight(condition, { ...heard.person, ...(sex !== undefined && { sex }) });
  const start = condition.base + people + weighUnexplained(without);
  const score = evidence.reduce((sum, { weight }) => sum + weight, start);
  const telling = evidence.filter(({ weight }) => weight !== 0).sort(byStrength);
  return { condition, score, people, evidence: telling, unexplained: without };
}

/** In the order of the knowledge. Of a condition's findings few were heard: nothing is made for the others. */
function evidenceOf(condition: Condition, heard: HistoryFacts, knowledge: Knowledge): readonly Evidence[] {
  const evidence: Evidence[] = [];
  condition.findings.forEach((weight, id) => {
    const said = heard.findings.get(id);
    const finding = said && knowledge.findings.get(id);
    if (finding) evidence.push({ ...said, finding, weight: toldWeight(weight, said.presence) });
  });
  return evidence;
}

function byStrength(one: Evidence, other: Evidence): number {
  return Math.abs(other.weight) - Math.abs(one.weight) || compareIds(one.id, other.id);
}

function withoutImpossible(knowledge: Knowledge, heard: HistoryFacts): HistoryFacts {
  const possible = [...heard.findings].filter(([id]) => {
    const finding = knowledge.findings.get(id);
    return finding === undefined || !isImpossible(finding, heard.person);
  });
  return { ...heard, findings: new Map(possible) };
}
