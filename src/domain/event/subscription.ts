// The engine's own Subscription in an EHR: what it asks for, how it looks, and by what it is known again. It asks for cancelled
// encounters, too: what was written for them must be taken back.
import type { Extension, Resource, Subscription } from '@medplum/fhirtypes';
import type { EventSettings } from '../site/site.ts';
import { isOnThisMachine } from '../site/this-machine.ts';

export type SubscriptionKind = 'rest-hook' | 'topic';

export type WantedSubscription = {
  readonly kind: SubscriptionKind;
  readonly endpoint: string;
  /** All that it says but its status. */
  readonly body: Omit<Subscription, 'status'>;
  readonly secret?: string;
};

export type SubscriptionWish =
  | { readonly kind: 'none' }
  /** The settings are not enough for one. In plain words. */
  | { readonly kind: 'lacking'; readonly why: string }
  | { readonly kind: 'wanted'; readonly wanted: WantedSubscription };

export const HEARTBEAT_SECONDS = 60;
const DELIVERY_TIMEOUT_SECONDS = 30;
const MAX_EVENTS = 20;
const DEFAULT_CRITERIA = 'Encounter?status=finished';
const TAKEN_BACK = ['cancelled', 'entered-in-error'];
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
/** Releases of Medplum differ in which of them they read. */
const SECRET_EXTENSIONS = [
  'https://www.medplum.com/fhir/StructureDefinition/subscription-secret',
  'https://medplum.com/fhir/StructureDefinition/subscription-secret',
];
/** What can stand in a header behind `Bearer`. */
const BEARER = /^[\x21-\x7e]+$/;

export function subscriptionEndpoint(publicUrl: string, site: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/ehr/${encodeURIComponent(site)}/events`;
}

export function wishedSubscription(site: string, { subscription }: EventSettings, publicUrl: string): SubscriptionWish {
  if (subscription === undefined || subscription.kind === 'none') return { kind: 'none' };
  const { kind, criteria, topic, secret } = subscription;
  if (kind === 'topic' && topic === undefined) {
    return { kind: 'lacking', why: 'events.subscription.topic is not set: name the topic that the EHR offers' };
  }
  const endpoint = subscriptionEndpoint(publicUrl, site);
  const header = secret !== undefined && BEARER.test(secret) ? [`Authorization: Bearer ${secret}`] : undefined;
  const common = {
    resourceType: 'Subscription',
    reason: `Chartwright: encounters of ${site} to be documented`,
  } as const;
  const channel = { type: 'rest-hook', endpoint, payload: 'application/fhir+json', ...(header && { header }) } as const;
  const body: WantedSubscription['body'] =
    kind === 'topic'
      ? topicBody({ ...common, criteria: topic ?? '', channel }, criteria)
      : {
          ...common,
          criteria: widenedCriteria(criteria ?? DEFAULT_CRITERIA),
          channel,
          ...(secret !== undefined && { extension: secretExtensions(secret) }),
        };
  return { kind: 'wanted', wanted: { kind, endpoint, body, ...(secret !== undefined && { secret }) } };
}

/** The R5 Backport's profile of R4: what FHIR R5 has elements for stands in extensions. */
function topicBody(
  body: WantedSubscription['body'] & { readonly channel: Subscription['channel'] },
  filter: string | undefined,
): WantedSubscription['body'] {
  const { channel } = body;
  const seconds = (name: string, valueUnsignedInt: number): Extension => ({
    url: `${BACKPORT}/${name}`,
    valueUnsignedInt,
  });
  const filters = [{ url: `${BACKPORT}/backport-filter-criteria`, valueString: widenedCriteria(filter ?? '') }];
  const content = { url: `${BACKPORT}/backport-payload-content`, valueCode: 'id-only' };
  return {
    ...body,
    meta: { profile: [`${BACKPORT}/backport-subscription`] },
    ...(filter !== undefined && { _criteria: { extension: filters } }),
    channel: {
      ...channel,
      ...{ _payload: { extension: [content] } },
      extension: [
        seconds('backport-heartbeat-period', HEARTBEAT_SECONDS),
        seconds('backport-timeout', DELIVERY_TIMEOUT_SECONDS),
        { url: `${BACKPORT}/backport-max-count`, valuePositiveInt: MAX_EVENTS },
      ],
    },
  };
}

function secretExtensions(secret: string): Extension[] {
  return SECRET_EXTENSIONS.map((url) => ({ url, valueString: secret }));
}

/**
 * A search for encounters of certain states finds cancelled ones and those entered in error as well; one that does not ask for states
 * finds them anyway, and one for something else is left as it is.
 */
export function widenedCriteria(criteria: string): string {
  const [type, query] = [criteria.slice(0, criteria.indexOf('?')), criteria.slice(criteria.indexOf('?') + 1)];
  if (type !== 'Encounter') return criteria;
  const widened = query.split('&').map((part) => {
    if (!part.startsWith('status=')) return part;
    const states = part.slice('status='.length).split(/,|%2C/i);
    return `status=${[...states, ...TAKEN_BACK.filter((state) => !states.includes(state))].join(',')}`;
  });
  return `${type}?${widened.join('&')}`;
}

/**
 * What the settings come to, to see that they have changed. Of the secret there are two bytes of a hash in it: enough to see that it is
 * another one, too few to guess it from what is stored.
 */
export function settingsOf({ body, secret }: WantedSubscription, digest: (text: string) => Uint8Array): string {
  const text = JSON.stringify(body);
  if (secret === undefined) return text;
  const [first, second] = digest(secret);
  return `${text.replaceAll(JSON.stringify(secret).slice(1, -1), '')} ${first} ${second}`;
}

/** What the EHR sends would go to itself. In words, for the log. */
export function addressWarnings(
  { endpoint, secret }: WantedSubscription,
  { site, ehrUrl }: { readonly site: string; readonly ehrUrl: string },
): readonly string[] {
  if (isOnThisMachine(ehrUrl)) return [];
  return [
    ...(isOnThisMachine(endpoint)
      ? [
          `PUBLIC_URL is an address of this machine: the EHR of ${site} cannot reach it; set it to what that EHR can call`,
        ]
      : []),
    ...(secret === undefined
      ? [
          `events.subscription.secret of ${site} is not set: what its EHR sends is refused, unless it comes from this machine`,
        ]
      : []),
  ];
}

export function asSubscription(resource: Resource | undefined): Subscription | undefined {
  return resource?.resourceType === 'Subscription' ? resource : undefined;
}

/** Whoever has our address as its endpoint tells us, and nobody else. */
export function tellsUs(subscription: Subscription, endpoint: string): boolean {
  return subscription.channel?.endpoint === endpoint;
}

/** The same path, at another address: how the engine is reached has changed. */
export function toldUsBefore(subscription: Subscription, endpoint: string): boolean {
  const pathOf = (address: string | undefined) => /\/ehr\/[^/]+\/events$/.exec(address ?? '')?.[0];
  return pathOf(subscription.channel?.endpoint) === pathOf(endpoint);
}

/** Made by an engine, not by a person's hand. */
export function wasMadeByUs(subscription: Subscription, { body }: WantedSubscription): boolean {
  return subscription.reason === body.reason;
}
