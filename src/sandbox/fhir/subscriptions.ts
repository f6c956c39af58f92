// The Subscriptions of the sandbox's EHR: told at every create, update and delete of what fits, again at each later update. Those with a
// search as criteria as Medplum does it; those with a topic, where that is wanted, as the R5 Backport for R4 says.
import { parseSearchRequest } from '@medplum/core';
import type { Bundle, OperationOutcome, ResourceType } from '@medplum/fhirtypes';
import type { After } from '../faults/waits.ts';
import { outcome } from './outcomes.ts';
import { searchParametersOf } from './resource-types.ts';
import { isObject, type Json, valuesAt } from './resource-values.ts';
import type { KeptResource, StoreChange, VersionedStore } from './sandbox-store.ts';
import { fitsCondition } from './search-match.ts';
import { bareNotice, type TopicEvent, type TopicNoticeType, topicBundle, topicNotice } from './subscription-notices.ts';
import { type Mischief, makeSubscriptionPosts, type SentNotice } from './subscription-posts.ts';

export type SubscriptionOptions = {
  /** Subscriptions to topics are served: handshake, heartbeat, event numbers, `$status`, `$events`. Any topic is one of all Encounters. */
  readonly hasTopics?: boolean;
  /** Which of the two questions are answered; absent: both. */
  readonly answers?: readonly ('$status' | '$events')[];
  /** How many events `$events` still knows. */
  readonly keptEvents?: number;
  /** A Subscription that is sent with one of these is refused: R4 lets clients ask only for `requested` and `off`. */
  readonly refusedStatuses?: readonly string[];
  readonly after?: After | undefined;
};

/** For those who look at it from outside, and make it misbehave. */
export type SandboxSubscriptions = Mischief & {
  readonly sent: () => readonly SentNotice[];
  readonly settled: () => Promise<void>;
  /** To each active one of a topic. */
  readonly beat: () => Promise<void>;
};

/** For the server. */
export type Subscriptions = {
  readonly refusalOf: (resource: Json) => OperationOutcome | undefined;
  /** `$status` and `$events`; undefined: not offered. */
  readonly ask: (id: string, operation: string, query: URLSearchParams) => Bundle | undefined;
  readonly outside: SandboxSubscriptions;
  readonly close: () => void;
};

type Parts = { readonly store: VersionedStore; readonly baseUrl: () => string; readonly now: () => Date };

export function openSubscriptions(
  { store, baseUrl, now }: Parts,
  { hasTopics = false, answers = ['$status', '$events'], keptEvents, refusedStatuses = [], after }: SubscriptionOptions,
): Subscriptions {
  const posts = makeSubscriptionPosts({ after });
  const events = new Map<string, TopicEvent[]>();
  const eventsOf = (id: string) => events.get(id) ?? [];
  const read = (reference: string) => {
    const [type = '', id = ''] = reference.split('/');
    return store.current(type, id);
  };
  const bundleOf = (subscription: KeptResource, type: TopicNoticeType, told: readonly TopicEvent[]) =>
    topicBundle(subscription, {
      baseUrl: baseUrl(),
      type,
      count: eventsOf(subscription.id).length,
      events: told,
      read,
    });
  const tell = (subscription: KeptResource, type: TopicNoticeType, told: readonly TopicEvent[] = []) =>
    posts.send(topicNotice(subscription, bundleOf(subscription, type, told)));

  const tellOf = (subscription: KeptResource, change: StoreChange): void => {
    if (!isTopic(subscription)) return void posts.send(bareNotice(subscription, change));
    // Of what is no longer there nothing is told.
    if (!change.after) return;
    const event = {
      number: eventsOf(subscription.id).length + 1,
      focus: `${change.type}/${change.id}`,
      at: now().toISOString(),
    };
    events.set(subscription.id, [...eventsOf(subscription.id), event]);
    void tell(subscription, 'event-notification', [event]);
  };
  const shakeHands = async (subscription: KeptResource): Promise<void> => {
    const isTaken = await tell(subscription, 'handshake');
    const current = store.current('Subscription', subscription.id);
    if (current?.['status'] !== 'requested') return;
    store.write({ ...current, status: isTaken ? 'active' : 'error' }, { method: 'PUT', author: 'server' });
  };

  store.onChange((change) => {
    if (change.type === 'Subscription') {
      const { before, after: made } = change;
      const isAsked = made?.['status'] === 'requested' && before?.['status'] !== 'requested';
      if (made && isAsked && hasTopics && isTopic(made)) void shakeHands(made);
      return;
    }
    for (const subscription of store.candidates('Subscription', [])) {
      const isServed = subscription['status'] === 'active' && (hasTopics || !isTopic(subscription));
      if (isServed && isAbout(subscription, change)) tellOf(subscription, change);
    }
  });

  return {
    refusalOf: (resource) =>
      resource['resourceType'] === 'Subscription' && refusedStatuses.includes(String(resource['status']))
        ? outcome('business-rule', 'A client may not set this status')
        : undefined,
    ask: (id, operation, query) => {
      const subscription = store.current('Subscription', id);
      const isOffered = hasTopics && answers.some((one) => one === operation);
      if (!isOffered || !subscription || !isTopic(subscription)) return undefined;
      if (operation === '$status') return bundleOf(subscription, 'query-status', []);
      const from = Number(query.get('eventsSinceNumber') ?? 1);
      const to = Number(query.get('eventsUntilNumber') ?? Number.POSITIVE_INFINITY);
      const known = keptEvents === undefined ? eventsOf(id) : eventsOf(id).slice(-keptEvents);
      return bundleOf(
        subscription,
        'query-event',
        known.filter(({ number }) => number >= from && number <= to),
      );
    },
    outside: {
      ...posts,
      beat: async () => {
        const active = store.candidates('Subscription', []).filter((one) => one['status'] === 'active' && isTopic(one));
        await Promise.all(active.map((one) => tell(one, 'heartbeat')));
      },
    },
    close: posts.close,
  };
}

/** A canonical address instead of a search. */
function isTopic(subscription: Json): boolean {
  return /^(https?|urn):/.test(String(subscription['criteria']));
}

function isAbout(subscription: KeptResource, { type, before, after }: StoreChange): boolean {
  const resource = after ?? before;
  if (!resource) return false;
  if (!isTopic(subscription)) return fitsCriteria(String(subscription['criteria']), type, resource);
  const filters = valuesAt(subscription, '_criteria.extension').flatMap((one) =>
    isObject(one) ? String(one['valueString']) : [],
  );
  return type === 'Encounter' && filters.every((filter) => fitsCriteria(filter, type, resource));
}

function fitsCriteria(criteria: string, type: string, resource: KeptResource): boolean {
  const [wanted = ''] = criteria.split('?');
  if (wanted !== type) return false;
  const { filters = [] } = parseSearchRequest(criteria as `${ResourceType}?${string}`);
  const known = searchParametersOf(type);
  return filters.every((filter) => {
    const parameter = known[filter.code];
    return parameter !== undefined && fitsCondition(resource, parameter, filter);
  });
}
