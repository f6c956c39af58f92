// Ranks the candidate conditions by a sum of log-odds. The sum is always made in the order of the knowledge, so that the order of the
// text changes nothing.
import type { ExtractedFinding, HistoryFacts } from '../extraction/history-facts.ts';
import { compareIds, isComplaint } from '../knowledge/findings.ts';
import type { Condition, Finding, Knowledge, Weight } from '../knowledge/knowledge.ts';
import { type Complaint, complaintsOf, findUnexplained } from './explain-complaints.ts';
import { isImpossible, isKnownToFit, mayBePresent, sexOf } from './patient-fit.ts';
import { fitOf, type RequirementFit } from './patient-requirement.ts';

/** Log-odds for each complaint that a condition does not explain, and the highest number that counts. */
const UNEXPLAINED = -0.35;
const MOST_UNEXPLAINED = 10;
/** Log-odds of age and sex, or of absent findings, from which on a condition is excluded: for example an ectopic pregnancy in a man. */
const RULED_OUT = -2;
/** The effect of a mentioned finding on a condition. */
export type Evidence = ExtractedFinding & { readonly finding: Finding; readonly weight: number };

export type Ranked = {
  readonly condition: Condition;
  /** `unknown`: it is not stated whether the patient can have it. Such a condition is no answer, but counts for the triage. */
  readonly fit: Exclude<RequirementFit, 'excluded'>;
  /** In log-odds. */
  readonly score: number;
  /** The part of the score that comes from age and sex. */
  readonly people: number;
  /** Strongest first, without findings of weight zero. */
  readonly evidence: readonly Evidence[];
  /** Complaints that the condition does not explain. */
  readonly unexplained: readonly Complaint[];
};

/** Returns the best first; equal scores are sorted by id. */
export function rankConditions(knowledge: Knowledge, facts: HistoryFacts): readonly Ranked[] {
  return rank(knowledge, facts, isCandidate).filter((ranked) => isAnswer(ranked, knowledge, facts));
}

/** Ranks all conditions that `isIn` accepts, candidates or not, without those that such a patient cannot have. */
export function rank(
  knowledge: Knowledge,
  facts: HistoryFacts,
  isIn: (condition: Condition, possible: HistoryFacts) => boolean,
): readonly Ranked[] {
  const possible = withoutImpossible(knowledge, facts);
  const complaints = complaintsOf(possible, knowledge);
  return knowledge.conditions
    .filter((condition) => isIn(condition, possible))
    .flatMap((condition) => {
      const fit = fitOf(condition, possible, knowledge);
      return fit === 'excluded' ? [] : [weigh(condition, fit, { knowledge, facts: possible, complaints })];
    })
    .sort((one, other) => other.score - one.score || compareIds(one.condition.id, other.condition.id));
}

/** The log-odds of the complaints that a condition does not explain. */
export function weighUnexplained(complaints: readonly Complaint[]): number {
  const unsaid = complaints.reduce((sum, { presence }) => sum + (presence === 'uncertain' ? 0.5 : 1), 0);
  return Math.min(unsaid, MOST_UNEXPLAINED) * UNEXPLAINED;
}

/** True if age and sex, or absent findings, exclude the condition. */
export function isRuledOut({ people, evidence }: Ranked): boolean {
  const denied = evidence.filter(({ presence, weight }) => presence === 'absent' && weight < 0);
  return people <= RULED_OUT || denied.reduce((sum, { weight }) => sum + weight, 0) <= RULED_OUT;
}

export function isCandidate({ needs }: Condition, facts: HistoryFacts): boolean {
  return needs.some((id) => mayBePresent(facts, id));
}

export function peopleWeight({ people }: Condition, person: HistoryFacts['person']): number {
  return people.filter((group) => isKnownToFit(group, person)).reduce((sum, { weight }) => sum + weight, 0);
}

/** The log-odds of a finding that is present, uncertain or absent. */
export function presenceWeight({ present, absent }: Weight, presence: ExtractedFinding['presence']): number {
  if (presence === 'absent') return absent;
  return presence === 'uncertain' ? present / 2 : present;
}

/**
 * A known condition that explains no complaint is a circumstance and no answer: for example the known hypertension of a patient with
 * a sore throat.
 */
function isAnswer({ condition, evidence }: Ranked, knowledge: Knowledge, facts: HistoryFacts): boolean {
  const isPresented = (id: string): boolean => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && isComplaint(finding) && mayBePresent(facts, id);
  };
  if (condition.needs.some(isPresented)) return true;
  if (evidence.some(({ id, weight }) => weight > 0 && isPresented(id))) return true;
  return ![...facts.findings.keys()].some(isPresented);
}

type WeighingParts = {
  readonly knowledge: Knowledge;
  readonly facts: HistoryFacts;
  readonly complaints: readonly Complaint[];
};

function weigh(condition: Condition, fit: Ranked['fit'], { knowledge, facts, complaints }: WeighingParts): Ranked {
  const evidence = evidenceOf(condition, facts, knowledge);
  const without = findUnexplained(condition, complaints, knowledge);
  const sex = sexOf(facts);
  const people = peopleWeight(condition, { ...facts.person, ...(sex !== undefined && { sex }) });
  const start = condition.base + people + weighUnexplained(without);
  const score = evidence.reduce((sum, { weight }) => sum + weight, start);
  const telling = evidence.filter(({ weight }) => weight !== 0).sort(byStrength);
  return { condition, fit, score, people, evidence: telling, unexplained: without };
}

/** In the order of the knowledge. A loop, because few of a condition's findings are in the text. */
function evidenceOf(condition: Condition, facts: HistoryFacts, knowledge: Knowledge): readonly Evidence[] {
  const evidence: Evidence[] = [];
  condition.findings.forEach((weight, id) => {
    const mention = facts.findings.get(id);
    const finding = mention && knowledge.findings.get(id);
    if (finding) evidence.push({ ...mention, finding, weight: presenceWeight(weight, mention.presence) });
  });
  return evidence;
}

function byStrength(one: Evidence, other: Evidence): number {
  return Math.abs(other.weight) - Math.abs(one.weight) || compareIds(one.id, other.id);
}

export function withoutImpossible(knowledge: Knowledge, facts: HistoryFacts): HistoryFacts {
  const possible = [...facts.findings].filter(([id]) => {
    const finding = knowledge.findings.get(id);
    return finding === undefined || !isImpossible(finding, facts.person);
  });
  return { ...facts, findings: new Map(possible) };
}
