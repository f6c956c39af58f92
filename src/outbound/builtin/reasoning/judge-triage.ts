// Whether it is urgent. Monotone: what is said in addition can make it urgent and never takes that back, and what is said to
// be absent changes nothing. What was not understood, or could not be seen, is urgent until a person has looked at it.
import type { TriageLevel } from '../../../domain/diagnosis.ts';
import type { Heard, HeardFinding } from '../hearing/heard.ts';
import type { Condition, Danger, Finding, Knowledge } from '../knowing/knowledge.ts';
import { compareIds, isCandidate, peopleWeight, toldWeight } from './rank-conditions.ts';
import { isThere, mayFit } from './whom.ts';

export type Alarm =
  | { readonly kind: 'danger'; readonly heard: HeardFinding; readonly finding: Finding }
  | { readonly kind: 'together'; readonly danger: Danger }
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'not-understood' }
  | { readonly kind: 'not-seen' };

export type Judged = { readonly level: TriageLevel; readonly alarms: readonly Alarm[] };

type Circumstances = {
  /** There are files that nobody looked at, and nothing else says anything of a person's health. */
  readonly isAllUnseen: boolean;
};

export function judgeTriage(knowledge: Knowledge, heard: Heard, { isAllUnseen }: Circumstances): Judged {
  const alarms: readonly Alarm[] = [
    ...dangerFindings(knowledge, heard),
    ...dangersTogether(knowledge, heard),
    ...urgentConditions(knowledge, heard),
    ...(heard.isUnderstood ? [] : [{ kind: 'not-understood' } as const]),
    ...(isAllUnseen ? [{ kind: 'not-seen' } as const] : []),
  ];
  return { level: alarms.length > 0 ? 'RED' : 'WHITE', alarms };
}

function dangerFindings({ findings }: Knowledge, heard: Heard): readonly Alarm[] {
  return [...heard.findings.values()]
    .filter(({ id }) => findings.get(id)?.isDanger === true && isThere(heard, id))
    .sort((one, other) => compareIds(one.id, other.id))
    .flatMap((said) => {
      const finding = findings.get(said.id);
      return finding === undefined ? [] : [{ kind: 'danger', heard: said, finding } as const];
    });
}

function dangersTogether(knowledge: Knowledge, heard: Heard): readonly Alarm[] {
  return knowledge.dangers
    .filter((danger) => danger.all.every((id) => isThere(heard, id)) && mayFit(danger, heard, knowledge))
    .map((danger) => ({ kind: 'together', danger }));
}

/** The most that speaks for it first. */
function urgentConditions({ conditions }: Knowledge, heard: Heard): readonly Alarm[] {
  return conditions
    .filter((condition) => isCandidate(condition, heard))
    .map((condition) => ({ condition, pull: pullOf(condition, heard) }))
    .filter(({ condition: { urgent }, pull }) => urgent !== undefined && pull >= urgent)
    .sort((one, other) => other.pull - one.pull || compareIds(one.condition.id, other.condition.id))
    .map(({ condition }) => ({ kind: 'condition', condition }));
}

/** What speaks for it, and nothing of what speaks against it. Of the person only what was said: nothing that follows from findings. */
function pullOf(condition: Condition, heard: Heard): number {
  const start = condition.base + peopleWeight(condition, heard.person);
  return Array.from(condition.findings).reduce((sum, [id, weight]) => {
    const said = heard.findings.get(id);
    return said === undefined || said.told === 'absent' ? sum : sum + Math.max(0, toldWeight(weight, said.told));
  }, start);
}
