// Whom a rule is about. What is not known of a person counts nothing in weights; in danger rules it counts as fitting,
// within the age that is assumed of somebody unknown.
import type { HistoryFacts } from '../extraction/heard.ts';
import { type Ages, ASSUMED_YEARS, type Finding, type Knowledge, type Sex } from '../knowledge/knowledge.ts';

const PREGNANCY = 'pregnant';

type Whom = { readonly ages?: Ages; readonly sex?: Sex };

/** Present or uncertain. */
export function isThere(heard: Pick<HistoryFacts, 'findings'>, id: string): boolean {
  const told = heard.findings.get(id)?.presence;
  return told === 'present' || told === 'uncertain';
}

/** Only what was said of the person, or what a pregnancy says, counts. */
export function sexOf({ person, findings }: Pick<HistoryFacts, 'person' | 'findings'>): Sex | undefined {
  return person.sex ?? (isThere({ findings }, PREGNANCY) ? 'female' : undefined);
}

export function isKnownToFit({ ages, sex }: Whom, person: HistoryFacts['person']): boolean {
  if (sex !== undefined && sex !== person.sex) return false;
  return ages === undefined || (person.ageYears !== undefined && isWithin(person.ageYears, ages));
}

/**
 * For danger rules: more findings only ever make more of them fit. Where the age is not said in years, "newborn" and the
 * like say it; a pregnancy makes a woman of anybody.
 */
export function mayFit(whom: Whom, heard: HistoryFacts, knowledge: Knowledge): boolean {
  const { person } = heard;
  const isSex =
    whom.sex === undefined ||
    person.sex === undefined ||
    person.sex === whom.sex ||
    (whom.sex === 'female' && isThere(heard, PREGNANCY));
  return isSex && (whom.ages === undefined || mayHaveAge(whom.ages, heard, knowledge));
}

/** A man is not pregnant: then it is somebody else's pregnancy, or the sex is wrong, and no list is made of it. */
export function isImpossible(finding: Finding, person: HistoryFacts['person']): boolean {
  return person.sex === 'male' && (finding.id === PREGNANCY || finding.implies.includes(PREGNANCY));
}

/** Whether it makes sense to ask for it: not what only others have, of the other sex or of another age. */
export function isAskable(finding: Finding, { person }: HistoryFacts, knowledge: Knowledge): boolean {
  if (isImpossible(finding, person)) return false;
  const { ageYears } = person;
  if (ageYears === undefined) return true;
  if (isAge(finding)) return false;
  return finding.implies.every((id) => {
    const implied = knowledge.findings.get(id);
    return implied === undefined || !isAge(implied) || overlaps(implied, { from: ageYears, to: ageYears });
  });
}

/** A finding that is an age and nothing else. */
function isAge({ values }: Finding): boolean {
  return values.length > 0 && values.every((band) => band.of === 'age');
}

function mayHaveAge(ages: Ages, heard: HistoryFacts, knowledge: Knowledge): boolean {
  const { ageYears } = heard.person;
  if (ageYears !== undefined) return isWithin(ageYears, ages);
  return isWithin(ASSUMED_YEARS, ages) || saysAge(ages, heard, knowledge);
}

function saysAge(ages: Ages, heard: HistoryFacts, knowledge: Knowledge): boolean {
  return [...heard.findings.keys()].some((id) => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && isAge(finding) && isThere(heard, id) && overlaps(finding, ages);
  });
}

function overlaps({ values }: Finding, { from, to }: Ages): boolean {
  return values.some((band) => (band.from ?? 0) <= to && (band.below ?? Number.POSITIVE_INFINITY) > from);
}

function isWithin(years: number, { from, to }: Ages): boolean {
  return years >= from && years <= to;
}
