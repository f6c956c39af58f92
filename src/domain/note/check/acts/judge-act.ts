// The verdict on one act of a note, by all that the talk says of it.
import type { Verdict } from '../../check-report.ts';
import { isSameAct } from './act-tables.ts';
import type { ActStatus } from './read-acts.ts';
import type { SpokenAct, SpokenActs } from './spoken-acts.ts';

export type ActJudgement = { readonly verdict: Verdict; readonly utterance?: number };

export type ClaimedAct = {
  readonly kind: SpokenAct['kind'];
  readonly id: string;
  readonly status: ActStatus;
  /** The note speaks of earlier times, so that what is not done today says nothing about it. */
  readonly isEarlier: boolean;
};

export function judgeAct(claim: ClaimedAct, spoken: SpokenActs): ActJudgement {
  const said = actsLike(claim, spoken);
  const others = said.filter(({ isOfOther }) => isOfOther);
  const patients = said.filter(({ isOfOther }) => !isOfOther);
  // A relative who speaks for the patient says `my mother does not want it`.
  const own = patients.length === 0 && SPOKEN_FOR.has(claim.kind) ? others : patients;
  const [other] = others;
  if (own.length === 0) {
    const judgement = judgeUnnamed(claim, spoken);
    return other === undefined || claim.status === 'denied' ? judgement : contradictedBy(other);
  }
  return claim.status === 'denied' ? judgeDenied(claim, own) : judgeAffirmed(claim, own);
}

const SPOKEN_FOR: ReadonlySet<string> = new Set(['resuscitation', 'disposition']);
const UNSUPPORTED: ActJudgement = { verdict: 'unsupported' };
/** They are asked for in one question. */
const SAME_MATTER: ReadonlySet<string> = new Set(['self-harm', 'resuscitation']);
/** Answered with more than a yes or no: `When was your last period?` */
const OPEN_KINDS: ReadonlySet<string> = new Set(['pregnancy', 'self-harm', 'resuscitation']);
const YES_OR_NO: ReadonlySet<string> = new Set(['first-pregnancy', 'later-pregnancy', 'note']);
/** Both may be said of them: for a few days, but not for ever. */
const GRADED_KINDS: ReadonlySet<string> = new Set(['resuscitation']);
const NOT_GRADED: ReadonlySet<string> = new Set(['cpr']);
/** A later answer may withdraw what was said first, and affirm what was denied first. */
const LAST_COUNTS: ReadonlySet<string> = new Set(['attempt', 'cutting', 'cpr', 'plan']);

function actsLike({ kind, id }: ClaimedAct, { byKind }: SpokenActs): readonly SpokenAct[] {
  return (byKind.get(kind) ?? []).filter((said) => isSameAct(id, said.id));
}

/** `Any thoughts of ending your life?` - `No.` also denies a plan. */
function judgeUnnamed({ kind, id, status }: ClaimedAct, { byKind }: SpokenActs): ActJudgement {
  if (!SAME_MATTER.has(kind)) return UNSUPPORTED;
  const wanted = status === 'denied' ? 'denied' : id === 'ideation' ? 'affirmed' : undefined;
  const found = byKind.get(kind)?.find((said) => said.status === wanted && !said.isOfOther);
  return found === undefined ? UNSUPPORTED : supportedBy(found);
}

/** What was said last counts: `I'd like an X-ray. No, we don't need it.` */
function judgeAffirmed(claim: ClaimedAct, own: readonly SpokenAct[]): ActJudgement {
  const { status, kind, id } = claim;
  const isAny = (claim.isEarlier && !LAST_COUNTS.has(id)) || (GRADED_KINDS.has(kind) && !NOT_GRADED.has(id));
  const affirmed = own.findLast((said) => said.status === 'affirmed');
  const last = own.findLast((said) => said.status === 'affirmed' || refutes(claim, said));
  const asked = own.find((said) => said.status === 'asked');
  if (affirmed !== undefined && (isAny || last === affirmed)) return supportedBy(affirmed);
  const isOpen = status === 'conditional' || status === 'offered';
  const open = own.findLast((said) => said.status === 'conditional' || said.status === 'offered');
  if (open !== undefined && (isOpen || (last === undefined && open.status === 'offered'))) return supportedBy(open);
  // `When was your last tetanus jab?`, and none is given today.
  if (affirmed === undefined && asked !== undefined && claim.isEarlier && kind === 'procedure')
    return supportedBy(asked);
  if (last !== undefined) return isOpen ? supportedBy(last) : contradictedBy(last);
  return asked !== undefined && OPEN_KINDS.has(kind) && !YES_OR_NO.has(id) ? supportedBy(asked) : UNSUPPORTED;
}

/** No X-ray at all, or not this one; `no scan of the head` says nothing about other scans. */
function refutes({ id, kind }: ClaimedAct, said: SpokenAct): boolean {
  // `No sugar in the urine` refuses no test.
  return said.status === 'denied' && said.id === id && !(kind === 'order' && said.isVague);
}

function judgeDenied({ kind, id }: ClaimedAct, own: readonly SpokenAct[]): ActJudgement {
  const last = own.findLast(({ status }) => status === 'affirmed' || status === 'denied');
  if (LAST_COUNTS.has(id) && last?.status === 'affirmed') return contradictedBy(last);
  const denied = own.findLast(({ status }) => status === 'denied');
  if (denied !== undefined) return supportedBy(denied);
  const affirmed = own.findLast(({ status }) => status === 'affirmed');
  if (affirmed !== undefined) return contradictedBy(affirmed);
  const [open] = own;
  if (open === undefined || (open.status === 'asked' && kind !== 'resuscitation')) return UNSUPPORTED;
  return supportedBy(open);
}

function supportedBy({ utterance, answer }: SpokenAct): ActJudgement {
  return { verdict: 'supported', utterance: answer?.utterance ?? utterance };
}

function contradictedBy({ utterance, answer }: SpokenAct): ActJudgement {
  return { verdict: 'contradicted', utterance: answer?.utterance ?? utterance };
}
