// States of frozen writes. Their bytes are never changed here, and a final state stays. Each call is one transaction that holds the
// lease, all or nothing: in the usual case one statement, else one that checks each write.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { WriteState } from '../../../domain/chart/chart-write.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Lease, Ledger, WriteResult } from '../../../ports/ledger.ts';
import { guardedMethods } from '../errors.ts';
import type { ChartWritesTable, Schema } from '../schema.ts';
import { endFindings } from './ledger-findings.ts';
import { heldLease, holdLease, IS_HELD, renewedLease, renewLease } from './ledger-leases.ts';
import type { LedgerRoom } from './ledger-room.ts';
import type { WriteRow } from './ledger-rows.ts';

/** A request that is sent shortly before the lease ends may arrive after its end. */
const SENDING_NEEDS_MS = 5000;
const FINAL: ReadonlySet<WriteState> = new Set<WriteState>(['written', 'refused', 'ambiguous', 'dropped']);

export function makeLedgerWrites(room: LedgerRoom): Pick<Ledger, 'beginSending' | 'recordResults'> {
  const { db } = room.database;
  return guardedMethods({
    async beginSending(lease, sends, ttlMs) {
      const { rows } = await beginSendingQuery(lease, sends, ttlMs).execute(db);
      const [sent] = rows;
      if (sent !== undefined) return sent.sent_at;
      return db.transaction().execute((transaction) => beginSending(transaction, { lease, sends, ttlMs }));
    },
    async recordResults(lease, results) {
      if (results.every(({ state }) => isGoodNews(state))) {
        const { rows } = await settleQuery(lease, results).execute(db);
        if (rows.length > 0) return;
      }
      await db.transaction().execute((transaction) => settle({ ...room, transaction }, lease, results));
    },
  });
}

/** The columns that decide about a write, without its body. */
const COLUMNS = [
  'id',
  'site',
  'encounter',
  'session',
  'action',
  'identity_digest',
  'state',
  'sent_sha256',
  'target',
  'reference',
] as const satisfies readonly (keyof ChartWritesTable)[];
type KeptWrite = Pick<WriteRow, (typeof COLUMNS)[number]>;

type Sends = Parameters<Ledger['beginSending']>[1];

/** All or none. No row: a condition does not hold, and only the end of the lease was changed. */
export function beginSendingQuery(lease: Lease, sends: Sends, ttlMs?: number) {
  const ids = sends.map(({ id }) => id);
  return sql<{ sent_at: Date }>`
    with ${ttlMs === undefined ? heldLease(lease, SENDING_NEEDS_MS) : renewedLease(lease, ttlMs)},
    going as materialized (${revisionsToGoOn(ids)} and ${IS_HELD} for share),
    kept as materialized (
      select id, state, action, sent_sha256 from chart_writes
      where id = any(${ids}::text[]) and (select bool_and(state in ('open', 'parked')) from going)
      order by serial for update
    ),
    fit as materialized (
      select kept.id, sent.sha256
      from kept join unnest(${ids}::text[], ${sends.map(({ sentSha256 }) => sentSha256)}::text[]) as sent (id, sha256)
        using (id)
      where (kept.state in ('frozen', 'sending') or kept.state = 'stored' and kept.action <> 'create')
        and (kept.sent_sha256 is null or kept.sent_sha256 = sent.sha256)
    )
    update chart_writes as write
    set state = 'sending', sent_at = clock_timestamp(), sent_sha256 = fit.sha256
    from fit
    where write.id = fit.id and ${areAll(ids.length, 'kept', 'fit')}
    returning sent_at`;
}

/** Each named write once: a write that is named twice would match two updates, and one would be lost. */
function areAll(count: number, kept: string, fit: string): RawBuilder<boolean> {
  return sql`(select count(*) from ${sql.ref(kept)}) = ${count} and (select count(*) from ${sql.ref(fit)}) = ${count}`;
}

function revisionsToGoOn(ids: readonly string[]): RawBuilder<unknown> {
  return sql`
    select state from chart_revisions
    where (site, encounter, session, number) in (
      select site, encounter, session, revision from chart_writes where id = any(${[...ids]}::text[])
    )`;
}

type Sending = { readonly lease: Lease; readonly sends: Sends; readonly ttlMs: number | undefined };

async function beginSending(transaction: Transaction<Schema>, { lease, sends, ttlMs }: Sending): Promise<Date> {
  if (ttlMs !== undefined) await renewLease(transaction, lease, ttlMs);
  await holdLease(transaction, lease, SENDING_NEEDS_MS);
  await ensureRevisionsGoOn(transaction, sends);
  const writes = await lockWrites(transaction, sends);
  const hashes = new Map(sends.map(({ id, sentSha256 }) => [id, sentSha256]));
  for (const write of writes) ensureMayBeSent(write, hashes.get(write.id));
  const { rows } = await sql<{ sent_at: Date }>`
    with told as materialized (select clock_timestamp() as now),
    sent as (
      update chart_writes as kept
      set state = 'sending', sent_at = told.now, sent_sha256 = sent.sha256
      from told, unnest(${sends.map(({ id }) => id)}::text[], ${sends.map(({ sentSha256 }) => sentSha256)}::text[])
        as sent (id, sha256)
      where kept.id = sent.id
    )
    select now as sent_at from told`.execute(transaction);
  return rows[0]?.sent_at ?? new Date();
}

/** A stored update may be sent again: same resource, same bytes. A second create would make a duplicate. */
function ensureMayBeSent(write: KeptWrite, sha256: string | undefined): void {
  const { state, action, sent_sha256: before } = write;
  if (state !== 'frozen' && state !== 'sending' && (state !== 'stored' || action === 'create')) {
    throw new AppError('conflict', 'A write that has come to its end is not sent again');
  }
  if (before !== null && before !== sha256) {
    throw new AppError('conflict', 'Other bytes were sent before for the same write');
  }
}

/** The revision is locked before its writes, in the order of a process that takes over, so that no later revision intervenes. */
async function ensureRevisionsGoOn(
  transaction: Transaction<Schema>,
  sends: readonly { readonly id: string }[],
): Promise<void> {
  const { rows } = await sql<{ state: string }>`${revisionsToGoOn(sends.map(({ id }) => id))} for share`.execute(
    transaction,
  );
  if (rows.every(({ state }) => state === 'open' || state === 'parked')) return;
  throw new AppError('conflict', 'A write of a revision that has ended is not sent');
}

/** The EHR accepted it, or it was found in the chart. */
function isGoodNews(state: WriteState): boolean {
  return state === 'stored' || state === 'written';
}

/**
 * Records success of unfinished writes, all or none. No row: a condition does not hold or more has to be done, and nothing was changed.
 */
export function settleQuery(lease: Lease, results: readonly WriteResult[]) {
  const ids = results.map(({ id }) => id);
  return sql`
    with ${heldLease(lease)},
    result as (${resultRows(results)}),
    kept as materialized (
      select id, state, action, target, reference from chart_writes
      where id = any(${ids}::text[]) and ${IS_HELD}
      order by serial for update
    ),
    fit as materialized (
      select result.* from kept join result using (id)
      where kept.state in ('frozen', 'sending', 'stored') and kept.action in ('create', 'update')
        and (result.state = 'stored' or coalesce(kept.target, result.reference, kept.reference) is not null)
    )
    update chart_writes as write
    set state = fit.state,
      reference = coalesce(fit.reference, write.reference), version = coalesce(fit.version, write.version)
    from fit
    where write.id = fit.id and ${areAll(ids.length, 'kept', 'fit')}
    returning 1`;
}

function resultRows(results: readonly WriteResult[]): RawBuilder<unknown> {
  const column = (value: (result: WriteResult) => string | undefined) => results.map((result) => value(result) ?? null);
  return sql`
    select * from unnest(
      ${column(({ id }) => id)}::text[], ${column(({ state }) => state)}::text[],
      ${column(({ reference }) => reference)}::text[], ${column(({ version }) => version)}::text[]
    ) as result (id, state, reference, version)`;
}

type Settling = Pick<LedgerRoom, 'digest'> & { readonly transaction: Transaction<Schema> };

async function settle({ transaction, digest }: Settling, lease: Lease, results: readonly WriteResult[]): Promise<void> {
  await holdLease(transaction, lease);
  const byId = new Map(results.map((result) => [result.id, result]));
  const pairs = (await lockWrites(transaction, results)).flatMap((write) => {
    const result = byId.get(write.id);
    return result ? [{ write, result }] : [];
  });
  for (const { write, result } of pairs) ensureMaySettle(write, result);
  const moving = pairs.filter(({ write, result }) => !isAtEnd(write.state, result.state));
  if (moving.length === 0) return;
  // A write that returns to frozen is certainly not in the chart: other bytes may be sent next.
  await sql`
    update chart_writes as kept
    set state = result.state,
      reference = coalesce(result.reference, kept.reference),
      version = coalesce(result.version, kept.version),
      sent_at = case when result.state = 'frozen' then null else kept.sent_at end,
      sent_sha256 = case when result.state = 'frozen' then null else kept.sent_sha256 end
    from (${resultRows(moving.map(({ result }) => result))}) as result
    where kept.id = result.id`.execute(transaction);
  const retired = moving.filter(({ write, result }) => write.action === 'retire' && result.state === 'written');
  await endFindings(
    transaction,
    digest,
    retired.map(({ write }) => write),
  );
}

/** A person may have resolved an ambiguous write: it is in the chart once, or not at all. */
function isAtEnd(from: WriteState, to: WriteState): boolean {
  const isCleared = from === 'ambiguous' && (to === 'written' || to === 'dropped');
  return FINAL.has(from) && !isCleared;
}

function ensureMaySettle(write: KeptWrite, { state: to, reference }: WriteResult): void {
  const { state: from } = write;
  if (isAtEnd(from, to)) {
    const isOther = reference !== undefined && reference !== write.reference;
    if (to === from && !isOther) return;
    throw new AppError('conflict', 'A write that has come to its end stays as it ended');
  }
  const isImpossible =
    (to === 'sending' && from === 'frozen') ||
    (to === 'frozen' && from === 'stored' && write.action === 'create') ||
    (to === 'dropped' && from !== 'frozen' && from !== 'ambiguous');
  if (isImpossible) throw new AppError('conflict', `A write cannot go from ${from} to ${to}`);
  if (to === 'written' && (write.target ?? reference ?? write.reference ?? undefined) === undefined) {
    throw new AppError('internal', 'A write is not written without a reference');
  }
}

async function lockWrites(
  transaction: Transaction<Schema>,
  wanted: readonly { readonly id: string }[],
): Promise<readonly KeptWrite[]> {
  const ids = new Set(wanted.map(({ id }) => id));
  const rows = await lockWritesQuery(transaction, [...ids]).execute();
  if (rows.length === wanted.length) return rows;
  throw new AppError('conflict', 'There is no such write, or it is named twice');
}

/** Sorted, so that two transactions never wait for each other. */
export function lockWritesQuery(db: Kysely<Schema>, ids: readonly string[]) {
  return db
    .selectFrom('chart_writes')
    .select(COLUMNS)
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .orderBy('serial')
    .forUpdate();
}
