// Writes `why`: what speaks for a condition, what speaks against it, and which findings were not mentioned but would change its rank.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { fillTemplate } from '../knowledge/fill-template.ts';
import { compareIds, withoutImplied } from '../knowledge/findings.ts';
import type { Finding, Knowledge } from '../knowledge/knowledge.ts';
import { isAskable, mayBePresent } from '../reasoning/patient-fit.ts';
import type { Evidence } from '../reasoning/rank-conditions.ts';
import type { SelectedCondition, Selection } from '../reasoning/select-answers.ts';
import { type AnswerLanguage, type PhrasedFinding, phraseFinding } from './phrase-findings.ts';

const MAX_FOR = 6;
const MAX_AGAINST = 4;
const MAX_ASKED = 3;
const MAX_UNEXPLAINED = 4;
/** Log-odds of age and sex together: a smaller weight is not mentioned. */
const WORTH_SAYING = 0.2;

type ConditionParts = Pick<Selection, 'toExclude'> & {
  readonly answered: SelectedCondition;
  readonly facts: HistoryFacts;
  readonly knowledge: Knowledge;
};

export function explainCondition(explained: ConditionParts, into: AnswerLanguage): string {
  const { answered } = explained;
  return [
    sentenceFor(answered, into),
    sentenceAgainst(answered, into),
    sentenceUnexplained(answered, into),
    answered.category === 'cant-miss' ? into.wording.why.notToBeMissed : '',
    sentenceAsking(explained, into),
    sentenceToExclude(explained, into),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function sentenceFor({ evidence, people }: SelectedCondition, into: AnswerLanguage): string {
  const { why } = into.wording;
  const parts = evidenceParts(
    evidence.filter(({ weight }) => weight > 0),
    MAX_FOR,
    into,
  );
  if (people >= WORTH_SAYING) parts.push(why.peopleFor);
  return parts.length === 0 ? '' : fillTemplate(why.speaksFor, { list: parts.join('; ') });
}

function sentenceAgainst({ evidence, people }: SelectedCondition, into: AnswerLanguage): string {
  const { why } = into.wording;
  const weighing = evidence.filter(({ weight }) => weight < 0);
  const parts = evidenceParts(weighing, MAX_AGAINST, into);
  if (people <= -WORTH_SAYING) parts.push(why.peopleAgainst);
  return parts.length === 0 ? '' : fillTemplate(why.speaksAgainst, { list: parts.join('; ') });
}

/** The findings that are there, then those that are absent in one part. */
function evidenceParts(evidence: readonly Evidence[], most: number, into: AnswerLanguage): string[] {
  const present = evidence.filter(({ presence }) => presence !== 'absent');
  const absent = evidence.filter(({ presence }) => presence === 'absent').slice(0, MAX_AGAINST);
  const parts = phrased(present, most, into);
  if (absent.length === 0) return parts;
  return [...parts, fillTemplate(into.wording.why.saidAbsent, { list: namesOf(absent, into).join(', ') })];
}

function phrased(findings: readonly PhrasedFinding[], most: number, into: AnswerLanguage): string[] {
  return withoutImplied(findings)
    .slice(0, most)
    .map((one) => phraseFinding(one, into));
}

function namesOf(evidence: readonly { readonly finding: Finding }[], { language }: AnswerLanguage): string[] {
  return evidence.map(({ finding }) => finding.name[language]);
}

/** Only for likely conditions: a condition that is listed for safety need not explain much. */
function sentenceUnexplained({ unexplained, isForSafety }: SelectedCondition, into: AnswerLanguage): string {
  if (unexplained.length === 0 || isForSafety) return '';
  const names = namesOf(unexplained.slice(0, MAX_UNEXPLAINED), into);
  return fillTemplate(into.wording.why.unexplained, { list: names.join(', ') });
}

function sentenceToExclude({ toExclude }: ConditionParts, { language, wording: { why } }: AnswerLanguage): string {
  const names = toExclude.map(({ name }) => name[language]);
  return names.length === 0 ? '' : fillTemplate(why.exclude, { list: names.join('; ') });
}

function sentenceAsking(explained: ConditionParts, { language, wording: { why } }: AnswerLanguage): string {
  const asked = notMentioned(explained);
  if (asked.length === 0) return '';
  const byWay = Map.groupBy(asked, ({ kind }) => (kind === 'sign' ? why.look : why.ask));
  const sentences = [why.ask, why.look].flatMap((template) => {
    const names = byWay.get(template)?.map(({ name }) => name[language]);
    return names === undefined ? [] : [fillTemplate(template, { list: names.join('; ') })];
  });
  return [why.notMentioned, ...sentences].join(' ');
}

/** Findings that would speak for the condition, or against it if absent, strongest first, without those that are already ruled out. */
function notMentioned({ answered, facts, knowledge }: ConditionParts): readonly Finding[] {
  return Array.from(answered.condition.findings, ([id, weight]) => ({
    finding: knowledge.findings.get(id),
    strength: Math.max(weight.present, -weight.absent),
  }))
    .flatMap(({ finding, strength }) =>
      finding && strength > 0 && isOpen(finding, facts, knowledge) ? [{ finding, strength }] : [],
    )
    .sort((one, other) => other.strength - one.strength || compareIds(one.finding.id, other.finding.id))
    .map(({ finding }) => finding)
    .filter((finding, place, all) => !all.slice(0, place).some((stronger) => isSameAsked(finding, stronger)))
    .slice(0, MAX_ASKED);
}

/** A question for one of them also answers the other. */
function isSameAsked(one: Finding, other: Finding): boolean {
  return one.implies.includes(other.id) || other.implies.includes(one.id);
}

function isOpen(finding: Finding, facts: HistoryFacts, knowledge: Knowledge): boolean {
  if (facts.findings.has(finding.id) || !isAskable(finding, facts, knowledge)) return false;
  return finding.implies.every((id) => !facts.findings.has(id) || mayBePresent(facts, id));
}
