// Builds notices for subscribers: a signed bare resource as from Medplum, or notification Bundles of the R5 Backport for R4, whose event numbers
// show gaps.
import { createHmac } from 'node:crypto';
import type { Bundle, BundleEntry, Parameters, ParametersParameter } from '@medplum/fhirtypes';
import { isObject, type Json, valuesAt } from './resource-values.ts';
import type { StoreChange, StoredResource } from './store-records.ts';
import type { Notice } from './subscription-posts.ts';

export type TopicEvent = { readonly number: number; readonly focus: string; readonly at: string };
export type TopicNoticeType = 'handshake' | 'heartbeat' | 'event-notification' | 'query-status' | 'query-event';

const SECRET_EXTENSIONS: ReadonlySet<unknown> = new Set([
  'https://www.medplum.com/fhir/StructureDefinition/subscription-secret',
  'https://medplum.com/fhir/StructureDefinition/subscription-secret',
]);
export const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';

const endpointOf = (subscription: Json): string => String(valuesAt(subscription, 'channel.endpoint')[0] ?? '');

/** Has the current resource; for a deleted one only its reference. */
export function bareNotice(subscription: StoredResource, { type, id, before, after }: StoreChange): Notice {
  const body = JSON.stringify(after ?? {});
  const interaction = after === undefined ? 'delete' : before === undefined ? 'create' : 'update';
  return {
    subscription: `Subscription/${subscription.id}`,
    endpoint: endpointOf(subscription),
    headers: {
      ...ownHeaders(subscription),
      'content-type': 'application/fhir+json',
      'x-medplum-subscription': subscription.id,
      'x-medplum-interaction': interaction,
      ...(after === undefined && { 'x-medplum-deleted-resource': `${type}/${id}` }),
      ...signature(subscription, body),
    },
    body,
  };
}

export function topicNotice(subscription: StoredResource, bundle: Bundle): Notice {
  return {
    subscription: `Subscription/${subscription.id}`,
    endpoint: endpointOf(subscription),
    headers: { ...ownHeaders(subscription), 'content-type': 'application/fhir+json' },
    body: JSON.stringify(bundle),
  };
}

/** Sends the text of each header up to a second colon only. */
function ownHeaders(subscription: Json): Readonly<Record<string, string>> {
  const lines = valuesAt(subscription, 'channel.header').map(String);
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(':');
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
}

function signature(subscription: Json, body: string): Readonly<Record<string, string>> {
  const extension = valuesAt(subscription, 'extension').find(
    (one) => isObject(one) && SECRET_EXTENSIONS.has(one['url']),
  );
  const secret = isObject(extension) ? extension['valueString'] : undefined;
  return typeof secret === 'string' ? { 'x-signature': createHmac('sha256', secret).update(body).digest('hex') } : {};
}

type TopicBundleParts = {
  readonly baseUrl: string;
  readonly type: TopicNoticeType;
  /** The number of events since the Subscription was created. */
  readonly count: number;
  readonly events: readonly TopicEvent[];
  readonly read: (reference: string) => Json | undefined;
};

export function topicBundle(subscription: StoredResource, parts: TopicBundleParts): Bundle {
  const { baseUrl, type, events } = parts;
  const content = payloadContent(subscription);
  const status: BundleEntry = {
    fullUrl: `${baseUrl}/Subscription/${subscription.id}/$status`,
    resource: statusParameters(subscription, parts, content),
    ...(type !== 'query-status' && {
      request: { method: 'GET', url: `${baseUrl}/Subscription/${subscription.id}/$status` },
      response: { status: '200' },
    }),
  };
  const foci = content === 'empty' ? [] : [...new Set(events.map(({ focus }) => focus))];
  return {
    resourceType: 'Bundle',
    type: type === 'query-status' ? 'searchset' : 'history',
    entry: [
      status,
      ...foci.map((focus): BundleEntry => {
        const resource = content === 'full-resource' ? (parts.read(focus) as BundleEntry['resource']) : undefined;
        return {
          fullUrl: `${baseUrl}/${focus}`,
          request: { method: 'PUT', url: focus },
          response: { status: '200' },
          ...(resource && { resource }),
        };
      }),
    ],
  };
}

function payloadContent(subscription: Json): string {
  const extension = valuesAt(subscription, 'channel._payload.extension').find(
    (one) => isObject(one) && one['url'] === `${BACKPORT}/backport-payload-content`,
  );
  return isObject(extension) ? String(extension['valueCode']) : 'id-only';
}

function statusParameters(
  subscription: StoredResource,
  { baseUrl, type, count, events }: TopicBundleParts,
  content: string,
): Parameters {
  const event = ({ number, focus, at }: TopicEvent): ParametersParameter => ({
    name: 'notification-event',
    part: [
      { name: 'event-number', valueString: String(number) },
      { name: 'timestamp', valueInstant: at },
      ...(content === 'empty' ? [] : [{ name: 'focus', valueReference: { reference: `${baseUrl}/${focus}` } }]),
    ],
  });
  return {
    resourceType: 'Parameters',
    parameter: [
      { name: 'subscription', valueReference: { reference: `${baseUrl}/Subscription/${subscription.id}` } },
      { name: 'topic', valueCanonical: String(subscription['criteria']) },
      { name: 'status', valueCode: String(subscription['status']) },
      { name: 'type', valueCode: type },
      { name: 'events-since-subscription-start', valueString: String(count) },
      ...events.map(event),
    ],
  };
}
