// Deliveries and their runs, in PostgreSQL. One statement accepts an event: its row and its runs are stored, or nothing is. Its key is
// stored as a keyed hash, which reveals nothing.
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Accepted, AcceptOrder, Inbox, UploadOrder } from '../../../ports/inbox.ts';
import { makeInboxQuarantine, storeQuarantined } from './inbox-quarantine.ts';
import { type InboxStorage, makeInboxStorage } from './inbox-storage.ts';
import { sealEventId } from './run-rows.ts';
import { type RunParts, type RunStorage, settled } from './run-storage.ts';

export function makePostgresInbox(parts: RunParts): Inbox {
  const storage = makeInboxStorage(parts);
  return {
    accept: (order) => asEvent(parts, order, () => settled(() => accept(storage, order))),
    acceptUpload: (order) => asEvent(parts, order, () => settled(() => acceptUpload(storage, order))),
    ...makeInboxQuarantine(storage),
    lastEventAt: (site) =>
      settled(async () => {
        const { rows } = await sql<{ last: Date | null }>`
          select max(last_at) as last from inbox where site = ${site}`.execute(storage.db);
        return rows[0]?.last ?? undefined;
      }),
  };
}

/** Its runs continue the trace of this span. */
function asEvent<T>({ tracing }: RunParts, { site, source }: Order, work: () => Promise<T>): Promise<T> {
  if (tracing === undefined) return work();
  return tracing.inSpan(
    { name: 'accept event', attributes: { 'chartwright.site': site, 'chartwright.source': source } },
    work,
  );
}

type Order = Omit<AcceptOrder, 'encounters' | 'settleMs'>;

async function accept(storage: InboxStorage, order: AcceptOrder): Promise<Accepted> {
  // Each encounter once, and sorted: two deliveries that name the same ones must not wait for each other.
  const urgencies = new Map<string, boolean>();
  for (const { encounter, isUrgent } of order.encounters) {
    urgencies.set(encounter, isUrgent || urgencies.get(encounter) === true);
  }
  const encounters = [...urgencies].toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Most results of our own searches are known already, from the broker or from an earlier search.
  const known = isHeard(order) ? undefined : await noteKnown(storage, order);
  if (known !== undefined) return known;
  const { rows } = await acceptQuery(storage, order, encounters).execute(storage.db);
  if (rows.length === 0) return noteRepeat(storage, order);
  const ids = new Map(rows.map(({ encounter, id }) => [encounter, id]));
  return { kind: 'accepted', runs: [...urgencies.keys()].flatMap((encounter) => ids.get(encounter) ?? []) };
}

type AcceptedRow =
  | { readonly encounter: string; readonly id: string }
  | { readonly encounter: null; readonly id: null };

/** No row if the event is a repeat; one without a run if it names no encounter. */
export function acceptQuery(
  storage: InboxStorage,
  order: AcceptOrder,
  encounters: readonly (readonly [string, boolean])[],
) {
  const { at, traceparent } = storage;
  const due = sql`${at()} + make_interval(secs => ${order.settleMs / 1000})`;
  return sql<AcceptedRow>`
    with put as (${putQuery(storage, order)}),
    made as (
      insert into runs (site, organization, encounter, is_urgent, due_at, is_ready, ready_at, trigger_source, trigger_event,
        trigger_received_at, created_at, changed_at, traceparent)
      select ${order.site}, ${order.organization}, said.encounter, said.is_urgent, ${due},
        ${order.settleMs <= 0}, ${order.settleMs <= 0 ? null : due}, ${triggerOf(storage, order)}, ${at()}, ${at()}, ${traceparent()}::text
      from put cross join unnest(${encounters.map(([encounter]) => encounter)}::text[],
        ${encounters.map(([, isUrgent]) => isUrgent)}::boolean[]) said (encounter, is_urgent)
      on conflict (site, encounter, session) where replay_of is null do update set ${lookAgain(at, order.source === 'operator')}
      returning encounter, id
    ),
    linked as (insert into inbox_runs (inbox_id, run_id) select put.id, made.id from put cross join made)
    select made.encounter, made.id from put left join made on true`;
}

/** What an event changes in a run that has not resolved its encounter yet, is resolving it, or found nothing to document. */
function lookAgain(at: RunStorage['at'], isForced: boolean): RawBuilder<unknown> {
  const ended = isForced ? sql`('skipped', 'parked', 'cancelled')` : sql`('skipped')`;
  const isOver = sql`(runs.status in ${ended})`;
  const isWoken = sql`(runs.status in ${ended} or runs.is_pause)`;
  const unlessWoken = (column: string) =>
    sql`${sql.ref(column)} = case when not ${isWoken} then runs.${sql.ref(column)} end`;
  const due = sql`case when ${isOver} then excluded.due_at else least(runs.due_at, excluded.due_at) end`;
  return sql`
    is_urgent = runs.is_urgent or excluded.is_urgent,
    status = case when ${isWoken} then 'queued' else runs.status end,
    due_at = case when ${isWoken} then ${due} else runs.due_at end,
    ready_at = case when ${isWoken} then ${due} else runs.ready_at end,
    is_ready = runs.is_ready and not ${isWoken},
    must_look_again = runs.status = 'running' or runs.must_look_again and not ${isWoken},
    is_cancelling = runs.is_cancelling and not ${isWoken},
    traceparent = case when ${isWoken} then coalesce(excluded.traceparent, runs.traceparent) else runs.traceparent end,
    tries = case when ${isOver} then 0 else runs.tries end, crashes = case when ${isOver} then 0 else runs.crashes end,
    ${unlessWoken('reason')}, ${unlessWoken('message')}, ${unlessWoken('advice')}, ${unlessWoken('waits_for')},
    ${unlessWoken('ended_at')}, changed_at = case when ${isWoken} then ${at()} else runs.changed_at end`;
}

/** No row if the same key was received before. */
function putQuery(storage: InboxStorage, order: Order): RawBuilder<unknown> {
  const { hash } = storage;
  return sql`
    insert into inbox (id, site, source, event, outcome, key_hash, content_hash, received_at, last_at)
    values (${randomUUID()}, ${order.site}, ${order.source}, ${sealEventId(storage.events, order.eventId, order)}::bytea, 'accepted', ${hash('key', order.key)},
      ${hash('content', order.content)}, ${order.receivedAt}, ${order.receivedAt})
    on conflict (site, key_hash) do nothing
    returning id`;
}

function triggerOf({ events }: InboxStorage, order: Order): RawBuilder<unknown> {
  return sql`${order.source}::text, ${sealEventId(events, order.eventId, order)}::bytea, ${order.receivedAt}::timestamptz`;
}

/** A result of our own searches is no sign that the site sends events; each search finds what the one before found. */
function isHeard({ source }: Order): boolean {
  return source !== 'poll' && source !== 'catch-up';
}

async function noteRepeat(storage: InboxStorage, order: Order): Promise<Accepted> {
  const known = await noteKnown(storage, order);
  if (known !== undefined) return known;
  const why = 'Its id was used before, for another content.';
  await storeQuarantined(
    storage,
    { ...order, outcome: 'id-reused', why },
    storage.hash('reused', order.key, order.content),
  );
  return { kind: 'id-reused' };
}

/** Undefined: no delivery with this key and this content is stored. */
async function noteKnown({ db, hash }: InboxStorage, order: Order): Promise<Accepted | undefined> {
  const { site, key, content, receivedAt } = order;
  const isHeardAgain = isHeard(order);
  const last = sql`case when ${isHeardAgain} then greatest(inbox.last_at, ${receivedAt}) else inbox.last_at end`;
  const { rows } = await sql<{ run_id: string | null }>`
    with noted as (
      update inbox set repeats = repeats + ${isHeardAgain ? 1 : 0}, last_at = ${last}
      where site = ${site} and key_hash = ${hash('key', key)} and content_hash = ${hash('content', content)}
      returning id
    )
    select link.run_id from noted left join inbox_runs link on link.inbox_id = noted.id`.execute(db);
  return rows.length === 0 ? undefined : { kind: 'repeated', runs: rows.flatMap(({ run_id }) => run_id ?? []) };
}

async function acceptUpload(storage: InboxStorage, order: UploadOrder): Promise<Accepted> {
  const { at, db, traceparent } = storage;
  // The no-op update returns the run that has this session already.
  const { rows } = await sql<{ id: string; is_new: boolean }>`
    with put as (${putQuery(storage, order)}),
    made as (
      insert into runs as run (site, organization, encounter, session, recordings, is_urgent, due_at, is_ready, trigger_source,
        trigger_event, trigger_received_at, created_at, changed_at, traceparent)
      select ${order.site}, ${order.organization}, ${order.encounter}, ${order.session}, ${[...order.recordings]}::text[],
        ${order.isUrgent}, ${at()}, true, ${triggerOf(storage, order)}, ${at()}, ${at()}, ${traceparent()}::text
      from put
      on conflict (site, encounter, session) where replay_of is null do update set is_dry = run.is_dry
      returning id, xmax = 0 as is_new
    ),
    linked as (insert into inbox_runs (inbox_id, run_id) select put.id, made.id from put cross join made)
    select id, is_new from made`.execute(db);
  const [made] = rows;
  if (made === undefined) return noteRepeat(storage, order);
  return { kind: made.is_new ? 'accepted' : 'repeated', runs: [made.id] };
}
