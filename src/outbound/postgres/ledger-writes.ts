// What becomes of frozen writes. Their bytes are never touched here; an end that was reached stays. Each call is one transaction
// that holds the lease, all of it or nothing.
import { type Kysely, sql, type Transaction } from 'kysely';
import type { WriteState } from '../../domain/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { Lease, Ledger, WriteResult } from '../../ports/ledger.ts';
import type { Database } from './database.ts';
import { guarded } from './errors.ts';
import { endFindings } from './ledger-findings.ts';
import { holdLease } from './ledger-leases.ts';
import type { WriteRow } from './ledger-rows.ts';
import type { ChartWritesTable, Schema } from './schema.ts';

/** A send that begins when the right to it is about to end may arrive when it has. */
const SENDING_NEEDS_MS = 5000;
const FINAL: ReadonlySet<WriteState> = new Set<WriteState>(['written', 'refused', 'ambiguous', 'dropped']);

export function makeLedgerWrites({ db }: Database): Pick<Ledger, 'beginSending' | 'settle'> {
  return {
    beginSending: (lease, sends) =>
      guarded(() => db.transaction().execute((transaction) => beginSending(transaction, lease, sends))),
    settle: (lease, results) =>
      guarded(() => db.transaction().execute((transaction) => settle(transaction, lease, results))),
  };
}

/** What is needed to judge a write: never its body. */
const COLUMNS = [
  'id',
  'site',
  'encounter',
  'session',
  'action',
  'identity_value',
  'state',
  'sent_sha256',
  'target',
  'reference',
] as const satisfies readonly (keyof ChartWritesTable)[];
type KeptWrite = Pick<WriteRow, (typeof COLUMNS)[number]>;

async function beginSending(
  transaction: Transaction<Schema>,
  lease: Lease,
  sends: Parameters<Ledger['beginSending']>[1],
): Promise<void> {
  await holdLease(transaction, lease, SENDING_NEEDS_MS);
  await ensureRevisionsGoOn(transaction, sends);
  const writes = await lockWrites(transaction, sends);
  const hashes = new Map(sends.map(({ id, sentSha256 }) => [id, sentSha256]));
  for (const write of writes) ensureMayBeSent(write, hashes.get(write.id));
  await sql`
    update chart_writes as kept
    set state = 'sending', sent_at = clock_timestamp(), sent_sha256 = sent.sha256
    from unnest(${sends.map(({ id }) => id)}::text[], ${sends.map(({ sentSha256 }) => sentSha256)}::text[])
      as sent (id, sha256)
    where kept.id = sent.id`.execute(transaction);
}

/** A change that was stored may be sent again: to the same resource, with the same bytes. A second create would be a second one. */
function ensureMayBeSent(write: KeptWrite, sha256: string | undefined): void {
  const { state, action, sent_sha256: before } = write;
  if (state !== 'frozen' && state !== 'sending' && (state !== 'stored' || action === 'create')) {
    throw new AppError('conflict', 'A write that has come to its end is not sent again');
  }
  if (before !== null && before !== sha256) {
    throw new AppError('conflict', 'Other bytes were sent before for the same write');
  }
}

/** Locked, so that no later revision takes over in between; and before the writes, as whoever takes over does it. */
async function ensureRevisionsGoOn(
  transaction: Transaction<Schema>,
  sends: readonly { readonly id: string }[],
): Promise<void> {
  const { rows } = await sql<{ state: string }>`
    select state from chart_revisions
    where (site, encounter, session, number) in (
      select site, encounter, session, revision from chart_writes
      where id = any(${sends.map(({ id }) => id)}::text[])
    )
    for share`.execute(transaction);
  if (rows.every(({ state }) => state === 'open' || state === 'parked')) return;
  throw new AppError('conflict', 'A write of a revision that has ended is not sent');
}

async function settle(transaction: Transaction<Schema>, lease: Lease, results: readonly WriteResult[]): Promise<void> {
  await holdLease(transaction, lease);
  const byId = new Map(results.map((result) => [result.id, result]));
  const pairs = (await lockWrites(transaction, results)).flatMap((write) => {
    const result = byId.get(write.id);
    return result ? [{ write, result }] : [];
  });
  for (const { write, result } of pairs) ensureMaySettle(write, result);
  const moving = pairs.filter(({ write, result }) => !isAtEnd(write.state, result.state));
  if (moving.length === 0) return;
  const column = (value: (result: WriteResult) => string | undefined) =>
    moving.map(({ result }) => value(result) ?? null);
  // Back to frozen it is certainly not there: other bytes may be sent next.
  await sql`
    update chart_writes as kept
    set state = result.state,
      reference = coalesce(result.reference, kept.reference),
      version = coalesce(result.version, kept.version),
      sent_at = case when result.state = 'frozen' then null else kept.sent_at end,
      sent_sha256 = case when result.state = 'frozen' then null else kept.sent_sha256 end
    from unnest(
      ${column(({ id }) => id)}::text[], ${column(({ state }) => state)}::text[],
      ${column(({ reference }) => reference)}::text[], ${column(({ version }) => version)}::text[]
    ) as result (id, state, reference, version)
    where kept.id = result.id`.execute(transaction);
  const retired = moving.filter(({ write, result }) => write.action === 'retire' && result.state === 'written');
  await endFindings(
    transaction,
    retired.map(({ write }) => write),
  );
}

/** A person who looked may have made clear what was not: it is there once after all, or not at all. */
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

/** In one order, so that two never wait for each other. */
export function lockWritesQuery(db: Kysely<Schema>, ids: readonly string[]) {
  return db
    .selectFrom('chart_writes')
    .select(COLUMNS)
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .orderBy('serial')
    .forUpdate();
}
