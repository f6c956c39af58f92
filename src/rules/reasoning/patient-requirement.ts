// Decides whether a patient is known to be of those who can have a condition: a child for a disease of children, a pregnancy that was
// affirmed for one of pregnancy. What is unknown is asked for, and such a condition is not named until it is known.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { isWithin } from '../knowledge/findings.ts';
import type { Condition, Finding, Knowledge, Requirement } from '../knowledge/knowledge.ts';
import { PREGNANCY, saysAge } from './patient-fit.ts';

/** `unknown`: the history does not say it. `excluded`: it says the opposite. */
export type RequirementFit = 'fits' | 'unknown' | 'excluded';

export function fitOf({ only }: Condition, facts: HistoryFacts, knowledge: Knowledge): RequirementFit {
  if (only === undefined) return 'fits';
  const fits = [ageFit(only, facts, knowledge), stateFit(only, facts)];
  return fits.find((one) => one === 'excluded') ?? fits.find((one) => one === 'unknown') ?? 'fits';
}

export type Unknown = {
  /** Whether the age is what is missing. */
  readonly isAge: boolean;
  readonly findings: readonly Finding[];
};

/** What the history does not state and the condition requires. */
export function findUnknown({ only }: Condition, facts: HistoryFacts, knowledge: Knowledge): Unknown {
  if (only === undefined) return { isAge: false, findings: [] };
  const required = stateFit(only, facts) === 'unknown' ? only.oneOf : [];
  return {
    isAge: ageFit(only, facts, knowledge) === 'unknown',
    findings: required.flatMap((id) => knowledge.findings.get(id) ?? []),
  };
}

/**
 * An age that is not stated is not assumed. Words such as "newborn" state one, too, and so do findings that only a child has, but not in a
 * pregnancy: there the baby is another person.
 */
function ageFit({ ages, shownBy }: Requirement, facts: HistoryFacts, knowledge: Knowledge): RequirementFit {
  const { ageYears } = facts.person;
  if (ages === undefined) return 'fits';
  if (ageYears !== undefined) return isWithin(ageYears, ages) ? 'fits' : 'excluded';
  if (isPresent(facts)(PREGNANCY)) return 'unknown';
  return saysAge(ages, facts, knowledge) || shownBy.some(isPresent(facts)) ? 'fits' : 'unknown';
}

/** What is uncertain, or was only asked, affirms nothing. A pregnancy that is denied although a period is missed has to be tested. */
function stateFit({ oneOf, shownBy }: Requirement, facts: HistoryFacts): RequirementFit {
  if (oneOf.length === 0 || oneOf.some(isPresent(facts))) return 'fits';
  const isShown = shownBy.some(isPresent(facts));
  const isDenied = oneOf.some((id) => facts.findings.get(id)?.presence === 'absent');
  if (isDenied) return isShown ? 'unknown' : 'excluded';
  return isShown ? 'fits' : 'unknown';
}

function isPresent({ findings }: HistoryFacts): (id: string) => boolean {
  return (id) => findings.get(id)?.presence === 'present';
}

/** The facts with the findings absent that others deny: a negative test denies a pregnancy, unless something else shows it. */
export function withDenied(facts: HistoryFacts, { findings }: Knowledge): HistoryFacts {
  const present = [...facts.findings.values()].filter(({ presence }) => presence === 'present');
  const denied = new Map(
    present.flatMap((mention) => (findings.get(mention.id)?.denies ?? []).map((id) => [id, mention] as const)),
  );
  const isShown = (id: string) => present.some((one) => findings.get(one.id)?.implies.includes(id));
  const absent = [...denied].flatMap(([id, { quote }]) =>
    isShown(id) ? [] : [[id, { id, presence: 'absent' as const, quote }] as const],
  );
  return absent.length === 0 ? facts : { ...facts, findings: new Map([...facts.findings, ...absent]) };
}
