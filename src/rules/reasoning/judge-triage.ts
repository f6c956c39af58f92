// Decides the triage in two steps. First the alarms: further findings can only add alarms, and absent findings change nothing. If there
// is no alarm, WHITE needs good reasons: something was recognised, a known condition explains it, and dangerous conditions have a small
// share. If these reasons are neither good nor bad, the urgency model decides. A text that was not understood, or files that could not
// be read, are RED until a person has looked at them.
import type { TriageLevel } from '../../domain/diagnosis/diagnosis.ts';
import type { ExtractedFinding, HistoryFacts } from '../extraction/history-facts.ts';
import { compareIds, isComplaint, withoutImplied } from '../knowledge/findings.ts';
import type { Condition, Danger, Finding, Knowledge } from '../knowledge/knowledge.ts';
import { type Complaint, complaintsOf } from './explain-complaints.ts';
import { mayBePresent, mayFit } from './patient-fit.ts';
import { fitOf } from './patient-requirement.ts';
import { isCandidate, peopleWeight, presenceWeight, rankConditions, withoutImpossible } from './rank-conditions.ts';
import { type WeighedDanger, weighDanger } from './weigh-danger.ts';
import { soundsUrgent } from './weigh-urgency.ts';

/** From this share of dangerous conditions on, the triage is RED unless the history sounds calm. */
const TOO_MUCH_DANGER = 0.2;
/** From this share on it is RED in any case. */
const MOSTLY_DANGER = 0.5;

export type Alarm =
  | { readonly kind: 'danger'; readonly mention: ExtractedFinding; readonly finding: Finding }
  | { readonly kind: 'together'; readonly danger: Danger }
  | { readonly kind: 'condition'; readonly condition: Condition }
  /** As above, but the history does not state whether the patient can have it. */
  | { readonly kind: 'unclear'; readonly condition: Condition }
  | { readonly kind: 'not-understood' }
  | { readonly kind: 'not-seen' }
  /** Precautions. They are used only if there is no alarm of the kinds above. */
  | { readonly kind: 'outweighs'; readonly conditions: WeighedDanger['conditions'] }
  | { readonly kind: 'unexplained'; readonly complaints: readonly Complaint[] }
  | { readonly kind: 'little-recognised' }
  | { readonly kind: 'nothing-recognised' }
  | { readonly kind: 'sounds-urgent'; readonly isLittleRecognised: boolean };

export type TriageJudgement = { readonly level: TriageLevel; readonly alarms: readonly Alarm[] };

/** `isAllUnseen`: there are files that were not read, and no other content about a person's health. */
export function judgeTriage(
  knowledge: Knowledge,
  facts: HistoryFacts,
  { isAllUnseen }: { readonly isAllUnseen: boolean },
): TriageJudgement {
  const certain: readonly Alarm[] = [
    ...dangerFindings(knowledge, facts),
    ...dangersTogether(knowledge, facts),
    ...urgentConditions(knowledge, facts),
    ...(facts.isUnderstood ? [] : [{ kind: 'not-understood' } as const]),
    ...(isAllUnseen ? [{ kind: 'not-seen' } as const] : []),
  ];
  const alarms = certain.length > 0 ? certain : findPrecautions(knowledge, facts);
  return { level: alarms.length > 0 ? 'RED' : 'WHITE', alarms };
}

function dangerFindings({ findings }: Knowledge, facts: HistoryFacts): readonly Alarm[] {
  const sorted = [...facts.findings.values()].sort((one, other) => compareIds(one.id, other.id));
  return sorted.flatMap((mention) => {
    const finding = findings.get(mention.id);
    return finding?.isDanger && mayBePresent(facts, mention.id) ? [{ kind: 'danger', mention, finding }] : [];
  });
}

function dangersTogether(knowledge: Knowledge, facts: HistoryFacts): readonly Alarm[] {
  return knowledge.dangers
    .filter((danger) => danger.all.every((id) => mayBePresent(facts, id)) && mayFit(danger, facts, knowledge))
    .map((danger) => ({ kind: 'together', danger }));
}

/** Returns the condition with the strongest evidence first. */
function urgentConditions(knowledge: Knowledge, facts: HistoryFacts): readonly Alarm[] {
  const possible = withoutImpossible(knowledge, facts);
  return knowledge.conditions
    .filter((condition) => isCandidate(condition, facts))
    .map((condition) => ({ condition, pull: pullOf(condition, facts) }))
    .filter(({ condition: { urgent }, pull }) => urgent !== undefined && pull >= urgent)
    .sort((one, other) => other.pull - one.pull || compareIds(one.condition.id, other.condition.id))
    .flatMap(({ condition }) => {
      const fit = fitOf(condition, possible, knowledge);
      return fit === 'excluded' ? [] : [{ kind: fit === 'fits' ? 'condition' : 'unclear', condition }];
    });
}

/** The sum of the evidence for the condition, without the evidence against it. Age and sex count only if the text states them. */
function pullOf(condition: Condition, facts: HistoryFacts): number {
  let sum = condition.base + peopleWeight(condition, facts.person);
  condition.findings.forEach((weight, id) => {
    const mention = facts.findings.get(id);
    if (mention !== undefined && mention.presence !== 'absent')
      sum += Math.max(0, presenceWeight(weight, mention.presence));
  });
  return sum;
}

/** The reasons against WHITE. The weaker ones are left out if the history sounds calm. */
function findPrecautions(knowledge: Knowledge, facts: HistoryFacts): readonly Alarm[] {
  // The urgency model was trained on written histories, and not on conversations.
  const isUrgent = facts.isHealth && !facts.isConversation ? soundsUrgent(knowledge, facts) : undefined;
  const soundsCalm = isUrgent === false;
  // Where much was said, or calmly, a finding that speaks for a danger would have been said. "I can't breathe" says all that it can.
  const isLong = facts.isConversation || facts.words.size > (knowledge.urgency?.longest ?? Number.POSITIVE_INFINITY);
  const { share, conditions } = weighDanger(knowledge, facts, { isOnlyEvident: soundsCalm || isLong });
  const tooMuch = soundsCalm ? MOSTLY_DANGER : TOO_MUCH_DANGER;
  return [
    ...(share >= tooMuch ? [{ kind: 'outweighs', conditions } as const] : []),
    ...(soundsCalm ? [] : [...unexplainedComplaints(knowledge, facts), ...littleRecognised(knowledge, facts)]),
    ...(facts.isHealth && isNothingRecognised(knowledge, facts) ? [{ kind: 'nothing-recognised' } as const] : []),
    ...(isUrgent === true ? [{ kind: 'sounds-urgent', isLittleRecognised: isLittle(knowledge, facts) } as const] : []),
  ];
}

/** True also for a few words that describe the patient but give no reason for the visit. */
function isNothingRecognised(knowledge: Knowledge, facts: HistoryFacts): boolean {
  if (facts.findings.size === 0) return true;
  if (facts.words.size >= (knowledge.urgency?.shortest ?? 0)) return false;
  return !hasComplaint([...facts.findings.keys()], knowledge) && rankConditions(knowledge, facts).length === 0;
}

function unexplainedComplaints(knowledge: Knowledge, facts: HistoryFacts): readonly Alarm[] {
  const complaints = complaintsOf(facts, knowledge);
  const isExplained = complaints.length === 0 || rankConditions(knowledge, facts).length > 0;
  return isExplained ? [] : [{ kind: 'unexplained', complaints }];
}

/** There is a complaint, and the part of the text that was not recognised may be the danger. Much of a conversation is about other things. */
function littleRecognised(
  knowledge: Knowledge,
  { isHealth, findings, isHardlyRecognised, isConversation }: HistoryFacts,
): readonly Alarm[] {
  if (!isHealth || !isHardlyRecognised || isConversation) return [];
  const there = [...findings.values()].filter(({ presence }) => presence !== 'absent');
  const ids = there.map(({ id }) => id);
  return hasComplaint(ids, knowledge) ? [{ kind: 'little-recognised' }] : [];
}

/** Of the complaints and signs that are present, not counting what others imply. */
const FEW_RECOGNISED = 3;

function isLittle(knowledge: Knowledge, facts: HistoryFacts): boolean {
  const present = [...facts.findings.keys()].filter((id) => mayBePresent(facts, id));
  const found = present.flatMap((id) => knowledge.findings.get(id) ?? []).filter(isComplaint);
  return withoutImplied(found.map((finding) => ({ finding }))).length < FEW_RECOGNISED;
}

function hasComplaint(ids: readonly string[], { findings }: Knowledge): boolean {
  return ids.some((id) => {
    const finding = findings.get(id);
    return finding !== undefined && isComplaint(finding);
  });
}
