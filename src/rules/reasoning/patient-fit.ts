// Decides whether a rule applies to a patient. An unknown age or sex counts nothing in weights. In danger rules it counts as fitting,
// with the assumed age.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { isPregnancy, isWithin } from '../knowledge/findings.ts';
import {
  type Ages,
  ASSUMED_YEARS,
  type Condition,
  type Finding,
  type Knowledge,
  type PatientGroup,
  type Sex,
} from '../knowledge/knowledge.ts';

export const PREGNANCY = 'pregnant';

/** True if the finding is present or uncertain. */
export function mayBePresent(facts: Pick<HistoryFacts, 'findings'>, id: string): boolean {
  const presence = facts.findings.get(id)?.presence;
  return presence === 'present' || presence === 'uncertain';
}

/** The stated sex, or female if the patient is pregnant. */
export function sexOf({ person, findings }: Pick<HistoryFacts, 'person' | 'findings'>): Sex | undefined {
  return person.sex ?? (mayBePresent({ findings }, PREGNANCY) ? 'female' : undefined);
}

export function isKnownToFit({ ages, sex }: PatientGroup, person: HistoryFacts['person']): boolean {
  if (sex !== undefined && sex !== person.sex) return false;
  return ages === undefined || (person.ageYears !== undefined && isWithin(person.ageYears, ages));
}

/**
 * For danger rules: more findings can only make more rules fit. If the age is not stated in years, findings such as "newborn" are used;
 * a pregnancy counts as female.
 */
export function mayFit(whom: PatientGroup, facts: HistoryFacts, knowledge: Knowledge): boolean {
  const { person } = facts;
  const isSex =
    whom.sex === undefined ||
    person.sex === undefined ||
    person.sex === whom.sex ||
    (whom.sex === 'female' && mayBePresent(facts, PREGNANCY));
  return isSex && (whom.ages === undefined || mayHaveAge(whom.ages, facts, knowledge));
}

/** True if a finding is present with which the condition must be considered in such a patient, however little else speaks for it. */
export function isSuggested({ consider }: Condition, facts: HistoryFacts, knowledge: Knowledge): boolean {
  if (consider === undefined || !mayFit(consider, facts, knowledge)) return false;
  return consider.with.some((id) => knowledge.findings.has(id) && mayBePresent(facts, id));
}

/** A man is not pregnant: either another person is, or the sex is wrong, so nothing is concluded from it. */
export function isImpossible(finding: Finding, person: HistoryFacts['person']): boolean {
  return person.sex === 'male' && isPregnancy(finding);
}

/** False for findings that only the other sex or another age can have, and for those that are no question at all. */
export function isAskable(finding: Finding, { person }: HistoryFacts, knowledge: Knowledge): boolean {
  if (!finding.asked || isImpossible(finding, person)) return false;
  const { ageYears } = person;
  if (ageYears === undefined) return true;
  if (isAge(finding)) return false;
  return finding.implies.every((id) => {
    const implied = knowledge.findings.get(id);
    return implied === undefined || !isAge(implied) || overlaps(implied, { from: ageYears, to: ageYears });
  });
}

/** True if the finding is defined by age alone. */
function isAge({ values }: Finding): boolean {
  return values.length > 0 && values.every((band) => band.of === 'age');
}

function mayHaveAge(ages: Ages, facts: HistoryFacts, knowledge: Knowledge): boolean {
  const { ageYears } = facts.person;
  if (ageYears !== undefined) return isWithin(ageYears, ages);
  return isWithin(ASSUMED_YEARS, ages) || saysAge(ages, facts, knowledge);
}

/** True if a finding that is defined by age, such as "newborn", fits these ages. */
export function saysAge(ages: Ages, facts: HistoryFacts, knowledge: Knowledge): boolean {
  return [...facts.findings.keys()].some((id) => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && isAge(finding) && mayBePresent(facts, id) && overlaps(finding, ages);
  });
}

function overlaps({ values }: Finding, { from, to }: Ages): boolean {
  return values.some((band) => (band.from ?? 0) <= to && (band.below ?? Number.POSITIVE_INFINITY) > from);
}
