// Reads the subscription status of a notification: Parameters of the FHIR R4 Backport, SubscriptionStatus of R4B and R5, and Aidbox' own format.
import type { SubscriptionUpdate } from '../../../domain/event/delivery.ts';
import { listOf, memberOf, textOf } from '../../../domain/raw-members.ts';
import { readReference } from './encounter-reference.ts';
import { occurredAt } from './read-resource.ts';
import type { ReadingPlace } from './reading.ts';

export type Notification = {
  readonly update: SubscriptionUpdate;
  /** The subjects of the events: `Encounter/1`. */
  readonly focuses: readonly string[];
  /** A name for repeats; absent if the events lack a number or a time. Numbers alone start again with a new subscription. */
  readonly name?: string;
  readonly occurredAt?: Date;
};

type Status = {
  readonly kind: unknown;
  readonly status: unknown;
  readonly subscription: unknown;
  readonly sinceStart: unknown;
  readonly events: readonly Event[];
};
type Event = { readonly number: unknown; readonly timestamp: unknown; readonly focus: unknown };

const KINDS = ['handshake', 'heartbeat', 'event-notification', 'query-status', 'query-event'] as const;

/** Undefined if the resource is not a subscription status. */
export function readNotification(resource: unknown, place: ReadingPlace): Notification | undefined {
  const status = statusOf(resource);
  const kind = KINDS.find((known) => known === status?.kind);
  if (status === undefined || kind === undefined) return undefined;
  const subscription = ownSubscription(status.subscription, place);
  const name = subscription === undefined ? undefined : nameOf(subscription, status.events);
  return {
    update: { kind, ...(subscription !== undefined && { subscription }), ...numbersOf(status), ...statusWord(status) },
    focuses: status.events.flatMap(({ focus }) => textOf(focus, 'reference') ?? []),
    ...(name !== undefined && { name }),
    ...occurredAt(status.events.at(-1)?.timestamp, place.timeZone),
  };
}

function statusOf(resource: unknown): Status | undefined {
  const type = textOf(resource, 'resourceType');
  if (type === 'Parameters') return statusOfParameters(listOf(resource, 'parameter'));
  if (type !== 'SubscriptionStatus' && type !== 'AidboxSubscriptionStatus') return undefined;
  return {
    kind: memberOf(resource, 'type'),
    status: memberOf(resource, 'status'),
    subscription: memberOf(resource, 'subscription'),
    sinceStart: memberOf(resource, 'eventsSinceSubscriptionStart'),
    events: listOf(resource, 'notificationEvent').map((event) => ({
      number: memberOf(event, 'eventNumber'),
      timestamp: memberOf(event, 'timestamp'),
      focus: memberOf(event, 'focus'),
    })),
  };
}

function statusOfParameters(parameters: readonly unknown[]): Status {
  const events = parameters.filter((parameter) => memberOf(parameter, 'name') === 'notification-event');
  return {
    kind: valueNamed(parameters, 'type'),
    status: valueNamed(parameters, 'status'),
    subscription: valueNamed(parameters, 'subscription'),
    sinceStart: valueNamed(parameters, 'events-since-subscription-start'),
    events: events.map((event) => {
      const parts = listOf(event, 'part');
      return {
        number: valueNamed(parts, 'event-number'),
        timestamp: valueNamed(parts, 'timestamp'),
        focus: valueNamed(parts, 'focus'),
      };
    }),
  };
}

/** The value of any type: servers differ in `valueCode` and `valueString`. */
function valueNamed(parameters: readonly unknown[], name: string): unknown {
  const parameter = parameters.find((each) => memberOf(each, 'name') === name);
  if (typeof parameter !== 'object' || parameter === null) return undefined;
  const member = Object.keys(parameter).find((key) => key.startsWith('value'));
  return member === undefined ? undefined : memberOf(parameter, member);
}

function ownSubscription(reference: unknown, { baseUrl }: ReadingPlace): string | undefined {
  const read = readReference(textOf(reference, 'reference') ?? '', baseUrl);
  return read.kind === 'own' && read.type === 'Subscription' ? `Subscription/${read.id}` : undefined;
}

function numbersOf({ events, sinceStart }: Status): Pick<SubscriptionUpdate, 'eventNumber' | 'firstEventNumber'> {
  const numbers = events.flatMap(({ number }) => countOf(number) ?? []);
  const since = countOf(sinceStart);
  if (numbers.length === 0) return since === undefined ? {} : { eventNumber: since };
  // A hostile notification may have more numbers than Math.max accepts as arguments.
  const lowest = numbers.reduce((one, other) => Math.min(one, other));
  return { eventNumber: numbers.reduce((one, other) => Math.max(one, other)), firstEventNumber: lowest };
}

/** The number is a string in R4, and a JSON number in other versions. */
function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function statusWord({ status }: Status): { readonly status?: string } {
  return typeof status === 'string' && /^[a-z-]{1,40}$/.test(status) ? { status } : {};
}

function nameOf(subscription: string, events: readonly Event[]): string | undefined {
  const names = events.flatMap(({ number, timestamp }) => {
    const count = countOf(number);
    return count === undefined || typeof timestamp !== 'string' ? [] : [`${count}@${timestamp}`];
  });
  return names.length === 0 || names.length < events.length ? undefined : [subscription, ...names].join(' ');
}
