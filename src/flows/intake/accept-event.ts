// Accepts a delivery of an inbound door: parses it, and stores it together with its runs. Only then may the door acknowledge it. Feeds and the
// worker are notified afterwards; their failures do not undo the acceptance.

import type { Resource } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import type { EventContent, RawDelivery } from '../../domain/event/delivery.ts';
import type { EventSource } from '../../domain/run/run.ts';
import type { FeedKind, Feeds } from '../../ports/feeds.ts';
import type { Accepted, Inbox } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { TrackUpdate } from '../feeds/track-subscription.ts';
import type { AcceptAnswer } from './accept-answer.ts';
import { acceptBatch } from './accept-batch.ts';
import type { AcceptFound } from './accept-found.ts';
import { openBatch } from './formats/hl7-batch.ts';
import { readResource } from './formats/read-resource.ts';
import { hashKey, notUnderstood } from './formats/reading.ts';
import { MAX_EVENT_BYTES, placeOf, type UnderstandEvent } from './understand-event.ts';

/** Throws `overloaded`: the delivery must not be acknowledged. */
export type AcceptEvent = (order: {
  readonly site: LoadedSite;
  readonly delivery: RawDelivery;
}) => Promise<AcceptAnswer>;

export type AcceptParts = {
  readonly inbox: Pick<Inbox, 'accept' | 'quarantine'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly understand: UnderstandEvent;
  readonly trackUpdate: TrackUpdate;
  /** Wakes the worker of this engine. */
  readonly onAccepted: () => void;
  readonly onEvent: (event: { readonly source: EventSource; readonly outcome: AcceptAnswer['outcome'] }) => void;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs'>;
};

type Encounters = Extract<EventContent, { readonly kind: 'encounters' }>;
type Other = Exclude<EventContent, Encounters>;
type Arrival = Pick<RawDelivery, 'source' | 'receivedAt'> & Partial<Pick<RawDelivery, 'body' | 'contentType'>>;

const MAX_STORED_BYTES = 1_048_576;
const NOTE_EVERY_MS = 10_000;
const NOT_STORED = 'It is larger than 1 MB, and was not stored';
const REUSED = 'Its id was used before for other content: each event needs its own id';

export function makeAcceptEvent(parts: AcceptParts): {
  readonly acceptEvent: AcceptEvent;
  readonly acceptFound: AcceptFound;
} {
  const { understand, onAccepted, onEvent } = parts;
  const noteFeed = makeNoteFeed(parts);

  async function store(site: LoadedSite, content: Encounters, arrival: Arrival): Promise<Accepted> {
    const accepted = await parts.inbox.accept(acceptOrder(site, content, arrival));
    if (!isOwnRepeat(arrival, accepted)) onEvent({ source: arrival.source, outcome: accepted.kind });
    if (accepted.kind === 'accepted') onAccepted();
    return accepted;
  }

  async function acceptEncounters(site: LoadedSite, content: Encounters, delivery: RawDelivery): Promise<AcceptAnswer> {
    const accepted = await store(site, content, delivery);
    if (accepted.kind !== 'id-reused') return { outcome: accepted.kind, content, runs: accepted.runs };
    return { outcome: 'id-reused', content, runs: [], why: withSizeNote(REUSED, delivery) };
  }

  async function quarantine(site: LoadedSite, content: Other, delivery: RawDelivery): Promise<AcceptAnswer> {
    const { source, receivedAt, contentType, body } = delivery;
    const { kind: outcome } = content;
    const why = outcome === 'nothing' ? content.why : withSizeNote(content.why, delivery);
    await parts.inbox.quarantine({
      site: site.name,
      source,
      outcome,
      key: quarantineKey(delivery),
      why,
      receivedAt,
      ...(contentType !== '' && { contentType }),
      ...(outcome === 'not-understood' && mayStore(body) && { body }),
    });
    onEvent({ source, outcome });
    return { outcome, content, runs: [], ...(outcome === 'not-understood' && { why }) };
  }

  async function acceptOne(site: LoadedSite, delivery: RawDelivery): Promise<AcceptAnswer> {
    const content = understand(site, delivery);
    const answer =
      content.kind === 'encounters'
        ? await acceptEncounters(site, content, delivery)
        : await quarantine(site, content, delivery);
    await track(parts, site, content);
    // Heartbeats and other resources do not count: they may arrive while the events of encounters are missing.
    if (content.kind === 'encounters' || mustSearch(content)) await noteFeed(site, delivery);
    return answer;
  }

  return {
    async acceptEvent({ site, delivery }) {
      const batch = delivery.body.length > MAX_EVENT_BYTES ? undefined : openBatch(delivery.body);
      if (batch === undefined) return await acceptOne(site, delivery);
      return await acceptBatch(batch, delivery, {
        accept: (message) => acceptOne(site, message),
        refuse: (why) => quarantine(site, notUnderstood(why), delivery),
      });
    },

    async acceptFound({ site, source, receivedAt, resources }) {
      const counts = { accepted: 0, repeated: 0, 'id-reused': 0 };
      for (const resource of resources) {
        const content = understandFound(site, resource);
        if (content === undefined) continue;
        const { kind } = await store(site, content, { source, receivedAt });
        counts[kind] += 1;
      }
      if (counts.accepted > 0) await noteFeed(site, { source, receivedAt });
      return { accepted: counts.accepted, repeated: counts.repeated };
    },
  };
}

/** The engine's searches overlap: what they find again is no event. */
function isOwnRepeat({ source }: Arrival, { kind }: Accepted): boolean {
  return kind === 'repeated' && (source === 'poll' || source === 'catch-up');
}

function acceptOrder(site: LoadedSite, content: Encounters, arrival: Arrival): Parameters<Inbox['accept']>[0] {
  const { key, eventId, encounters } = content;
  const { source, receivedAt, body, contentType } = arrival;
  return {
    site: site.name,
    organization: site.settings.organization ?? site.name,
    source,
    key,
    // Only parts that are the same when the event is sent again: no times, no urgency, no order of entries.
    content: JSON.stringify(['encounters', ...encounters.map(({ encounter }) => encounter).sort()]),
    ...(eventId !== undefined && { eventId }),
    receivedAt,
    encounters,
    settleMs: site.settings.recording.settleMs,
    ...(contentType !== undefined && contentType !== '' && { contentType }),
    ...(body !== undefined && mayStore(body) && { body }),
  };
}

/** Undefined for a resource that concerns no encounter. */
function understandFound(site: LoadedSite, resource: Resource): Encounters | undefined {
  const reading = readResource(resource, placeOf(site));
  if (reading.kind !== 'encounters') return undefined;
  const { key = unversionedKey(resource), encounters } = reading;
  return { kind: 'encounters', key, encounters };
}

/** The key for an EHR without versions. It uses the time of the change if there is one, because links of attachments may change at each read. */
function unversionedKey(resource: Resource): string {
  const { resourceType, id, meta } = resource;
  return hashKey(meta?.lastUpdated ? `${resourceType}/${id} ${meta.lastUpdated}` : JSON.stringify(resource));
}

/** A hash of the body; with an empty body (`{}`) the headers distinguish deliveries. */
function quarantineKey({ body, headers }: RawDelivery): string {
  const headerText = body.length > 2 ? '' : JSON.stringify(Object.entries(headers).sort());
  return hashKey(Buffer.concat([Buffer.from(headerText), body]));
}

function mayStore({ length }: Uint8Array): boolean {
  return length <= MAX_STORED_BYTES;
}

function withSizeNote(why: string, { body }: RawDelivery): string {
  return mayStore(body) ? why : `${why}. ${NOT_STORED}`;
}

function mustSearch(content: EventContent): boolean {
  return content.kind === 'nothing' && content.mustSearch === true;
}

/** If only a search can find out what has changed, the event is accepted only after the search. */
async function track({ trackUpdate }: AcceptParts, site: LoadedSite, content: EventContent): Promise<void> {
  if (content.kind === 'not-understood') return;
  const { subscription } = content;
  const isSearch = mustSearch(content);
  if (subscription === undefined && !isSearch) return;
  try {
    await trackUpdate(site, { ...(subscription !== undefined && { subscription }), mustSearch: isSearch });
  } catch (cause) {
    if (isSearch) throw new AppError('overloaded', 'The search for changes failed; send the event again', { cause });
  }
}

/** Notes the last event of a feed, at most once in ten seconds: one write per event would be too much. */
function makeNoteFeed({ feeds, runtime }: AcceptParts) {
  const notedAtMs = new Map<string, number>();
  return async ({ name }: LoadedSite, { source, receivedAt }: Arrival): Promise<void> => {
    const kind = feedKindOf(source);
    const feed = `${name} ${kind}`;
    const now = runtime.monotonicMs();
    if (kind === undefined || now - (notedAtMs.get(feed) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
    notedAtMs.set(feed, now);
    try {
      await feeds.note(name, kind, { lastEventAt: receivedAt });
    } catch {
      // The event itself is stored; the next one notes the feed again.
      notedAtMs.delete(feed);
    }
  };
}

function feedKindOf(source: EventSource): FeedKind | undefined {
  return source === 'upload' || source === 'operator' ? undefined : source;
}
