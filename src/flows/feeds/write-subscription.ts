// Creates, updates and removes the engine's own Subscription. If the EHR refuses one form, another one is tried; a complete refusal becomes an alarm
// of the site and is not tried again for a while.
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

/** The state of a site's Subscription during one maintenance pass. */
export type SubscriptionContext = {
  readonly site: string;
  readonly ehr: Ehr;
  readonly feed: Feed | undefined;
  readonly wanted: DesiredSubscription;
  /** A hash of the desired content. */
  readonly digest: string;
  readonly now: Date;
  readonly nowMs: number;
  readonly memory: SubscriptionMemory;
  readonly note: (change: FeedChange) => Promise<unknown>;
  /** Throws if another engine maintains this site now. */
  readonly confirm: () => Promise<void>;
  readonly signal: AbortSignal;
};
export type OwnSubscription = StoredResource<Subscription>;
export type SubscriptionOutcome = { readonly state: 'active' | 'waiting' | 'refused'; readonly mustSearch: boolean };

type Status = Subscription['status'];
/**
 * R4 allows a client to write only `requested`, which starts the handshake of the Backport. Servers with plain criteria notify at once if the status
 * is `active`, and some of them never activate a requested one.
 */
const WRITTEN_STATUSES: Readonly<Record<DesiredSubscription['kind'], readonly Status[]>> = {
  'rest-hook': ['active', 'requested'],
  topic: ['requested', 'active'],
};

export async function makeSubscription(context: SubscriptionContext): Promise<SubscriptionOutcome> {
  const answer = await firstAccepted(context, WRITTEN_STATUSES[context.wanted.kind], (status) => {
    const body = JSON.stringify({ ...context.wanted.body, status });
    return context.ehr.create({ type: 'Subscription', body }, context.signal);
  });
  if (answer.kind === 'refused') return refuse(context, answer.why);
  return begin(context, storedOf(answer, context).reference);
}

/** Writes the Subscription with the current settings. Some EHRs do not allow changes: then it is created again. */
export async function rewriteSubscription(
  context: SubscriptionContext,
  own: OwnSubscription,
): Promise<SubscriptionOutcome> {
  const answer = await firstAccepted(context, WRITTEN_STATUSES[context.wanted.kind], (status) =>
    replace(context, own, status),
  );
  if (answer.kind === 'refused') {
    return wasMadeByUs(own.resource, context.wanted) ? recreate(context, own) : refuse(context, answer.why);
  }
  // It was changed meanwhile: the next pass reads it again.
  if (answer.kind === 'conflict') return { state: 'waiting', mustSearch: false };
  storedOf(answer, context);
  return begin(context, own.reference);
}

/** Tries to activate a requested Subscription. The next pass sees the result. */
export async function pushSubscription(context: SubscriptionContext, own: OwnSubscription): Promise<void> {
  await firstAccepted(context, ['active'], (status) => replace(context, own, status));
}

/** Removes the Subscription only if it has the engine's address. False if it may still send notifications. */
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

async function recreate(context: SubscriptionContext, own: OwnSubscription): Promise<SubscriptionOutcome> {
  await context.confirm();
  const isGone = await context.ehr.remove(own.reference, context.signal);
  return isGone ? makeSubscription(context) : refuse(context, 'it can neither be changed nor deleted');
}

async function begin(context: SubscriptionContext, reference: string): Promise<SubscriptionOutcome> {
  // Heartbeats are expected from now on.
  await context.note({ subscription: reference, subscriptionDigest: context.digest, lastHeartbeatAt: context.now });
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

/** The first answer that is not a refusal, or the last refusal. */
async function firstAccepted(
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

/** Throws if the result is unknown or the EHR is busy: the next pass finds the Subscription by its address. */
function storedOf(
  answer: WriteAnswer,
  { site }: SubscriptionContext,
): Extract<WriteAnswer, { readonly kind: 'stored' }> {
  if (answer.kind === 'stored') return answer;
  throw new AppError('ehrUnavailable', `${site}: the EHR did not confirm the engine's Subscription (${answer.kind})`);
}
