// The triage in words: what makes it urgent; or honestly why nothing did, which never says that all is well.
import type { Triage } from '../../domain/diagnosis/diagnosis.ts';
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Alarm, Judged } from '../reasoning/judge-triage.ts';
import { compareIds } from '../reasoning/rank-conditions.ts';
import type { Answered } from '../reasoning/select-answers.ts';
import { phraseFinding, withoutImplied } from './phrase-findings.ts';
import { dangersToCome } from './warning-signs.ts';
import { type Unseen, WORDS } from './wording.ts';

const MAX_NAMED = 5;
/** Of what makes it sound urgent: findings, and as many words. */
const MAX_TOLD = 3;
/** Of what is feared and hardly likely. */
const MAX_FEARED = 3;

export type TriageParts = {
  readonly knowledge: Knowledge;
  readonly heard: HistoryFacts;
  readonly judged: Judged;
  readonly answered: readonly Answered[];
  readonly unseen: Unseen;
  /** Whether anything at all was said about anybody's health. */
  readonly isHealth: boolean;
};

export function explainTriage(parts: TriageParts, language: Language): Triage {
  const { judged, heard, unseen } = parts;
  const { triage } = WORDS[language];
  const hasUnseen = unseen.images + unseen.documents + unseen.parts > 0;
  const sentences = [
    ...(judged.level === 'RED' ? alarmSentences(parts, language) : quietSentences(parts, language)),
    ...(hasUnseen ? [triage.unseen(unseen)] : []),
    ...notCounted(heard.family, parts, language).map(triage.family),
    ...notCounted(heard.past, parts, language).map(triage.past),
    triage.madeByRules,
  ];
  return {
    triage_level: judged.level,
    triage_justification: sentences.join(' '),
    triage_recommendation: recommendation(parts, language),
  };
}

function alarmSentences(parts: TriageParts, language: Language): readonly string[] {
  const { triage } = WORDS[language];
  const { alarms } = parts.judged;
  const dangers = alarms.flatMap((alarm) =>
    alarm.kind === 'danger' ? [{ ...alarm.heard, finding: alarm.finding }] : [],
  );
  const together = alarms.flatMap((alarm) => (alarm.kind === 'together' ? [alarm.danger.why[language]] : []));
  const conditions = alarms.flatMap((alarm) => (alarm.kind === 'condition' ? [alarm.condition.name[language]] : []));
  const feared = alarms.flatMap((alarm) => (alarm.kind === 'outweighs' ? alarm.conditions : []));
  const unexplained = alarms.flatMap((alarm) => (alarm.kind === 'unexplained' ? alarm.complaints : []));
  return [
    ...listed(withoutImplied(dangers).map((danger) => phraseFinding(danger, language))).map(triage.danger),
    ...listed(together).map(triage.together),
    ...listed(conditions).map(triage.conditions),
    ...listed(feared.slice(0, MAX_FEARED).map(({ name }) => name[language])).map(triage.outweighs),
    ...listed(unexplained.map((complaint) => phraseFinding(complaint, language))).map(triage.unexplained),
    ...(alarms.some(({ kind }) => kind === 'little-recognised') ? [triage.littleRecognised] : []),
    ...(alarms.some(({ kind }) => kind === 'nothing-recognised') ? [triage.nothingRecognised] : []),
    ...alarms.flatMap((alarm) => (alarm.kind === 'told-as-urgent' ? toneSentences(alarm, parts, language) : [])),
    ...(alarms.some(({ kind }) => kind === 'not-understood') ? [triage.notUnderstood] : []),
    ...(alarms.some(({ kind }) => kind === 'not-seen') ? [triage.notSeen] : []),
  ];
}

function toneSentences(
  { findings, words }: Extract<Alarm, { kind: 'told-as-urgent' }>,
  { knowledge }: TriageParts,
  language: Language,
): readonly string[] {
  const { triage, quote } = WORDS[language];
  const known = findings.flatMap(({ id }) => {
    const finding = knowledge.findings.get(id);
    return finding === undefined ? [] : [{ finding }];
  });
  const names = withoutImplied(known).map(({ finding }) => finding.name[language]);
  const most = [...names.slice(0, MAX_TOLD), ...words.slice(0, MAX_TOLD).map(quote)];
  return [triage.toldAsUrgent, ...(most.length > 0 ? [triage.weighedMost(most.join(', '))] : [])];
}

function quietSentences({ isHealth }: TriageParts, language: Language): readonly string[] {
  const { triage } = WORDS[language];
  return [isHealth ? triage.noDanger : triage.noHealth];
}

function recommendation(parts: TriageParts, language: Language): string {
  const { next } = WORDS[language];
  const { alarms } = parts.judged;
  if (alarms.some(({ kind }) => kind === 'danger' || kind === 'together' || kind === 'condition')) return next.now;
  if (alarms.length > 0) return next.original;
  const dangers = parts.isHealth ? dangersToCome(parts, language) : [];
  const list = dangers.length > 0 ? dangers.join('; ') : next.generalDangers;
  return `${parts.isHealth ? next.regular : next.sendHistory} ${next.becomesUrgent(list)}`;
}

/** None or one list, so that it can be put into a sentence that is left out where there is none. */
function notCounted(ids: readonly string[], { knowledge }: TriageParts, language: Language): readonly string[] {
  const names = [...new Set(ids)].sort(compareIds).flatMap((id) => knowledge.findings.get(id)?.name[language] ?? []);
  return listed(names, ', ');
}

function listed(texts: readonly string[], between = '; '): readonly string[] {
  return texts.length === 0 ? [] : [[...new Set(texts)].slice(0, MAX_NAMED).join(between)];
}
