// Writes `why`: what speaks for a condition, what speaks against it, and which findings were not mentioned but would change its rank.
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/history-facts.ts';
import type { Finding, Knowledge } from '../knowledge/knowledge.ts';
import { isAskable, mayBePresent } from '../reasoning/patient-fit.ts';
import { compareIds, type Evidence } from '../reasoning/rank-conditions.ts';
import type { SelectedCondition } from '../reasoning/select-answers.ts';
import { phraseFinding, withoutImplied } from './phrase-findings.ts';
import { WORDING } from './wording.ts';

const MAX_FOR = 6;
const MAX_AGAINST = 4;
const MAX_ASKED = 3;
const MAX_UNEXPLAINED = 4;
const MAX_THOUGHT_OF_WITH = 4;
/** Log-odds of age and sex together: a smaller weight is not mentioned. */
const WORTH_SAYING = 0.2;

type ConditionParts = {
  readonly answered: SelectedCondition;
  readonly facts: HistoryFacts;
  readonly knowledge: Knowledge;
};

export function explainCondition(explained: ConditionParts, language: Language): string {
  const { answered } = explained;
  const { why } = WORDING[language];
  return [
    sentenceFor(explained, language),
    sentenceAgainst(answered, language),
    sentenceUnexplained(answered, language),
    sentenceThought(answered, language),
    answered.category === 'cant-miss' ? why.notToBeMissed : '',
    sentenceAsking(explained, language),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function sentenceFor({ answered, facts, knowledge }: ConditionParts, language: Language): string {
  const { why } = WORDING[language];
  const speaking = withoutImplied(
    answered.evidence.filter(({ weight, presence }) => weight > 0 && presence !== 'absent'),
  );
  const absent = answered.evidence.filter(({ weight, presence }) => weight > 0 && presence === 'absent');
  const parts = [
    ...speaking.slice(0, MAX_FOR).map((evidence) => phraseFinding(evidence, language)),
    ...saidAbsent(absent, language),
    ...(answered.people >= WORTH_SAYING ? [why.peopleFor] : []),
  ];
  if (parts.length > 0) return why.speaksFor(parts.join('; '));
  const needs = needsHeard({ answered, facts, knowledge });
  if (needs.length === 0) return '';
  return why.comesWith(
    withoutImplied(needs)
      .slice(0, MAX_FOR)
      .map((need) => phraseFinding(need, language))
      .join(', '),
  );
}

function needsHeard({ answered, facts, knowledge }: ConditionParts) {
  return answered.condition.needs.flatMap((id) => {
    const mention = facts.findings.get(id);
    const finding = knowledge.findings.get(id);
    return mention && finding && mention.presence !== 'absent' ? [{ ...mention, finding }] : [];
  });
}

/** Only for likely conditions: a condition that is listed for safety need not explain much. */
function sentenceUnexplained({ unexplained, suggestedBy }: SelectedCondition, language: Language): string {
  if (unexplained.length === 0 || suggestedBy.length > 0) return '';
  const names = unexplained.slice(0, MAX_UNEXPLAINED).map(({ finding }) => finding.name[language]);
  return WORDING[language].why.unexplained(names.join(', '));
}

function sentenceThought({ suggestedBy }: SelectedCondition, language: Language): string {
  if (suggestedBy.length === 0) return '';
  const names = suggestedBy.slice(0, MAX_THOUGHT_OF_WITH).map((name) => name[language]);
  return WORDING[language].why.suggestedBy(names.join('; '));
}

function sentenceAgainst({ evidence, people }: SelectedCondition, language: Language): string {
  const { why } = WORDING[language];
  const against = evidence.filter(({ weight }) => weight < 0);
  const there = withoutImplied(against.filter(({ presence }) => presence !== 'absent'));
  const absent = against.filter(({ presence }) => presence === 'absent');
  const parts = [
    ...there.slice(0, MAX_AGAINST).map((one) => phraseFinding(one, language)),
    ...saidAbsent(absent, language),
    ...(people <= -WORTH_SAYING ? [why.peopleAgainst] : []),
  ];
  return parts.length === 0 ? '' : why.speaksAgainst(parts.join('; '));
}

function saidAbsent(absent: readonly Evidence[], language: Language): readonly string[] {
  if (absent.length === 0) return [];
  const names = absent.slice(0, MAX_AGAINST).map(({ finding }) => finding.name[language]);
  return [WORDING[language].why.saidAbsent(names.join(', '))];
}

function sentenceAsking(explained: ConditionParts, language: Language): string {
  const asked = notMentioned(explained);
  if (asked.length === 0) return '';
  const names = (findings: readonly Finding[]) => findings.map(({ name }) => name[language]).join('; ');
  return WORDING[language].why.notMentioned({
    ask: names(asked.filter(({ kind }) => kind !== 'sign')),
    look: names(asked.filter(({ kind }) => kind === 'sign')),
  });
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
