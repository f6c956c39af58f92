// What would make it urgent and is not there: danger rules of which a part is there, and danger signs of what was answered.
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Danger, Knowledge } from '../knowledge/knowledge.ts';
import { isAskable, isThere, mayFit } from '../reasoning/patient-fit.ts';
import { compareIds } from '../reasoning/rank-conditions.ts';
import type { Answered } from '../reasoning/select-answers.ts';

const MAX_RULES = 3;
/** Of one condition, so that the first does not fill the list. */
const MAX_SIGNS = 2;
const MAX_NAMED = 6;

type Parts = { readonly knowledge: Knowledge; readonly heard: HistoryFacts; readonly answered: readonly Answered[] };

export function dangersToCome(parts: Parts, language: Language): readonly string[] {
  const rules = rulesBegun(parts).map(({ why }) => lowerFirst(why[language]));
  const signs = parts.answered.flatMap((answered) => dangerSigns(answered, parts, language));
  return [...new Set([...rules, ...signs])].slice(0, MAX_NAMED);
}

/**
 * Those to the point first: in the order of the conditions to which what is lacking belongs. One of which only a circumstance is there, as
 * that it began lately, has nothing to do with what they come with, unless a condition has.
 */
function rulesBegun({ knowledge, heard, answered }: Parts): readonly Danger[] {
  return knowledge.dangers
    .map((danger) => ({ danger, lacking: danger.all.filter((id) => !isThere(heard, id)) }))
    .filter(({ danger, lacking }) => lacking.length > 0 && lacking.length < danger.all.length)
    .filter(({ danger, lacking }) => areAskable(lacking, heard, knowledge) && mayFit(danger, heard, knowledge))
    .map(({ danger, lacking }) => ({ danger, lacking: lacking.length, place: placeOf(lacking, answered) }))
    .filter(
      ({ danger, place }) => place < answered.length || danger.all.some((id) => isComplained(id, heard, knowledge)),
    )
    .sort((one, other) => one.place - other.place || one.lacking - other.lacking)
    .slice(0, MAX_RULES)
    .map(({ danger }) => danger);
}

function areAskable(ids: readonly string[], heard: HistoryFacts, knowledge: Knowledge): boolean {
  return ids.every((id) => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && isAskable(finding, heard, knowledge);
  });
}

/** Of the first condition for which all of these speak; behind all where there is none. */
function placeOf(ids: readonly string[], answered: readonly Answered[]): number {
  const place = answered.findIndex(({ condition }) =>
    ids.every((id) => (condition.findings.get(id)?.present ?? 0) > 0),
  );
  return place < 0 ? answered.length : place;
}

function isComplained(id: string, heard: HistoryFacts, knowledge: Knowledge): boolean {
  return isThere(heard, id) && knowledge.findings.get(id)?.kind !== 'circumstance';
}

/** Strongest first. */
function dangerSigns({ condition }: Answered, { knowledge, heard }: Parts, language: Language): readonly string[] {
  return [...condition.findings]
    .filter(([id, { present }]) => present > 0 && !isThere(heard, id))
    .sort(([one, { present: first }], [other, { present: second }]) => second - first || compareIds(one, other))
    .flatMap(([id]) => {
      const finding = knowledge.findings.get(id);
      return finding?.isDanger === true && isAskable(finding, heard, knowledge) ? [finding.name[language]] : [];
    })
    .slice(0, MAX_SIGNS);
}

/** Within a sentence; abbreviations stay as they are. */
function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Lu}/u.test(text) ? text : `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
