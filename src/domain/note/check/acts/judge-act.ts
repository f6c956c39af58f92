// The verdict on one act of a note, by all that the talk says of it.
import type { Verdict } from '../../check-report.ts';
import { familyOf, isSameAct } from './act-tables.ts';
import type { ActStatus } from './read-acts.ts';
import type { SpokenAct, SpokenActs } from './spoken-acts.ts';

export type ActJudgement = { readonly verdict: Verdict; readonly utterance?: number };

export type ClaimedAct = {
  readonly kind: SpokenAct['kind'];
  readonly id: string;
  readonly status: ActStatus;
  /** The note speaks of earlier times, so that what is not done today says nothing about it. */
  readonly isEarlier: boolean;
  /** The utterances that the note names for it. */
  readonly cites: readonly number[];
};

/**
 * Undefined if nothing can be said. It takes more to call an act unsupported than that its listed words are missing: nothing like it must
 * have been named. And only what was said of the same act in so many words contradicts it.
 */
export function judgeAct(claim: ClaimedAct, spoken: SpokenActs, isNamed: () => boolean): ActJudgement | undefined {
  const judgement = judgeBySaid(claim, spoken);
  if (judgement.verdict === 'supported') return judgement;
  // What is only discussed or may come is sound advice as often as an invention.
  if (claim.status === 'offered' || claim.status === 'conditional') return undefined;
  if (judgement.verdict === 'contradicted') return isRefusedBehind(claim, judgement, spoken) ? undefined : judgement;
  if (isTouched(claim, spoken) || isPartOfCare(claim, spoken) || isCitedVaguely(claim, spoken)) return undefined;
  return actsLike(claim, spoken).length === 0 && isNamed() ? undefined : judgement;
}

/** The care of a wound has many words, and rarely in those of a note. */
const WOUND_CARE: ReadonlySet<string> = new Set(['wound-wash', 'dressing', 'debridement']);

function isPartOfCare({ id }: ClaimedAct, { byKind }: SpokenActs): boolean {
  if (!WOUND_CARE.has(id)) return false;
  return (byKind.get('procedure') ?? []).some((said) => WOUND_CARE.has(said.id) && said.status === 'affirmed');
}

/** `We'll check your sugar` may be one of several tests of the blood: which one was meant, its writer knows. */
function isCitedVaguely({ kind, id, cites }: ClaimedAct, { byKind }: SpokenActs): boolean {
  if (kind !== 'order') return false;
  return (byKind.get(kind) ?? []).some(({ utterance, isVague, status, id: said }) => {
    return isVague && status !== 'denied' && familyOf(said) === familyOf(id) && cites.includes(utterance);
  });
}

/** `And the vaccine?` - `I don't want that one.` refuses in words without the thing itself. */
function isRefusedBehind(
  { kind, status }: ClaimedAct,
  { utterance }: ActJudgement,
  { byKind, refusals }: SpokenActs,
): boolean {
  if (status !== 'denied' || utterance === undefined) return false;
  if (byKind.get(kind)?.some(({ answer }) => answer?.utterance === utterance)) return false;
  return Array.from({ length: REFUSAL_REACH + 1 }, (_, ahead) => utterance + ahead).some((at) => refusals.has(at));
}

const REFUSAL_REACH = 1;

/** In these matters one thing is asked in many ways: any question about it may be the one that the note sums up. */
function isTouched({ kind, id }: ClaimedAct, { byKind }: SpokenActs): boolean {
  return SAME_MATTER.has(kind) && (byKind.get(kind) ?? []).some((said) => !said.isOfOther && said.id !== id);
}

function judgeBySaid(claim: ClaimedAct, spoken: SpokenActs): ActJudgement {
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
