// The state of the feeds of events, in PostgreSQL. An update is one statement, so that concurrent engines do not overwrite each other.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Feed, FeedChange, FeedKind, Feeds } from '../../../ports/feeds.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { FeedsTable } from '../schema-watch.ts';
import { withoutNulls } from '../without-nulls.ts';

type FeedRow = Selectable<FeedsTable>;

export function makePostgresFeeds({ database: { db } }: { readonly database: Database }): Feeds {
  const feeds = () => db.selectFrom('feeds').selectAll().orderBy(sql`site collate "C"`).orderBy(sql`kind collate "C"`);
  return guardedMethods({
    all: async () => (await feeds().execute()).map(asFeed),
    of: async (site) => (await feeds().where('site', '=', site).execute()).map(asFeed),
    async note(site, kind, change) {
      const { rows } = await noteQuery(site, kind, change).execute(db);
      const [row] = rows;
      if (!row) throw new Error('a note came back without its row');
      return asFeed(row);
    },
  });
}

/** `greatest` ignores nulls. */
export function noteQuery(site: string, kind: FeedKind, change: FeedChange) {
  const { subscription, alarm } = change;
  return sql<FeedRow>`
    insert into feeds as feed (site, kind, first_seen_at, last_event_at, searched_until, last_heartbeat_at, subscription,
      subscription_status, subscription_digest, last_event_number, alarm, alarm_message, alarm_since)
    values (${site}, ${kind}, clock_timestamp(), ${change.lastEventAt ?? null}, ${change.searchedUntil ?? null},
      ${change.lastHeartbeatAt ?? null}, ${subscription ?? null}, ${change.subscriptionStatus ?? null},
      ${change.subscriptionDigest ?? null}, ${change.lastEventNumber ?? null}, ${alarm?.kind ?? null}, ${alarm?.message ?? null},
      ${alarm ? sql`clock_timestamp()` : null})
    on conflict (site, kind) do update set
      last_event_at = greatest(feed.last_event_at, excluded.last_event_at),
      searched_until = greatest(feed.searched_until, excluded.searched_until),
      last_heartbeat_at = greatest(feed.last_heartbeat_at, excluded.last_heartbeat_at),
      ${subscriptionColumns(subscription !== undefined)},
      ${alarmColumns(alarm)}
    returning *`;
}

/** Status, digest and event numbers are those of one Subscription: with another one, or none, they are reset. */
function subscriptionColumns(isGiven: boolean): RawBuilder<unknown> {
  const same = isGiven
    ? sql`(feed.subscription is null or feed.subscription is not distinct from excluded.subscription)`
    : sql`true`;
  return sql`
      subscription = ${isGiven ? sql`excluded.subscription` : sql`feed.subscription`},
      subscription_status = coalesce(excluded.subscription_status, case when ${same} then feed.subscription_status end),
      subscription_digest = coalesce(excluded.subscription_digest, case when ${same} then feed.subscription_digest end),
      last_event_number = greatest(excluded.last_event_number, case when ${same} then feed.last_event_number end)`;
}

function alarmColumns(alarm: FeedChange['alarm']): RawBuilder<unknown> {
  if (alarm === undefined) return sql`alarm = feed.alarm`;
  return sql`
      alarm = excluded.alarm,
      alarm_message = excluded.alarm_message,
      alarm_since = case when feed.alarm = excluded.alarm then feed.alarm_since else excluded.alarm_since end`;
}

function asFeed(row: FeedRow): Feed {
  const { site, kind, subscription, alarm, alarm_since: alarmSince, alarm_message: alarmMessage } = row;
  return withoutNulls({
    site,
    kind,
    firstSeenAt: row.first_seen_at,
    lastEventAt: row.last_event_at,
    searchedUntil: row.searched_until,
    subscription,
    subscriptionStatus: row.subscription_status,
    subscriptionDigest: row.subscription_digest,
    lastEventNumber: row.last_event_number,
    lastHeartbeatAt: row.last_heartbeat_at,
    alarm,
    alarmSince,
    alarmMessage,
  });
}
