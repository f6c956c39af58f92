// A site whose EHR sends notifications: the sandbox's server over HTTP with Subscriptions that deliver, the engine's receiver with the real
// intake, and all flows of feeds. Only the database is in memory, and the test sets the clock.
import http from 'node:http';
import type { Encounter } from '@medplum/fhirtypes';
import type { EventSettings, SiteSettings } from '../../src/domain/site/site.ts';
import { type CatchUp, makeCatchUp } from '../../src/flows/feeds/catch-up.ts';
import { type MaintainSubscription, makeMaintainSubscription } from '../../src/flows/feeds/maintain-subscription.ts';
import { makePollSite, type PollSite } from '../../src/flows/feeds/poll-site.ts';
import {
  makeTrackSubscription,
  type SubscriptionTracker,
  type TrackUpdate,
} from '../../src/flows/feeds/track-subscription.ts';
import { makeWatchFeeds, type WatchFeeds } from '../../src/flows/feeds/watch-feeds.ts';
import { makeAcceptEvent } from '../../src/flows/intake/accept-event.ts';
import { makeUnderstandEvent } from '../../src/flows/intake/understand-event.ts';
import { makeFhirEhrs } from '../../src/outbound/fhir/fhir-ehrs.ts';
import { systemRuntime } from '../../src/platform/system-runtime.ts';
import type { Ehrs } from '../../src/ports/ehr.ts';
import type { Feed, FeedKind, Feeds } from '../../src/ports/feeds.ts';
import type { Runtime } from '../../src/ports/runtime.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { SubscriptionOptions } from '../../src/sandbox/fhir/subscriptions.ts';
import { makeFakeEhrKnowledge } from '../fakes/ehr-knowledge.ts';
import { makeFakeFeeds } from '../fakes/feeds.ts';
import { makeFakeInbox } from '../fakes/inbox.ts';
import { makeRunsMemory } from '../fakes/runs-store.ts';
import { type FakeRuntime, makeFakeRuntime } from '../fakes/runtime.ts';
import { startSandboxEhr, type TestEhr } from './sandbox-ehr.ts';

export type FeedLab = {
  readonly server: TestEhr;
  readonly ehrs: Ehrs;
  readonly runtime: FakeRuntime;
  readonly publicUrl: string;
  readonly site: LoadedSite;
  readonly siteWith: (events: EventSettings, more?: Partial<SiteSettings>) => LoadedSite;
  readonly feeds: Feeds;
  readonly feedOf: (kind: FeedKind) => Promise<Feed | undefined>;
  readonly keep: MaintainSubscription;
  readonly catchUp: CatchUp;
  readonly poll: PollSite;
  readonly watch: WatchFeeds;
  readonly trackUpdate: TrackUpdate;
  /** Returns the flows of another process, with an empty database unless one is given. */
  readonly another: (feeds?: Feeds) => Pick<FeedLab, 'keep' | 'catchUp' | 'feeds'>;
  /** The way in which each gap was closed, and the failures. */
  readonly closed: readonly string[];
  /** The encounters of accepted events, once for each event. */
  readonly accepted: () => readonly string[];
  /** The deliveries that arrived at the receiver, unchanged. */
  readonly deliveries: readonly { readonly headers: http.IncomingHttpHeaders; readonly body: string }[];
  /** While the engine is down, requests get no answer. */
  readonly setDown: (isDown: boolean) => void;
  readonly finish: (id: string, status?: Encounter['status']) => void;
  /** Ends an encounter whose last change is that long ago by the EHR's clock. */
  readonly finishAgo: (id: string, agoMs: number) => void;
  readonly close: () => Promise<void>;
};

export const never = new AbortController().signal;
export const REST_HOOK = { subscription: { kind: 'rest-hook', secret: 'a-made-up-secret' } } as const;
export const TOPIC = {
  subscription: { kind: 'topic', topic: 'http://example.org/SubscriptionTopic/encounters', secret: 'a-made-up-secret' },
} as const;

type Options = {
  readonly events?: EventSettings;
  readonly subscriptions?: SubscriptionOptions;
  /** The pause of closing gaps. */
  readonly pause?: Runtime['pause'];
  /** The time by which the EHR's clock is behind the engine's. */
  readonly ehrBehindMs?: number;
};

/** Ends every pause of the Subscriptions at once. */
const atOnce: SubscriptionOptions['after'] = (_, end) => {
  const handle = setImmediate(end);
  return () => clearImmediate(handle);
};

export async function startFeedLab({
  events = REST_HOOK,
  subscriptions = {},
  pause,
  ehrBehindMs = 0,
}: Options = {}): Promise<FeedLab> {
  const runtime = makeFakeRuntime();
  let agoByMs = 0;
  const ehrNow = () => new Date(runtime.now().getTime() - ehrBehindMs - agoByMs);
  const server = await startSandboxEhr({ now: ehrNow, subscriptions: { after: atOnce, ...subscriptions } });
  const ehrs = makeFhirEhrs({ knowledge: makeFakeEhrKnowledge(), runtime: systemRuntime });
  const feeds = makeFakeFeeds({ now: runtime.now });
  const memory = makeRunsMemory(runtime.now);
  const siteWith: FeedLab['siteWith'] = (wanted, more = {}) => server.siteWith({ events: wanted, ...more });
  const site = siteWith(events);
  const closed: string[] = [];
  const deliveries: { headers: http.IncomingHttpHeaders; body: string }[] = [];
  let isDown = false;

  const held: { tracker?: SubscriptionTracker } = {};
  const trackUpdate: TrackUpdate = async (of, update) => held.tracker?.trackUpdate(of, update);
  const inbox = makeFakeInbox(memory);
  const accepting = makeAcceptEvent({
    inbox,
    feeds,
    understand: makeUnderstandEvent(),
    trackUpdate: trackUpdate,
    onAccepted: () => undefined,
    onEvent: () => undefined,
    runtime,
  });
  const { acceptEvent, acceptFound } = accepting;
  const catchUp = makeCatchUp({ ehrs, feeds, acceptFound, runtime });
  held.tracker = makeTrackSubscription({
    ehrs,
    feeds,
    acceptFound,
    catchUp,
    runtime: { now: runtime.now, pause: pause ?? runtime.pause },
    onGap: (_, how) => void closed.push(how),
    onFailed: (_, thrown) => void closed.push(`failed: ${String(thrown)}`),
  });

  const receiver = http.createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (isDown) return void response.destroy();
    deliveries.push({ headers: request.headers, body: body.toString() });
    const delivery = {
      source: 'subscription',
      contentType: request.headers['content-type'] ?? '',
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body,
      receivedAt: runtime.now(),
    } as const;
    const status = await acceptEvent({ site, delivery }).then(
      () => 200,
      () => 503,
    );
    response.writeHead(status).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = receiver.address();
  const publicUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

  const finish = (id: string, status: Encounter['status'] = 'finished'): void => {
    const subject = { reference: 'Patient/p-1' };
    server.store.put({ resourceType: 'Encounter', id, status, class: { code: 'AMB' }, subject });
  };
  const keepParts = { ehrs, runtime, publicUrl };
  return {
    server,
    ehrs,
    runtime,
    publicUrl,
    site,
    siteWith,
    feeds,
    feedOf: async (kind) => (await feeds.of(site.name)).find((feed) => feed.kind === kind),
    keep: makeMaintainSubscription({ ...keepParts, feeds }),
    catchUp,
    poll: makePollSite({ ehrs, feeds, acceptFound, runtime }),
    watch: makeWatchFeeds({ ehrs, feeds, trackUpdate, runtime }),
    trackUpdate,
    another: (other = makeFakeFeeds({ now: runtime.now })) => ({
      feeds: other,
      keep: makeMaintainSubscription({ ...keepParts, feeds: other }),
      catchUp: makeCatchUp({ ehrs, feeds: other, acceptFound, runtime }),
    }),
    closed,
    accepted: () => memory.events.filter(({ outcome }) => outcome === 'accepted').map(({ key }) => key),
    deliveries,
    setDown: (down) => {
      isDown = down;
    },
    finish,
    finishAgo: (id, agoMs) => {
      agoByMs = agoMs;
      finish(id);
      agoByMs = 0;
    },
    close: async () => {
      await held.tracker?.stop();
      await server.close();
      ehrs.close();
      receiver.closeAllConnections();
      await new Promise((done) => receiver.close(done));
    },
  };
}
