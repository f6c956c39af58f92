// Appends to the audit trail. Within an engine, entries that arrive during an append are appended together after it; between engines
// the lock on the head's row decides the order. So there is no gap and no fork, and most appends are one statement.
import type { KeyObject } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { type AuditHead, type AuditText, chainOn } from './audit-chain.ts';

/** `aheadMs`: how far the database's clock is ahead of ours. */
type KnownHead = AuditHead & { readonly aheadMs: number };
type Append = {
  readonly db: Kysely<Schema> | Transaction<Schema>;
  readonly key: KeyObject;
  readonly head: AuditHead;
  readonly at: Date;
  /** Appends nothing if `at` differs by more than this from the database's time. */
  readonly toleranceSeconds?: number;
  readonly entries: readonly AuditText[];
};

const MAX_TOGETHER = 500;
const CLOCK_TOLERANCE_SECONDS = 1;

/** An error does not mean that nothing was appended: the connection may have broken after the commit. */
export function makeAuditTurns({ db }: Database, key: KeyObject): (entry: AuditText) => Promise<void> {
  const waiting: { readonly entry: AuditText; readonly done: PromiseWithResolvers<void> }[] = [];
  let known: KnownHead | undefined;
  let isBusy = false;

  const keep = async (entries: readonly AuditText[]) => {
    const last = known;
    known = undefined;
    known = (last && (await appendTo(db, key, last, entries))) ?? (await appendInTurn(db, key, entries));
  };
  const work = async () => {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_TOGETHER);
      try {
        await guarded(() => keep(batch.map(({ entry }) => entry)));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    isBusy = false;
  };
  return (entry) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ entry, done });
    if (!isBusy) void work();
    return done.promise;
  };
}

/** One round trip. Returns undefined and appends nothing if another engine has appended since. */
function appendTo(
  db: Kysely<Schema>,
  key: KeyObject,
  head: KnownHead,
  entries: readonly AuditText[],
): Promise<KnownHead | undefined> {
  const at = new Date(Date.now() + head.aheadMs);
  return append({ db, key, head, at, entries, toleranceSeconds: CLOCK_TOLERANCE_SECONDS });
}

/** Locks the head first and reads it then. */
function appendInTurn(db: Kysely<Schema>, key: KeyObject, entries: readonly AuditText[]): Promise<KnownHead> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<AuditHead & { readonly now: Date }>`
      select seq, encode(hash, 'hex') as hash, clock_timestamp() as now from audit_head for update`.execute(
      transaction,
    );
    const [head] = rows;
    const kept = head && (await append({ db: transaction, key, head, at: head.now, entries }));
    if (!kept) throw new AppError('internal', 'The audit trail has lost its head and accepts no entries: verify it');
    return kept;
  });
}

async function append(order: Append): Promise<KnownHead | undefined> {
  const { db, key, head, at, toleranceSeconds, entries } = order;
  const rows = chainOn(key, head, at, entries);
  const hash = rows.at(-1)?.hash ?? head.hash;
  const seq = head.seq + rows.length;
  const texts = (name: keyof (typeof rows)[number]) => sql`${rows.map((row) => row[name])}::text[]`;
  const { rows: answers } = await sql<{ readonly now: Date }>`
    with turn as (
      update audit_head set seq = ${seq}, hash = decode(${hash}, 'hex')
      where seq = ${head.seq} and hash = decode(${head.hash}, 'hex') and coalesce(
        abs(extract(epoch from clock_timestamp() - ${at}::timestamptz)) <= ${toleranceSeconds ?? null}::numeric, true)
      returning clock_timestamp() as now
    ), kept as (
      insert into audit_entries (seq, at, action, actor, site, run, details, prev_hash, hash)
      select entry.seq::bigint, ${at}::timestamptz, action, actor, site, run, details, decode(prev_hash, 'hex'), decode(entry.hash, 'hex')
      from turn, unnest(${texts('seq')}, ${texts('action')}, ${texts('actor')}, ${texts('site')}, ${texts('run')},
        ${texts('details')}, ${texts('prevHash')}, ${texts('hash')})
        as entry (seq, action, actor, site, run, details, prev_hash, hash)
    )
    select now from turn`.execute(db);
  const [answer] = answers;
  return answer && { seq, hash, aheadMs: answer.now.getTime() - Date.now() };
}
