// Leases on the right to write, in PostgreSQL. The database's clock decides about holder and end; the row outlives its lease, so that
// the fence only grows.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Lease, Ledger } from '../../../ports/ledger.ts';
import { guardedMethods } from '../errors.ts';
import type { Schema } from '../schema.ts';
import type { LedgerRoom } from './ledger-room.ts';

export function makeLedgerLeases({
  database: { db },
  released,
}: Pick<LedgerRoom, 'database' | 'released'>): Pick<Ledger, 'now' | 'acquire' | 'renew' | 'release'> {
  return guardedMethods({
    async now() {
      const { rows } = await sql<{ now: Date }>`select ${inMs(0)} as now`.execute(db);
      return rows[0]?.now ?? new Date();
    },
    async acquire(name, holder, ttlMs) {
      const { rows } = await acquireQuery(name, holder, ttlMs).execute(db);
      const [row] = rows;
      return row && { name, holder, fence: row.fence };
    },
    renew: (lease, ttlMs) => renewLease(db, lease, ttlMs),
    async release(lease) {
      if (!released.has(lease)) await releaseQuery(lease).execute(db);
    },
  });
}

/** Throws `inUse` if the lease has ended or another process holds it. */
export async function renewLease(db: Kysely<Schema>, lease: Lease, ttlMs: number): Promise<void> {
  const { rows } = await sql`
    update write_leases set expires_at = ${inMs(ttlMs)} where ${isOwn(lease)} and expires_at > clock_timestamp()
    returning 1`.execute(db);
  if (rows.length === 0) throw leaseLost();
}

/** Ends with a condition, to which more can be added. */
export function releaseQuery(lease: Lease) {
  return sql`update write_leases set expires_at = least(expires_at, clock_timestamp()) where ${isOwn(lease)}`;
}

/** One statement, so that only one of several concurrent callers gets the lease. */
export function acquireQuery(name: string, holder: string, ttlMs: number) {
  return sql<{ fence: number }>`
    insert into write_leases as lease (name, holder, fence, expires_at)
    values (${name}, ${holder}, 1, ${inMs(ttlMs)})
    on conflict (name) do update
      set holder = excluded.holder, fence = lease.fence + 1, expires_at = excluded.expires_at
      where lease.expires_at <= clock_timestamp()
    returning fence`;
}

/**
 * Locks the lease until the transaction ends: a process that wants it waits, and one that lost it stops here. Throws `inUse` if this
 * holder does not have it, or not for as long as `forMs`.
 */
export async function holdLease(transaction: Transaction<Schema>, lease: Lease, forMs = 0): Promise<void> {
  const { rows } = await holdLeaseQuery(lease, forMs).execute(transaction);
  if (rows.length === 0) throw leaseLost();
}

export function holdLeaseQuery(lease: Lease, forMs: number) {
  return sql`with ${heldLease(lease, forMs)} select 1 from held`;
}

/**
 * Common table expressions for statements that change everything at once: `held` has a row if this holder has the lease, which is then
 * locked until the end of the transaction. The time is read after the row is locked: the statement may have waited until the lease ended.
 */
export function heldLease(lease: Lease, forMs = 0): RawBuilder<unknown> {
  return sql`
    locked as materialized (select expires_at from write_leases where ${isOwn(lease)} for update),
    held as materialized (select 1 from locked where expires_at > ${inMs(forMs)})`;
}

/** The same, and renews the lease of this holder for this long from now on. */
export function renewedLease(lease: Lease, ttlMs: number): RawBuilder<unknown> {
  return sql`
    ${heldLease(lease)},
    renewed as (update write_leases set expires_at = ${inMs(ttlMs)} where ${isOwn(lease)} and ${IS_HELD})`;
}

/** It locks before the rest of such a statement: a process that takes over locks in the same order. */
export const IS_HELD = sql<boolean>`(select exists (select 1 from held))`;

function isOwn({ name, holder, fence }: Lease): RawBuilder<boolean> {
  return sql<boolean>`name = ${name} and holder = ${holder} and fence = ${fence}`;
}

/** Not `now()`, the start of the transaction: it may have waited for a lock since. */
function inMs(ms: number) {
  return sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;
}

function leaseLost(): AppError {
  return new AppError('inUse', 'The lease on this chart has ended, or another process holds it');
}
