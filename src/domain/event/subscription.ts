// The engine's own Subscription in an EHR: its criteria, its content, and how it is recognised. The criteria include cancelled encounters,
// whose documents must be retracted.
import type { Extension, Resource, Subscription } from '@medplum/fhirtypes';
import type { EventSettings } from '../site/site.ts';
import { isOnThisMachine } from '../site/this-machine.ts';

export type SubscriptionKind = 'rest-hook' | 'topic';

export type DesiredSubscription = {
  readonly kind: SubscriptionKind;
  readonly endpoint: string;
  /** The whole resource without its status. */
  readonly body: Omit<Subscription, 'status'>;
  readonly secret?: string;
};

export type SubscriptionChoice =
  | { readonly kind: 'none' }
  /** The settings are incomplete. `why` is in plain words. */
  | { readonly kind: 'lacking'; readonly why: string }
  | { readonly kind: 'wanted'; readonly wanted: DesiredSubscription };

export const HEARTBEAT_SECONDS = 60;
const DELIVERY_TIMEOUT_SECONDS = 30;
const MAX_EVENTS = 20;
const DEFAULT_CRITERIA = 'Encounter?status=finished';
const TAKEN_BACK = ['cancelled', 'entered-in-error'];
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
/** Releases of Medplum differ in which of the two they read. */
const SECRET_EXTENSIONS = [
  'https://www.medplum.com/fhir/StructureDefinition/subscription-secret',
  'https://medplum.com/fhir/StructureDefinition/subscription-secret',
];
/** Characters that are allowed in a header behind `Bearer`. */
const BEARER = /^[\x21-\x7e]+$/;

export function subscriptionEndpoint(publicUrl: string, site: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/ehr/${encodeURIComponent(site)}/events`;
}

export function chooseSubscription(
  site: string,
  { subscription }: EventSettings,
  publicUrl: string,
): SubscriptionChoice {
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
  const body: DesiredSubscription['body'] =
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

/** The R5 Backport profile of R4: it uses extensions for elements that R5 has. */
function topicBody(
  body: DesiredSubscription['body'] & { readonly channel: Subscription['channel'] },
  filter: string | undefined,
): DesiredSubscription['body'] {
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
 * Adds cancelled and erroneous encounters to a search for encounters of certain states. A search without states finds them anyway, and
 * a search for another type is left unchanged.
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
 * A text that changes with the settings. It holds two bytes of a hash of the secret: enough to notice another secret, too few to guess it from
 * the stored value.
 */
export function settingsText({ body, secret }: DesiredSubscription, digest: (text: string) => Uint8Array): string {
  const text = JSON.stringify(body);
  if (secret === undefined) return text;
  const [first, second] = digest(secret);
  return `${text.replaceAll(JSON.stringify(secret).slice(1, -1), '')} ${first} ${second}`;
}

/** Warnings for the log about addresses with which no notification would arrive. */
export function addressWarnings(
  { endpoint, secret }: DesiredSubscription,
  { site, ehrUrl }: { readonly site: string; readonly ehrUrl: string },
): readonly string[] {
  if (isOnThisMachine(ehrUrl)) return [];
  return [
    ...(isOnThisMachine(endpoint)
      ? [
          `PUBLIC_URL is an address of this machine: the EHR of ${site} cannot reach it; set it to an address that the EHR can call`,
        ]
      : []),
    ...(secret === undefined
      ? [
          `events.subscription.secret of ${site} is not set: notifications of its EHR are refused unless they come from this machine`,
        ]
      : []),
  ];
}

export function asSubscription(resource: Resource | undefined): Subscription | undefined {
  return resource?.resourceType === 'Subscription' ? resource : undefined;
}

/** Whether the Subscription sends its notifications to this endpoint. */
export function notifiesUs(subscription: Subscription, endpoint: string): boolean {
  return subscription.channel?.endpoint === endpoint;
}

/** The same path at another address: the address of the engine has changed. */
export function notifiedUsBefore(subscription: Subscription, endpoint: string): boolean {
  const pathOf = (address: string | undefined) => /\/ehr\/[^/]+\/events$/.exec(address ?? '')?.[0];
  return pathOf(subscription.channel?.endpoint) === pathOf(endpoint);
}

/** Whether an engine created it, and not a person. */
export function wasMadeByUs(subscription: Subscription, { body }: DesiredSubscription): boolean {
  return subscription.reason === body.reason;
}
