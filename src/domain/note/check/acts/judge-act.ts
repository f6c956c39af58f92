// The verdict on one act of a note, by all that the talk says of it.
import type { Verdict } from '../../check-report.ts';
import { isSameAct } from './act-tables.ts';
import type { ActStatus } from './read-acts.ts';
import type { SpokenAct, SpokenActs } from './spoken-acts.ts';

export type ActJudgement = { readonly verdict: Verdict; readonly utterance?: number };

type ClaimedAct = { readonly kind: SpokenAct['kind']; readonly id: string; readonly status: ActStatus };

export function judgeAct(claim: ClaimedAct, spoken: SpokenActs): ActJudgement {
  const said = actsLike(claim, spoken);
  const own = said.filter(({ isOfOther }) => !isOfOther);
  const [other] = said.filter(({ isOfOther }) => isOfOther);
  if (own.length === 0) return other === undefined ? UNSUPPORTED : contradictedBy(other);
  return claim.status === 'denied' ? judgeDenied(own) : judgeAffirmed(claim, own);
}

const UNSUPPORTED: ActJudgement = { verdict: 'unsupported' };

function actsLike({ kind, id }: ClaimedAct, { byKind }: SpokenActs): readonly SpokenAct[] {
  return (byKind.get(kind) ?? []).filter((said) => isSameAct(id, said.id));
}

/** What was said last counts: `I'd like an X-ray. No, we don't need it.` */
function judgeAffirmed({ status }: ClaimedAct, own: readonly SpokenAct[]): ActJudgement {
  const last = own.findLast((said) => said.status === 'affirmed' || said.status === 'denied');
  if (last?.status === 'affirmed') return supportedBy(last);
  const isOpen = status === 'conditional' || status === 'offered';
  const open = own.findLast((said) => said.status === 'conditional' || said.status === 'offered');
  if (open !== undefined && (isOpen || (last === undefined && open.status === 'offered'))) return supportedBy(open);
  if (last !== undefined) return isOpen ? supportedBy(last) : contradictedBy(last);
  return UNSUPPORTED;
}

function judgeDenied(own: readonly SpokenAct[]): ActJudgement {
  const denied = own.findLast(({ status }) => status === 'denied');
  if (denied !== undefined) return supportedBy(denied);
  const affirmed = own.findLast(({ status }) => status === 'affirmed');
  if (affirmed !== undefined) return contradictedBy(affirmed);
  const [open] = own;
  return open?.status === 'conditional' || open?.status === 'offered' ? supportedBy(open) : UNSUPPORTED;
}

function supportedBy({ utterance, answer }: SpokenAct): ActJudgement {
  return { verdict: 'supported', utterance: answer?.utterance ?? utterance };
}

function contradictedBy({ utterance, answer }: SpokenAct): ActJudgement {
  return { verdict: 'contradicted', utterance: answer?.utterance ?? utterance };
}
