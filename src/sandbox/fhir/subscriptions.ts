// The Subscriptions of the sandbox's EHR: each create, update and delete of a matching resource sends a notice. Subscriptions with a search as
// criteria work as in Medplum; those with a topic, if enabled, follow the R5 Backport for R4.
import { parseSearchRequest } from '@medplum/core';
import type { Bundle, OperationOutcome, ResourceType } from '@medplum/fhirtypes';
import type { After } from '../faults/waits.ts';
import { type ChartsLog, STORED_EVENTS } from './charts-log.ts';
import { outcome } from './outcomes.ts';
import { searchParametersOf } from './resource-types.ts';
import { isObject, type Json, valuesAt } from './resource-values.ts';
import type { VersionedStore } from './sandbox-store.ts';
import { fitsCondition } from './search-match.ts';
import type { StoreChange, StoredResource } from './store-records.ts';
import { makeHeartbeats } from './subscription-heartbeats.ts';
import { bareNotice, type TopicEvent, type TopicNoticeType, topicBundle, topicNotice } from './subscription-notices.ts';
import { makeSubscriptionPosts, type NotificationFaults, type SentNotice } from './subscription-posts.ts';

export type SubscriptionOptions = {
  /** Supports topics: handshake, heartbeats, event numbers, `$status`, `$events`. Each topic means all Encounters. */
  readonly hasTopics?: boolean;
  /** The supported operations; absent: both. */
  readonly answers?: readonly ('$status' | '$events')[];
  /** The number of events that `$events` can return. */
  readonly keptEvents?: number;
  /** Refuses Subscriptions with these statuses: in R4, clients may send only `requested` and `off`. */
  readonly refusedStatuses?: readonly string[];
  /** The pause between retries. */
  readonly after?: After | undefined;
  /** The pause between heartbeats; separate, so that a test without pauses is not flooded with heartbeats. */
  readonly heartbeatAfter?: After | undefined;
};

/** The Subscriptions for the sandbox and tests, with their faults. */
export type SandboxSubscriptions = NotificationFaults & {
  readonly sent: () => readonly SentNotice[];
  readonly settled: () => Promise<void>;
  /** Sends a heartbeat to each active Subscription of a topic now. */
  readonly beat: () => Promise<void>;
};

/** The Subscriptions for the server. */
export type Subscriptions = {
  readonly refusalOf: (resource: Json) => OperationOutcome | undefined;
  /** The names of the supported operations. */
  readonly operations: readonly ('$status' | '$events')[];
  /** Answers `$status` and `$events`; undefined if they are not supported. */
  readonly ask: (id: string, operation: string, query: URLSearchParams) => Bundle | undefined;
  readonly outside: SandboxSubscriptions;
  /** Deletes all stored events. */
  readonly clear: () => void;
  readonly close: () => void;
};

type Parts = {
  readonly store: VersionedStore;
  readonly baseUrl: () => string;
  readonly now: () => Date;
  /** Stores the sent events on disk. */
  readonly log?: ChartsLog | undefined;
};

export function openSubscriptions(
  { store, baseUrl, now, log }: Parts,
  {
    hasTopics = false,
    answers = ['$status', '$events'],
    keptEvents = STORED_EVENTS,
    refusedStatuses = [],
    after,
    heartbeatAfter,
  }: SubscriptionOptions,
): Subscriptions {
  const posts = makeSubscriptionPosts({ after });
  let isClosed = false;
  const events = new Map<string, readonly TopicEvent[]>();
  const eventsOf = (id: string) => events.get(id) ?? [];
  const countOf = (id: string) => eventsOf(id).at(-1)?.number ?? 0;
  const know = (id: string, event: TopicEvent) => events.set(id, [...eventsOf(id), event].slice(-STORED_EVENTS));
  for (const record of log?.records ?? []) {
    if (!('event' in record)) continue;
    const { subscription, ...event } = record.event;
    know(subscription, event);
  }
  const read = (reference: string) => {
    const [type = '', id = ''] = reference.split('/');
    return store.current(type, id);
  };
  const bundleOf = (subscription: StoredResource, type: TopicNoticeType, events: readonly TopicEvent[]) =>
    topicBundle(subscription, {
      baseUrl: baseUrl(),
      type,
      count: countOf(subscription.id),
      events,
      read,
    });
  const tell = (subscription: StoredResource, type: TopicNoticeType, events: readonly TopicEvent[] = []) => {
    const { id } = subscription;
    heartbeats.restart(id);
    // A heartbeat of a Subscription that is off now is not sent; an event is.
    const isWanted = () => type !== 'heartbeat' || served(id) !== undefined;
    return posts.send(topicNotice(subscription, bundleOf(subscription, type, events)), isWanted);
  };
  const served = (id: string) => {
    const subscription = store.current('Subscription', id);
    return hasTopics && subscription?.['status'] === 'active' && isTopic(subscription) ? subscription : undefined;
  };
  const beat = async (id: string): Promise<void> => {
    const subscription = served(id);
    if (subscription) await tell(subscription, 'heartbeat');
  };
  const heartbeats = makeHeartbeats({ served, beat, after: heartbeatAfter });
  for (const { id } of store.candidates('Subscription', [])) heartbeats.look(id);

  const tellOf = (subscription: StoredResource, change: StoreChange): void => {
    if (!isTopic(subscription)) return void posts.send(bareNotice(subscription, change));
    // A deleted Subscription gets no notices.
    if (!change.after) return;
    const event = {
      number: countOf(subscription.id) + 1,
      focus: `${change.type}/${change.id}`,
      at: now().toISOString(),
    };
    log?.append([{ event: { subscription: subscription.id, ...event } }]);
    know(subscription.id, event);
    void tell(subscription, 'event-notification', [event]);
  };
  const shakeHands = async (subscription: StoredResource): Promise<void> => {
    const isTaken = await tell(subscription, 'handshake');
    const current = store.current('Subscription', subscription.id);
    if (isClosed || current?.['status'] !== 'requested') return;
    store.write({ ...current, status: isTaken ? 'active' : 'error' }, { method: 'PUT', author: 'server' });
  };

  store.onChange((change) => {
    if (change.type === 'Subscription') {
      heartbeats.look(change.id);
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
    operations: hasTopics ? answers : [],
    ask: (id, operation, query) => {
      const subscription = store.current('Subscription', id);
      const isOffered = hasTopics && answers.some((one) => one === operation);
      if (!isOffered || !subscription || !isTopic(subscription)) return undefined;
      if (operation === '$status') return bundleOf(subscription, 'query-status', []);
      const from = Number(query.get('eventsSinceNumber') ?? 1);
      const to = Number(query.get('eventsUntilNumber') ?? Number.POSITIVE_INFINITY);
      const known = eventsOf(id).slice(-keptEvents);
      return bundleOf(
        subscription,
        'query-event',
        known.filter(({ number }) => number >= from && number <= to),
      );
    },
    outside: {
      ...posts,
      beat: async () => {
        await Promise.all(store.candidates('Subscription', []).map(({ id }) => beat(id)));
      },
    },
    clear: () => {
      events.clear();
      heartbeats.clear();
    },
    close: () => {
      isClosed = true;
      heartbeats.close();
      posts.close();
    },
  };
}

/** True if the criteria are a canonical address of a topic and not a search. */
function isTopic(subscription: Json): boolean {
  return /^(https?|urn):/.test(String(subscription['criteria']));
}

function isAbout(subscription: StoredResource, { type, before, after }: StoreChange): boolean {
  const resource = after ?? before;
  if (!resource) return false;
  if (!isTopic(subscription)) return fitsCriteria(String(subscription['criteria']), type, resource);
  const filters = valuesAt(subscription, '_criteria.extension').flatMap((one) =>
    isObject(one) ? String(one['valueString']) : [],
  );
  return type === 'Encounter' && filters.every((filter) => fitsCriteria(filter, type, resource));
}

function fitsCriteria(criteria: string, type: string, resource: StoredResource): boolean {
  const [wanted = ''] = criteria.split('?');
  if (wanted !== type) return false;
  const { filters = [] } = parseSearchRequest(criteria as `${ResourceType}?${string}`);
  const known = searchParametersOf(type);
  return filters.every((filter) => {
    const parameter = known[filter.code];
    return parameter !== undefined && fitsCondition(resource, parameter, filter);
  });
}
