// Finds what is absent now and would make the case urgent: the missing part of danger rules, and danger signs of the answered conditions.
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { compareIds } from '../knowledge/findings.ts';
import type { Danger, Knowledge } from '../knowledge/knowledge.ts';
import { isAskable, mayBePresent, mayFit } from '../reasoning/patient-fit.ts';
import type { SelectedCondition } from '../reasoning/select-answers.ts';

const MAX_RULES = 3;
/** Limit for one condition, so that the first does not fill the list. */
const MAX_SIGNS = 2;
const MAX_NAMED = 6;

type Parts = {
  readonly knowledge: Knowledge;
  readonly facts: HistoryFacts;
  readonly answered: readonly SelectedCondition[];
};

export function findWarningSigns(all: Parts, language: Language): readonly string[] {
  // What is only listed for safety has dangers that need not concern this patient.
  const parts = { ...all, answered: all.answered.filter(({ isForSafety }) => !isForSafety) };
  const rules = rulesBegun(parts).map(({ why }) => lowerFirst(why[language]));
  const signs = parts.answered.flatMap((answered) => dangerSigns(answered, parts, language));
  return [...new Set([...rules, ...signs])].slice(0, MAX_NAMED);
}

/**
 * Rules that fit in part, in the order of the conditions to which the missing findings belong. A rule that fits only by a circumstance,
 * such as a recent onset, is left out unless one of the conditions needs it.
 */
function rulesBegun({ knowledge, facts, answered }: Parts): readonly Danger[] {
  return knowledge.dangers
    .map((danger) => ({ danger, lacking: danger.all.filter((id) => !mayBePresent(facts, id)) }))
    .filter(({ danger, lacking }) => lacking.length > 0 && lacking.length < danger.all.length)
    .filter(({ danger, lacking }) => areAskable(lacking, facts, knowledge) && mayFit(danger, facts, knowledge))
    .map(({ danger, lacking }) => ({ danger, lacking: lacking.length, place: placeOf(lacking, answered) }))
    .filter(
      ({ danger, place }) => place < answered.length || danger.all.some((id) => isComplained(id, facts, knowledge)),
    )
    .sort((one, other) => one.place - other.place || one.lacking - other.lacking)
    .slice(0, MAX_RULES)
    .map(({ danger }) => danger);
}

/** A known illness cannot appear from now on. */
function areAskable(ids: readonly string[], facts: HistoryFacts, knowledge: Knowledge): boolean {
  return ids.every((id) => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && finding.kind !== 'condition' && isAskable(finding, facts, knowledge);
  });
}

/** The index of the first condition for which all of these findings speak, or the length of the list. */
function placeOf(ids: readonly string[], answered: readonly SelectedCondition[]): number {
  const place = answered.findIndex(({ condition }) =>
    ids.every((id) => (condition.findings.get(id)?.present ?? 0) > 0),
  );
  return place < 0 ? answered.length : place;
}

function isComplained(id: string, facts: HistoryFacts, knowledge: Knowledge): boolean {
  return mayBePresent(facts, id) && knowledge.findings.get(id)?.kind !== 'circumstance';
}

/** Danger signs that speak for the condition, strongest first. */
function dangerSigns(
  { condition }: SelectedCondition,
  { knowledge, facts }: Parts,
  language: Language,
): readonly string[] {
  return [...condition.findings]
    .filter(([id, { present }]) => present > 0 && !mayBePresent(facts, id))
    .sort(([one, { present: first }], [other, { present: second }]) => second - first || compareIds(one, other))
    .flatMap(([id]) => {
      const finding = knowledge.findings.get(id);
      return finding?.isDanger === true && isAskable(finding, facts, knowledge) ? [finding.name[language]] : [];
    })
    .slice(0, MAX_SIGNS);
}

/** For use inside a sentence. Abbreviations are not changed. */
function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Lu}/u.test(text) ? text : `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
