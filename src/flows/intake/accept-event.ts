// Takes in what a door was given: understood, stored together with its runs, and only then may the door say that it was taken. Whoever
// looks after feeds and runs hears of it afterwards, and cannot undo it.

import type { Resource } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import type { DeliveryOutcome, RawDelivery, Understood } from '../../domain/event/delivery.ts';
import type { EventSource } from '../../domain/run/run.ts';
import type { FeedKind, Feeds } from '../../ports/feeds.ts';
import type { Accepted, Inbox } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { HeedNews } from '../feeds/track-subscription.ts';
import { placeOf, type UnderstandEvent } from './understand-event.ts';
import { readResource } from './understanding/read-resource.ts';
import { hashKey } from './understanding/reading.ts';

export type AcceptAnswer = {
  readonly outcome: DeliveryOutcome | 'repeated';
  readonly understood: Understood;
  readonly runs: readonly string[];
  /** For `not-understood` and `id-reused`. In plain words. */
  readonly why?: string;
};

/** Throws `overloaded`: do not acknowledge. */
export type AcceptEvent = (order: {
  readonly site: LoadedSite;
  readonly delivery: RawDelivery;
}) => Promise<AcceptAnswer>;

/** What a search of ours found: the same keys as the events themselves would have. Throws `overloaded`: not all of it is stored. */
export type AcceptFound = (order: {
  readonly site: LoadedSite;
  readonly source: 'poll' | 'catch-up';
  readonly receivedAt: Date;
  readonly resources: readonly Resource[];
}) => Promise<{ readonly accepted: number; readonly repeated: number }>;

export type AcceptParts = {
  readonly inbox: Pick<Inbox, 'accept' | 'setAside'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly understand: UnderstandEvent;
  readonly heedNews: HeedNews;
  /** Wakes the worker of this engine. */
  readonly onAccepted: () => void;
  readonly onEvent: (event: { readonly source: EventSource; readonly outcome: AcceptAnswer['outcome'] }) => void;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs'>;
};

type Encounters = Extract<Understood, { readonly kind: 'encounters' }>;
type Other = Exclude<Understood, Encounters>;
type Arrival = Pick<RawDelivery, 'source' | 'receivedAt'> & Partial<Pick<RawDelivery, 'body' | 'contentType'>>;

const MAX_KEPT_BYTES = 1_048_576;
const NOTE_EVERY_MS = 10_000;
const NOT_KEPT = 'It is larger than 1 MB, and was not kept';
const REUSED = 'Its id was used before for something else: each event needs one of its own';

export function makeAcceptEvent(parts: AcceptParts): {
  readonly acceptEvent: AcceptEvent;
  readonly acceptFound: AcceptFound;
} {
  const { understand, onAccepted, onEvent } = parts;
  const noteFeed = makeNoteFeed(parts);

  async function store(site: LoadedSite, understood: Encounters, arrival: Arrival): Promise<Accepted> {
    const accepted = await parts.inbox.accept(acceptOrder(site, understood, arrival));
    onEvent({ source: arrival.source, outcome: accepted.kind });
    if (accepted.kind === 'accepted') onAccepted();
    return accepted;
  }

  async function acceptEncounters(
    site: LoadedSite,
    understood: Encounters,
    delivery: RawDelivery,
  ): Promise<AcceptAnswer> {
    const accepted = await store(site, understood, delivery);
    if (accepted.kind !== 'id-reused') return { outcome: accepted.kind, understood, runs: accepted.runs };
    return { outcome: 'id-reused', understood, runs: [], why: whyKept(REUSED, delivery) };
  }

  async function setAside(site: LoadedSite, understood: Other, delivery: RawDelivery): Promise<AcceptAnswer> {
    const { source, receivedAt, contentType, body } = delivery;
    const { kind: outcome } = understood;
    const why = outcome === 'nothing' ? understood.why : whyKept(understood.why, delivery);
    await parts.inbox.setAside({
      site: site.name,
      source,
      outcome,
      key: asideKey(delivery),
      why,
      receivedAt,
      ...(contentType !== '' && { contentType }),
      ...(outcome === 'not-understood' && isKept(body) && { body }),
    });
    onEvent({ source, outcome });
    return { outcome, understood, runs: [], ...(outcome === 'not-understood' && { why }) };
  }

  return {
    async acceptEvent({ site, delivery }) {
      const understood = understand(site, delivery);
      const answer =
        understood.kind === 'encounters'
          ? await acceptEncounters(site, understood, delivery)
          : await setAside(site, understood, delivery);
      await heed(parts, site, understood);
      // Heartbeats and other resources go on coming while the feed of encounters is silent.
      if (understood.kind === 'encounters' || mustSearch(understood)) await noteFeed(site, delivery);
      return answer;
    },

    async acceptFound({ site, source, receivedAt, resources }) {
      const counts = { accepted: 0, repeated: 0, 'id-reused': 0 };
      for (const resource of resources) {
        const understood = understandFound(site, resource);
        if (understood === undefined) continue;
        const { kind } = await store(site, understood, { source, receivedAt });
        counts[kind] += 1;
      }
      if (counts.accepted > 0) await noteFeed(site, { source, receivedAt });
      return { accepted: counts.accepted, repeated: counts.repeated };
    },
  };
}

function acceptOrder(site: LoadedSite, understood: Encounters, arrival: Arrival): Parameters<Inbox['accept']>[0] {
  const { key, eventId, encounters } = understood;
  const { source, receivedAt, body, contentType } = arrival;
  return {
    site: site.name,
    organization: site.settings.organization ?? site.name,
    source,
    key,
    // Nothing that may change from one sending to the next: times, urgency, the order of entries.
    content: JSON.stringify(['encounters', ...encounters.map(({ encounter }) => encounter).sort()]),
    ...(eventId !== undefined && { eventId }),
    receivedAt,
    encounters,
    settleMs: site.settings.recording.settleMs,
    ...(contentType !== undefined && contentType !== '' && { contentType }),
    ...(body !== undefined && isKept(body) && { body }),
  };
}

/** Undefined for what says nothing: a document of no encounter. */
function understandFound(site: LoadedSite, resource: Resource): Encounters | undefined {
  const reading = readResource(resource, placeOf(site));
  if (reading.kind !== 'encounters') return undefined;
  const { key = unversionedKey(resource), encounters } = reading;
  return { kind: 'encounters', key, encounters };
}

/** Of an EHR without versions. Attachments' links may be others at each reading: the time of the change says more than the bytes. */
function unversionedKey(resource: Resource): string {
  const { resourceType, id, meta } = resource;
  return hashKey(meta?.lastUpdated ? `${resourceType}/${id} ${meta.lastUpdated}` : JSON.stringify(resource));
}

/** Of the bytes, and of what the headers say where there are none: one `{}` is not another. */
function asideKey({ body, headers }: RawDelivery): string {
  const said = body.length > 2 ? '' : JSON.stringify(Object.entries(headers).sort());
  return hashKey(Buffer.concat([Buffer.from(said), body]));
}

function isKept({ length }: Uint8Array): boolean {
  return length <= MAX_KEPT_BYTES;
}

function whyKept(why: string, { body }: RawDelivery): string {
  return isKept(body) ? why : `${why}. ${NOT_KEPT}`;
}

function mustSearch(understood: Understood): boolean {
  return understood.kind === 'nothing' && understood.mustSearch === true;
}

/** Where only a search can say what happened, the event is not taken until that is sure to be done. */
async function heed({ heedNews }: AcceptParts, site: LoadedSite, understood: Understood): Promise<void> {
  if (understood.kind === 'not-understood') return;
  const { subscription } = understood;
  const isSearch = mustSearch(understood);
  if (subscription === undefined && !isSearch) return;
  try {
    await heedNews(site, { ...(subscription !== undefined && { subscription }), mustSearch: isSearch });
  } catch (cause) {
    if (isSearch)
      throw new AppError('overloaded', 'What has changed could not be looked for; send it again', { cause });
  }
}

/** At most once in ten seconds: a busy feed is not worth a write for each event. */
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
      // The event is stored; the next one says it again.
      notedAtMs.delete(feed);
    }
  };
}

function feedKindOf(source: EventSource): FeedKind | undefined {
  return source === 'upload' || source === 'operator' ? undefined : source;
}
