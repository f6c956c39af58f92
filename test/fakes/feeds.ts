// The state of feeds, in memory.
import type { Feed, FeedChange, Feeds } from '../../src/ports/feeds.ts';

type Own = 'subscriptionStatus' | 'subscriptionDigest' | 'lastEventNumber';

export function makeFakeFeeds({ now = () => new Date() }: { readonly now?: () => Date } = {}): Feeds {
  const feeds = new Map<string, Feed>();
  const all = () =>
    [...feeds.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, feed]) => ({ ...feed }));
  return {
    all: async () => all(),
    of: async (site) => all().filter((feed) => feed.site === site),
    note: async (site, kind, change) => {
      const name = JSON.stringify([site, kind]);
      const old: Feed = feeds.get(name) ?? { site, kind, firstSeenAt: now() };
      const feed = withoutAbsent({
        site,
        kind,
        firstSeenAt: old.firstSeenAt,
        lastEventAt: latest(old.lastEventAt, change.lastEventAt),
        searchedUntil: latest(old.searchedUntil, change.searchedUntil),
        lastHeartbeatAt: latest(old.lastHeartbeatAt, change.lastHeartbeatAt),
        ...subscriptionAfter(old, change),
        ...alarmAfter(old, change, now),
      });
      feeds.set(name, feed);
      return { ...feed };
    },
  };
}

function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}

/** Status, digest and event numbers belong to one Subscription. */
function subscriptionAfter(old: Feed, change: FeedChange) {
  const subscription = change.subscription === undefined ? old.subscription : (change.subscription ?? undefined);
  const isSame = old.subscription === undefined || old.subscription === subscription;
  const kept: Partial<Pick<Feed, Own>> = isSame ? old : {};
  const numbers = [kept.lastEventNumber, change.lastEventNumber].filter((number) => number !== undefined);
  return {
    subscription,
    subscriptionStatus: change.subscriptionStatus ?? kept.subscriptionStatus,
    subscriptionDigest: change.subscriptionDigest ?? kept.subscriptionDigest,
    lastEventNumber: numbers.length === 0 ? undefined : Math.max(...numbers),
  };
}

function alarmAfter(old: Feed, { alarm }: FeedChange, now: () => Date) {
  if (alarm === null) return {};
  if (alarm === undefined) return { alarm: old.alarm, alarmSince: old.alarmSince, alarmMessage: old.alarmMessage };
  const alarmSince = old.alarm === alarm.kind ? old.alarmSince : now();
  return { alarm: alarm.kind, alarmSince, alarmMessage: alarm.message };
}

function withoutAbsent(feed: { readonly [Name in keyof Feed]: Feed[Name] | undefined }): Feed {
  return Object.fromEntries(Object.entries(feed).filter(([, value]) => value !== undefined)) as unknown as Feed;
}
