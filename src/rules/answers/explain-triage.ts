// Puts the triage into words: what makes the case urgent, or why nothing did. It never says that all is well.
import type { Triage } from '../../domain/diagnosis/diagnosis.ts';
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { fillTemplate } from '../knowledge/fill-template.ts';
import { compareIds, withoutImplied } from '../knowledge/findings.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import type { Alarm, TriageJudgement } from '../reasoning/judge-triage.ts';
import { findUnknown } from '../reasoning/patient-requirement.ts';
import type { Selection } from '../reasoning/select-answers.ts';
import { type AnswerLanguage, type PhrasedFinding, phraseFinding } from './phrase-findings.ts';
import { hasUnseen, nameUnseen, type UnseenContent } from './unseen-content.ts';
import { findWarningSigns } from './warning-signs.ts';

const MAX_NAMED = 5;
/** Dangerous conditions that are unlikely. */
const MAX_FEARED = 3;
/** The alarms that are no mere precaution. */
const CERTAIN: ReadonlySet<Alarm['kind']> = new Set(['danger', 'together', 'condition', 'unclear']);

export type TriageParts = Pick<Selection, 'answered'> & {
  readonly knowledge: Knowledge;
  readonly facts: HistoryFacts;
  readonly judged: TriageJudgement;
  /** Dangerous conditions that are not named, because it is not stated whether the patient can have them. */
  readonly unclear: readonly Condition[];
  readonly unseen: UnseenContent;
  /** Whether the text says anything about a person's health. */
  readonly isHealth: boolean;
};

export function explainTriage(parts: TriageParts, into: AnswerLanguage): Triage {
  const { judged, facts, unseen, isHealth } = parts;
  const { triage } = into.wording;
  const quiet = isHealth ? triage.noDanger : triage.noHealth;
  const sentences = [
    ...(judged.level === 'RED' ? alarmSentences(parts, into) : [quiet]),
    ...(hasUnseen(unseen) ? [nameUnseen(unseen, into.wording)] : []),
    ...notCounted(triage.family, facts.family, parts, into),
    ...notCounted(triage.past, facts.past, parts, into),
    triage.madeByRules,
  ];
  return {
    triage_level: judged.level,
    triage_justification: sentences.join(' '),
    triage_recommendation: recommendation(parts, into),
  };
}

function alarmSentences(parts: TriageParts, into: AnswerLanguage): readonly string[] {
  const { language, wording } = into;
  const { triage } = wording;
  const { alarms } = parts.judged;
  const dangers = alarms.flatMap((alarm) =>
    alarm.kind === 'danger' ? [{ ...alarm.mention, finding: alarm.finding }] : [],
  );
  const together = alarms.flatMap((alarm) => (alarm.kind === 'together' ? [alarm.danger.why[language]] : []));
  const conditions = alarms.flatMap((alarm) => (alarm.kind === 'condition' ? [alarm.condition.name[language]] : []));
  const unclear = alarms.flatMap((alarm) => (alarm.kind === 'unclear' ? [alarm.condition] : []));
  const feared = alarms.flatMap((alarm) => (alarm.kind === 'outweighs' ? alarm.conditions : []));
  const unexplained = alarms.flatMap((alarm) => (alarm.kind === 'unexplained' ? alarm.complaints : []));
  const phrased = (found: readonly PhrasedFinding[]) => found.map((one) => phraseFinding(one, into));
  const named = feared.flatMap(({ condition, fit }) => (fit === 'fits' ? [condition.name[language]] : []));
  const isOnlyUnclear = named.length === 0;
  const asked = [...unclear, ...(isOnlyUnclear ? feared.map(({ condition }) => condition) : [])];
  const ifAny = (kind: Alarm['kind'], sentence: string) =>
    alarms.some((alarm) => alarm.kind === kind) ? [sentence] : [];
  return [
    ...listing(triage.danger, phrased(withoutImplied(dangers))),
    ...listing(triage.together, together),
    ...listing(triage.conditions, conditions),
    ...listing(triage.unclear, toBeKnown(asked, parts, into)),
    ...listing(triage.outweighs, named.slice(0, MAX_FEARED)),
    ...listing(triage.unexplained, phrased(unexplained)),
    ...ifAny('little-recognised', triage.littleRecognised),
    ...ifAny('nothing-recognised', triage.nothingRecognised),
    ...alarms.flatMap((alarm) =>
      alarm.kind === 'sounds-urgent'
        ? [alarm.isLittleRecognised ? triage.soundsUrgent : triage.soundsUrgentAllTheSame]
        : [],
    ),
    ...ifAny('not-understood', triage.notUnderstood),
    ...ifAny('not-seen', triage.notSeen),
  ];
}

/** What would have to be known, so that these conditions can be named or excluded. */
function toBeKnown(
  conditions: readonly Condition[],
  { facts, knowledge }: Pick<TriageParts, 'facts' | 'knowledge'>,
  { language, wording: { triage } }: AnswerLanguage,
): readonly string[] {
  return conditions.flatMap((condition) => {
    const { isAge, findings } = findUnknown(condition, facts, knowledge);
    return [...(isAge ? [triage.age] : []), ...findings.flatMap(({ ask }) => ask?.[language] ?? [])];
  });
}

/** What to do, and what to find out first. */
function recommendation(parts: TriageParts, into: AnswerLanguage): string {
  const { next } = into.wording;
  return [whatNext(parts, into), ...listing(next.clarify, toBeKnown(parts.unclear, parts, into))].join(' ');
}

function whatNext(parts: TriageParts, into: AnswerLanguage): string {
  const { next } = into.wording;
  const { alarms } = parts.judged;
  if (alarms.some(({ kind }) => CERTAIN.has(kind))) return next.now;
  if (alarms.length > 0) return next.original;
  const dangers = parts.isHealth ? findWarningSigns(parts, into.language) : [];
  const list = dangers.length > 0 ? dangers.join('; ') : next.generalDangers;
  return `${parts.isHealth ? next.regular : next.sendHistory} ${fillTemplate(next.becomesUrgent, { list })}`;
}

function notCounted(
  template: string,
  ids: readonly string[],
  { knowledge }: TriageParts,
  { language }: AnswerLanguage,
): readonly string[] {
  const names = [...new Set(ids)].sort(compareIds).flatMap((id) => knowledge.findings.get(id)?.name[language] ?? []);
  return listing(template, names, ', ');
}

/** Returns one sentence or none, so that a sentence without names is left out. */
function listing(template: string, names: readonly string[], between = '; '): readonly string[] {
  if (names.length === 0) return [];
  return [fillTemplate(template, { list: [...new Set(names)].slice(0, MAX_NAMED).join(between) })];
}
