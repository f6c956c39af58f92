// Writing the engine's own Subscription: made, changed, taken away. An EHR that refuses one way is asked another way; what it refuses
// altogether is an alarm of the site, and is not asked again for a while.
import type { Subscription } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import { refusedMessage } from '../../domain/event/feed-alarm.ts';
import {
  type DesiredSubscription,
  notifiedUsBefore,
  notifiesUs,
  wasMadeByUs,
} from '../../domain/event/subscription.ts';
import type { Ehr, StoredResource, WriteAnswer } from '../../ports/ehr.ts';
import type { Feed, FeedChange } from '../../ports/feeds.ts';
import { readSubscription } from './find-subscription.ts';
import type { SubscriptionMemory } from './subscription-memory.ts';

/** What one look at a site's Subscription knows. */
export type SubscriptionContext = {
  readonly site: string;
  readonly ehr: Ehr;
  readonly feed: Feed | undefined;
  readonly wanted: DesiredSubscription;
  /** A hash of what it must say. */
  readonly digest: string;
  readonly now: Date;
  readonly nowMs: number;
  readonly memory: SubscriptionMemory;
  readonly note: (change: FeedChange) => Promise<unknown>;
  /** Throws where another engine looks after this site now. */
  readonly confirm: () => Promise<void>;
  readonly signal: AbortSignal;
};
export type OwnSubscription = StoredResource<Subscription>;
export type SubscriptionOutcome = { readonly state: 'active' | 'waiting' | 'refused'; readonly mustSearch: boolean };

type Status = Subscription['status'];
/**
 * R4 lets a client ask for `requested` only, and the Backport shakes hands then; servers of plain searches tell at once where they are
 * told `active`, and some of them never where they are not.
 */
const ASKED: Readonly<Record<DesiredSubscription['kind'], readonly Status[]>> = {
  'rest-hook': ['active', 'requested'],
  topic: ['requested', 'active'],
};

export async function makeSubscription(look: SubscriptionContext): Promise<SubscriptionOutcome> {
  const answer = await firstTaken(look, ASKED[look.wanted.kind], (status) => {
    const body = JSON.stringify({ ...look.wanted.body, status });
    return look.ehr.create({ type: 'Subscription', body }, look.signal);
  });
  if (answer.kind === 'refused') return refuse(look, answer.why);
  return begin(look, storedOf(answer, look).reference);
}

/** With what the settings say now. Some EHRs let nothing of a Subscription be changed: then it is made anew. */
export async function rewriteSubscription(
  look: SubscriptionContext,
  own: OwnSubscription,
): Promise<SubscriptionOutcome> {
  const answer = await firstTaken(look, ASKED[look.wanted.kind], (status) => replace(look, own, status));
  if (answer.kind === 'refused') {
    return wasMadeByUs(own.resource, look.wanted) ? makeAnew(look, own) : refuse(look, answer.why);
  }
  // Somebody has changed it meanwhile: the next look sees how.
  if (answer.kind === 'conflict') return { state: 'waiting', mustSearch: false };
  storedOf(answer, look);
  return begin(look, own.reference);
}

/** Of one that was asked for, and that nobody makes active. Whatever the answer is, the next look sees what came of it. */
export async function pushSubscription(look: SubscriptionContext, own: OwnSubscription): Promise<void> {
  await firstTaken(look, ['active'], (status) => replace(look, own, status));
}

/** Only one that surely is ours: whatever else is at that place now stays as it is. False: it may go on telling. */
export async function removeSubscription(
  { ehr, confirm, signal }: Pick<SubscriptionContext, 'ehr' | 'confirm' | 'signal'>,
  { reference, endpoint }: { readonly reference: string; readonly endpoint: string },
): Promise<boolean> {
  const own = await readSubscription(ehr, reference, signal);
  if (!own || !(notifiesUs(own.resource, endpoint) || notifiedUsBefore(own.resource, endpoint))) return true;
  const body = JSON.stringify({ ...own.resource, status: 'off' });
  const answer = await ehr.withWriteSlot(async () => {
    await confirm();
    return ehr.update({ reference, body, ifMatch: own.version }, signal);
  }, signal);
  const isGone = await ehr.remove(reference, signal);
  return isGone || answer.kind === 'stored';
}

async function makeAnew(look: SubscriptionContext, own: OwnSubscription): Promise<SubscriptionOutcome> {
  await look.confirm();
  const isGone = await look.ehr.remove(own.reference, look.signal);
  return isGone ? makeSubscription(look) : refuse(look, 'it can neither be changed nor deleted');
}

async function begin(look: SubscriptionContext, reference: string): Promise<SubscriptionOutcome> {
  // Heartbeats are counted from here.
  await look.note({ subscription: reference, subscriptionDigest: look.digest, lastHeartbeatAt: look.now });
  return { state: 'waiting', mustSearch: true };
}

async function refuse(
  { memory, site, digest, nowMs, note }: SubscriptionContext,
  why: string,
): Promise<SubscriptionOutcome> {
  memory.refused(site, digest, nowMs);
  await note({ alarm: { kind: 'subscription', message: refusedMessage(why) } });
  return { state: 'refused', mustSearch: false };
}

/** The first answer that is no refusal, else the last refusal. */
async function firstTaken(
  { ehr, confirm, signal }: SubscriptionContext,
  statuses: readonly Status[],
  send: (status: Status) => Promise<WriteAnswer>,
): Promise<WriteAnswer> {
  let answer: WriteAnswer = { kind: 'unknown' };
  for (const status of statuses) {
    answer = await ehr.withWriteSlot(async () => {
      await confirm();
      return send(status);
    }, signal);
    if (answer.kind !== 'refused') return answer;
  }
  return answer;
}

function replace(
  { ehr, wanted, signal }: SubscriptionContext,
  { reference, version, resource }: OwnSubscription,
  status: Status,
): Promise<WriteAnswer> {
  const body = JSON.stringify({ ...wanted.body, id: resource.id, status });
  return ehr.update({ reference, body, ifMatch: version }, signal);
}

/** Nobody knows, or the EHR is busy: the next look finds out, by who tells us. */
function storedOf(
  answer: WriteAnswer,
  { site }: SubscriptionContext,
): Extract<WriteAnswer, { readonly kind: 'stored' }> {
  if (answer.kind === 'stored') return answer;
  throw new AppError('ehrUnavailable', `${site}: the EHR did not say that it has our Subscription (${answer.kind})`);
}
