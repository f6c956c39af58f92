// The right to write, in PostgreSQL. Who has it, and until when, is decided by the database's clock; the row outlives its lease, so
// that the fence only ever grows.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Lease, Ledger } from '../../../ports/ledger.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import type { Schema } from '../schema.ts';

export function makeLedgerLeases({ db }: Database): Pick<Ledger, 'now' | 'acquire' | 'renew' | 'release'> {
  return {
    now: () =>
      guarded(async () => {
        const { rows } = await sql<{ now: Date }>`select ${inMs(0)} as now`.execute(db);
        return rows[0]?.now ?? new Date();
      }),
    acquire: (name, holder, ttlMs) =>
      guarded(async () => {
        const { rows } = await acquireQuery(name, holder, ttlMs).execute(db);
        const [row] = rows;
        return row && { name, holder, fence: row.fence };
      }),
    renew: (lease, ttlMs) => guarded(() => renewLease(db, lease, ttlMs)),
    release: (lease) =>
      guarded(async () => {
        await sql`
          update write_leases set expires_at = least(expires_at, clock_timestamp()) where ${isOwn(lease)}`.execute(db);
      }),
  };
}

/** Throws `inUse` where it has ended or somebody else has it. */
export async function renewLease(db: Kysely<Schema>, lease: Lease, ttlMs: number): Promise<void> {
  const { rows } = await sql`
    update write_leases set expires_at = ${inMs(ttlMs)} where ${isOwn(lease)} and expires_at > clock_timestamp()
    returning 1`.execute(db);
  if (rows.length === 0) throw leaseLost();
}

/** One statement, so that of many who come at once one gets it. */
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
 * Locks the lease until the transaction ends: whoever wants to take it waits, and whoever lost it goes no further. Throws `inUse`
 * where it is not this holder's, or not for as long as `forMs`.
 */
export async function holdLease(transaction: Transaction<Schema>, lease: Lease, forMs = 0): Promise<void> {
  const { rows } = await holdLeaseQuery(lease, forMs).execute(transaction);
  if (rows.length === 0) throw leaseLost();
}

export function holdLeaseQuery(lease: Lease, forMs: number) {
  return sql`with ${heldLease(lease, forMs)} select 1 from held`;
}

/**
 * Common table expressions, for statements that are a change as a whole: `held` has a row where the lease is this holder's, and is locked
 * then until that statement's transaction ends. The time is looked at when the row is locked: the statement may have waited for it until
 * the lease had ended.
 */
export function heldLease(lease: Lease, forMs = 0): RawBuilder<unknown> {
  return sql`
    locked as materialized (select expires_at from write_leases where ${isOwn(lease)} for update),
    held as materialized (select 1 from locked where expires_at > ${inMs(forMs)})`;
}

/** The same, and where it is this holder's, it lasts this long from now on. */
export function renewedLease(lease: Lease, ttlMs: number): RawBuilder<unknown> {
  return sql`
    ${heldLease(lease)},
    renewed as (update write_leases set expires_at = ${inMs(ttlMs)} where ${isOwn(lease)} and ${IS_HELD})`;
}

/** Asked for before anything else of such a statement is locked: whoever takes over locks in the same order. */
export const IS_HELD = sql<boolean>`(select exists (select 1 from held))`;

function isOwn({ name, holder, fence }: Lease): RawBuilder<boolean> {
  return sql<boolean>`name = ${name} and holder = ${holder} and fence = ${fence}`;
}

/** Not `now()`, which is when the transaction began: it may have waited for a lock since. */
function inMs(ms: number) {
  return sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;
}

function leaseLost(): AppError {
  return new AppError('inUse', 'The right to write to this chart has ended, or somebody else has it');
}
