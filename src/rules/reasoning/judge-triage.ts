// Whether it is urgent. Two steps. An alarm is what was heard: what is said in addition can raise it and never takes it back, and
// what is said to be absent changes nothing. Without an alarm it is calm only on good grounds: something was recognised, something
// is known that explains it, and not much of what it may be is dangerous. How the story is told decides where these grounds are
// neither good nor bad. What was not understood, or could not be seen, is urgent until a person has looked at it.
import type { TriageLevel } from '../../domain/diagnosis/diagnosis.ts';
import type { ExtractedFinding, HistoryFacts } from '../extraction/heard.ts';
import type { Condition, Danger, Finding, Knowledge } from '../knowledge/knowledge.ts';
import { type Complaint, complaintsOf } from './explain-complaints.ts';
import { isThere, mayFit } from './patient-fit.ts';
import { compareIds, isCandidate, peopleWeight, rankConditions, toldWeight } from './rank-conditions.ts';
import { weighDanger } from './weigh-danger.ts';
import { type Telling, weighTone } from './weigh-urgency.ts';

/** Of all that it may be: from here on the dangerous part is too much to call it calm, unless it is told as what can wait. */
const TOO_MUCH_DANGER = 0.2;
/** From here on it is, however it is told. */
const MOSTLY_DANGER = 0.5;

export type Alarm =
  | { readonly kind: 'danger'; readonly heard: ExtractedFinding; readonly finding: Finding }
  | { readonly kind: 'together'; readonly danger: Danger }
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'not-understood' }
  | { readonly kind: 'not-seen' }
  /** Doubts. They stand only where there is none of the above. */
  | { readonly kind: 'outweighs'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'unexplained'; readonly complaints: readonly Complaint[] }
  | { readonly kind: 'little-recognised' }
  | { readonly kind: 'nothing-recognised' }
  | ({ readonly kind: 'told-as-urgent' } & Pick<Telling, 'findings' | 'words'>);

export type Judged = { readonly level: TriageLevel; readonly alarms: readonly Alarm[] };

type Circumstances = {
  /** There are files that nobody looked at, and nothing else says anything of a person's health. */
  readonly isAllUnseen: boolean;
};

export function judgeTriage(knowledge: Knowledge, heard: HistoryFacts, { isAllUnseen }: Circumstances): Judged {
  const certain: readonly Alarm[] = [
    ...dangerFindings(knowledge, heard),
    ...dangersTogether(knowledge, heard),
    ...urgentConditions(knowledge, heard),
    ...(heard.isUnderstood ? [] : [{ kind: 'not-understood' } as const]),
    ...(isAllUnseen ? [{ kind: 'not-seen' } as const] : []),
  ];
  const alarms = certain.length > 0 ? certain : doubts(knowledge, heard);
  return { level: alarms.length > 0 ? 'RED' : 'WHITE', alarms };
}

function dangerFindings({ findings }: Knowledge, heard: HistoryFacts): readonly Alarm[] {
  return [...heard.findings.values()]
    .filter(({ id }) => findings.get(id)?.isDanger === true && isThere(heard, id))
    .sort((one, other) => compareIds(one.id, other.id))
    .flatMap((said) => {
      const finding = findings.get(said.id);
      return finding === undefined ? [] : [{ kind: 'danger', heard: said, finding } as const];
    });
}

function dangersTogether(knowledge: Knowledge, heard: HistoryFacts): readonly Alarm[] {
  return knowledge.dangers
    .filter((danger) => danger.all.every((id) => isThere(heard, id)) && mayFit(danger, heard, knowledge))
    .map((danger) => ({ kind: 'together', danger }));
}

/** The most that speaks for it first. */
function urgentConditions({ conditions }: Knowledge, heard: HistoryFacts): readonly Alarm[] {
  return conditions
    .filter((condition) => isCandidate(condition, heard))
    .map((condition) => ({ condition, pull: pullOf(condition, heard) }))
    .filter(({ condition: { urgent }, pull }) => urgent !== undefined && pull >= urgent)
    .sort((one, other) => other.pull - one.pull || compareIds(one.condition.id, other.condition.id))
    .map(({ condition }) => ({ kind: 'condition', condition }));
}

/** What speaks for it, and nothing of what speaks against it. Of the person only what was said: nothing that follows from findings. */
function pullOf(condition: Condition, heard: HistoryFacts): number {
  const start = condition.base + peopleWeight(condition, heard.person);
  let sum = start;
  condition.findings.forEach((weight, id) => {
    const said = heard.findings.get(id);
    if (said !== undefined && said.presence !== 'absent') sum += Math.max(0, toldWeight(weight, said.presence));
  });
  return sum;
}

/** What speaks against calling it calm. The slighter ones do not stand where it is told as what can wait. */
function doubts(knowledge: Knowledge, heard: HistoryFacts): readonly Alarm[] {
  const { share, conditions } = weighDanger(knowledge, heard);
  const told = heard.isHealth ? weighTone(knowledge, heard) : undefined;
  const isToldAsCalm = told?.isUrgent === false;
  const tooMuch = isToldAsCalm ? MOSTLY_DANGER : TOO_MUCH_DANGER;
  return [
    ...(share >= tooMuch ? [{ kind: 'outweighs', conditions } as const] : []),
    ...(isToldAsCalm ? [] : [...unexplained(knowledge, heard), ...hardlyHeard(knowledge, heard)]),
    ...(heard.isHealth && isNothingHeard(knowledge, heard) ? [{ kind: 'nothing-recognised' } as const] : []),
    ...(told?.isUrgent === true
      ? [{ kind: 'told-as-urgent', findings: told.findings, words: told.words } as const]
      : []),
  ];
}

/** Or of a few words only who it is, and nothing of why they come. */
function isNothingHeard(knowledge: Knowledge, heard: HistoryFacts): boolean {
  if (heard.findings.size === 0) return true;
  if (heard.words.size >= (knowledge.tone?.shortest ?? 0)) return false;
  const isWhySaid = [...heard.findings.keys()].some((id) => isComplaint(knowledge.findings.get(id)));
  return !isWhySaid && rankConditions(knowledge, heard).length === 0;
}

function unexplained(knowledge: Knowledge, heard: HistoryFacts): readonly Alarm[] {
  const complaints = complaintsOf(heard, knowledge);
  const isExplained = complaints.length === 0 || rankConditions(knowledge, heard).length > 0;
  return isExplained ? [] : [{ kind: 'unexplained', complaints }];
}

/** Somebody complains of something, and what was not recognised may be the danger. */
function hardlyHeard(knowledge: Knowledge, { isHealth, findings, isHardlyRecognised }: HistoryFacts): readonly Alarm[] {
  if (!isHealth || !isHardlyRecognised) return [];
  const isTold = [...findings.values()].some(
    ({ id, presence }) => presence !== 'absent' && isComplaint(knowledge.findings.get(id)),
  );
  return isTold ? [{ kind: 'little-recognised' }] : [];
}

function isComplaint(finding: Finding | undefined): boolean {
  return finding?.kind === 'complaint' || finding?.kind === 'sign';
}
