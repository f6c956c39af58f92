// `why`: what speaks for a condition, what against it, and what nobody has said that would change its place.
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Finding, Knowledge } from '../knowledge/knowledge.ts';
import { isAskable, isThere } from '../reasoning/patient-fit.ts';
import { compareIds, type Evidence } from '../reasoning/rank-conditions.ts';
import type { Answered } from '../reasoning/select-answers.ts';
import { phraseFinding, withoutImplied } from './phrase-findings.ts';
import { WORDS } from './wording.ts';

const MAX_FOR = 6;
const MAX_AGAINST = 4;
const MAX_ASKED = 3;
const MAX_UNEXPLAINED = 4;
const MAX_THOUGHT_OF_WITH = 4;
/** Log-odds of age and sex together: less is not worth a word. */
const WORTH_SAYING = 0.2;

type Explained = { readonly answered: Answered; readonly heard: HistoryFacts; readonly knowledge: Knowledge };

export function explainCondition(explained: Explained, language: Language): string {
  const { answered } = explained;
  const { why } = WORDS[language];
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

function sentenceFor({ answered, heard, knowledge }: Explained, language: Language): string {
  const { why } = WORDS[language];
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
  const needs = needsHeard({ answered, heard, knowledge });
  if (needs.length === 0) return '';
  return why.comesWith(
    withoutImplied(needs)
      .slice(0, MAX_FOR)
      .map((need) => phraseFinding(need, language))
      .join(', '),
  );
}

function needsHeard({ answered, heard, knowledge }: Explained) {
  return answered.condition.needs.flatMap((id) => {
    const said = heard.findings.get(id);
    const finding = knowledge.findings.get(id);
    return said && finding && said.presence !== 'absent' ? [{ ...said, finding }] : [];
  });
}

/** Of what is told as likely only: nobody expects of what is merely thought of that it explains much. */
function sentenceUnexplained({ unexplained, thoughtOfWith }: Answered, language: Language): string {
  if (unexplained.length === 0 || thoughtOfWith.length > 0) return '';
  const names = unexplained.slice(0, MAX_UNEXPLAINED).map(({ finding }) => finding.name[language]);
  return WORDS[language].why.unexplained(names.join(', '));
}

function sentenceThought({ thoughtOfWith }: Answered, language: Language): string {
  if (thoughtOfWith.length === 0) return '';
  const names = thoughtOfWith.slice(0, MAX_THOUGHT_OF_WITH).map((name) => name[language]);
  return WORDS[language].why.thoughtOfWith(names.join('; '));
}

function sentenceAgainst({ evidence, people }: Answered, language: Language): string {
  const { why } = WORDS[language];
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
  return [WORDS[language].why.saidAbsent(names.join(', '))];
}

function sentenceAsking(explained: Explained, language: Language): string {
  const asked = notMentioned(explained);
  if (asked.length === 0) return '';
  const names = (findings: readonly Finding[]) => findings.map(({ name }) => name[language]).join('; ');
  return WORDS[language].why.notMentioned({
    ask: names(asked.filter(({ kind }) => kind !== 'sign')),
    look: names(asked.filter(({ kind }) => kind === 'sign')),
  });
}

/** What would speak for it, or against it by its absence, strongest first; not what is ruled out already. */
function notMentioned({ answered, heard, knowledge }: Explained): readonly Finding[] {
  return Array.from(answered.condition.findings, ([id, weight]) => ({
    finding: knowledge.findings.get(id),
    strength: Math.max(weight.present, -weight.absent),
  }))
    .flatMap(({ finding, strength }) =>
      finding && strength > 0 && isOpen(finding, heard, knowledge) ? [{ finding, strength }] : [],
    )
    .sort((one, other) => other.strength - one.strength || compareIds(one.finding.id, other.finding.id))
    .map(({ finding }) => finding)
    .filter((finding, place, all) => !all.slice(0, place).some((stronger) => isSameAsked(finding, stronger)))
    .slice(0, MAX_ASKED);
}

/** Whoever asks for one of them hears of the other. */
function isSameAsked(one: Finding, other: Finding): boolean {
  return one.implies.includes(other.id) || other.implies.includes(one.id);
}

function isOpen(finding: Finding, heard: HistoryFacts, knowledge: Knowledge): boolean {
  if (heard.findings.has(finding.id) || !isAskable(finding, heard, knowledge)) return false;
  return finding.implies.every((id) => !heard.findings.has(id) || isThere(heard, id));
}
