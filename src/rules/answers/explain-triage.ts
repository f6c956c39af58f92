// Puts the triage into words: what makes the case urgent, or why nothing did. It never says that all is well.
import type { Triage } from '../../domain/diagnosis/diagnosis.ts';
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/history-facts.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Alarm, TriageJudgement } from '../reasoning/judge-triage.ts';
import { compareIds } from '../reasoning/rank-conditions.ts';
import type { SelectedCondition } from '../reasoning/select-answers.ts';
import { phraseFinding, withoutImplied } from './phrase-findings.ts';
import { findWarningSigns } from './warning-signs.ts';
import { type UnseenContent, WORDING } from './wording.ts';

const MAX_NAMED = 5;
/** Findings that weighed most in the urgency model, and as many words. */
const MAX_TOLD = 3;
/** Dangerous conditions that are unlikely. */
const MAX_FEARED = 3;

export type TriageParts = {
  readonly knowledge: Knowledge;
  readonly facts: HistoryFacts;
  readonly judged: TriageJudgement;
  readonly answered: readonly SelectedCondition[];
  readonly unseen: UnseenContent;
  /** Whether the text says anything about a person's health. */
  readonly isHealth: boolean;
};

export function explainTriage(parts: TriageParts, language: Language): Triage {
  const { judged, facts, unseen } = parts;
  const { triage } = WORDING[language];
  const hasUnseen = unseen.images + unseen.documents + unseen.parts > 0;
  const sentences = [
    ...(judged.level === 'RED' ? alarmSentences(parts, language) : quietSentences(parts, language)),
    ...(hasUnseen ? [triage.unseen(unseen)] : []),
    ...notCounted(facts.family, parts, language).map(triage.family),
    ...notCounted(facts.past, parts, language).map(triage.past),
    triage.madeByRules,
  ];
  return {
    triage_level: judged.level,
    triage_justification: sentences.join(' '),
    triage_recommendation: recommendation(parts, language),
  };
}

function alarmSentences(parts: TriageParts, language: Language): readonly string[] {
  const { triage } = WORDING[language];
  const { alarms } = parts.judged;
  const dangers = alarms.flatMap((alarm) =>
    alarm.kind === 'danger' ? [{ ...alarm.mention, finding: alarm.finding }] : [],
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
    ...alarms.flatMap((alarm) => (alarm.kind === 'sounds-urgent' ? urgencySentences(alarm, parts, language) : [])),
    ...(alarms.some(({ kind }) => kind === 'not-understood') ? [triage.notUnderstood] : []),
    ...(alarms.some(({ kind }) => kind === 'not-seen') ? [triage.notSeen] : []),
  ];
}

function urgencySentences(
  { findings, words }: Extract<Alarm, { kind: 'sounds-urgent' }>,
  { knowledge }: TriageParts,
  language: Language,
): readonly string[] {
  const { triage, quote } = WORDING[language];
  const named = findings.flatMap(({ id }) => {
    const finding = knowledge.findings.get(id);
    return finding === undefined ? [] : [{ finding }];
  });
  const names = withoutImplied(named).map(({ finding }) => finding.name[language]);
  const most = [...names.slice(0, MAX_TOLD), ...words.slice(0, MAX_TOLD).map(quote)];
  return [triage.soundsUrgent, ...(most.length > 0 ? [triage.weighedMost(most.join(', '))] : [])];
}

function quietSentences({ isHealth }: TriageParts, language: Language): readonly string[] {
  const { triage } = WORDING[language];
  return [isHealth ? triage.noDanger : triage.noHealth];
}

function recommendation(parts: TriageParts, language: Language): string {
  const { next } = WORDING[language];
  const { alarms } = parts.judged;
  if (alarms.some(({ kind }) => kind === 'danger' || kind === 'together' || kind === 'condition')) return next.now;
  if (alarms.length > 0) return next.original;
  const dangers = parts.isHealth ? findWarningSigns(parts, language) : [];
  const list = dangers.length > 0 ? dangers.join('; ') : next.generalDangers;
  return `${parts.isHealth ? next.regular : next.sendHistory} ${next.becomesUrgent(list)}`;
}

/** Returns one list or none, so that a sentence without names is left out. */
function notCounted(ids: readonly string[], { knowledge }: TriageParts, language: Language): readonly string[] {
  const names = [...new Set(ids)].sort(compareIds).flatMap((id) => knowledge.findings.get(id)?.name[language] ?? []);
  return listed(names, ', ');
}

function listed(texts: readonly string[], between = '; '): readonly string[] {
  return texts.length === 0 ? [] : [[...new Set(texts)].slice(0, MAX_NAMED).join(between)];
}
