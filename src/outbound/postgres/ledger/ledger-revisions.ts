// Revisions: read, frozen as a whole or not at all, closed. Each change is one transaction that holds the lease: in the usual case one
// statement, else one that reads the conflicting rows first.
import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { NewRevision, Revision, WritePlace } from '../../../domain/chart/chart-write.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Lease, Ledger, RevisionEnd } from '../../../ports/ledger.ts';
import { errorCode, guardedMethods, UNIQUE_VIOLATION } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { freezeQuery, lastRevisionQuery } from './ledger-freeze.ts';
import { heldLease, holdLease, IS_HELD, releaseQuery } from './ledger-leases.ts';
import type { LedgerRoom } from './ledger-room.ts';
import { asRevision, asWrite, frozenWrite, placeOf, revisionRow, type WriteRow, writeRow } from './ledger-rows.ts';

export function makeLedgerRevisions(room: LedgerRoom): Pick<Ledger, 'read' | 'freeze' | 'close'> {
  return guardedMethods({
    read: (place) => read(room, place),
    freeze: (lease, place, revision) => freeze(room, { lease, place, revision }),
    close: (lease, place, end) => close(room, lease, place, end),
  });
}

async function read({ database, sealing }: LedgerRoom, place: WritePlace): Promise<readonly Revision[]> {
  const rows = await placeQuery(database.db, place).execute();
  const revisions = Map.groupBy(rows, ({ number }) => number);
  return [...revisions.values()].flatMap((writes) => {
    const [first] = writes;
    if (first === undefined) return [];
    const row = { ...first, ...place, state: first.revision_state };
    return [
      asRevision(
        row,
        writes.filter(isWrite).map((write) => asWrite(sealing, write)),
      ),
    ];
  });
}

type PlaceRow = Awaited<ReturnType<ReturnType<typeof placeQuery>['execute']>>[number];

/** A revision without writes is left out. */
function isWrite(row: PlaceRow): row is PlaceRow & WriteRow {
  return row.id !== null;
}

/** One consistent snapshot by one statement: each write beside its revision. */
export function placeQuery(db: Kysely<Schema>, { site, encounter, session }: WritePlace) {
  return db
    .selectFrom('chart_revisions as revision')
    .leftJoin('chart_writes as written', (join) =>
      join
        .onRef('written.site', '=', 'revision.site')
        .onRef('written.encounter', '=', 'revision.encounter')
        .onRef('written.session', '=', 'revision.session')
        .onRef('written.revision', '=', 'revision.number'),
    )
    .selectAll('written')
    .select(['revision.number', 'revision.kind', 'revision.patient', 'revision.state as revision_state'])
    .select(['revision.reason', 'revision.run_id', 'revision.run_time', 'revision.run_at', 'revision.frozen_at'])
    .select(['revision.engine', 'revision.mapping', 'revision.prompt', 'revision.model', 'revision.speech'])
    .select(['revision.answered_by'])
    .where((is) => is.and({ 'revision.site': site, 'revision.encounter': encounter, 'revision.session': session }))
    .orderBy('revision.number')
    .orderBy('written.position');
}

export function revisionsQuery(db: Kysely<Schema>, { site, encounter, session }: WritePlace) {
  return db
    .selectFrom('chart_revisions')
    .selectAll()
    .where((is) => is.and({ site, encounter, session }))
    .orderBy('number');
}

function writesAt(db: Kysely<Schema>, { site, encounter, session }: WritePlace) {
  return db.selectFrom('chart_writes').where((is) => is.and({ site, encounter, session }));
}

type FreezeParts = { readonly lease: Lease; readonly place: WritePlace; readonly revision: NewRevision };

async function freeze(room: LedgerRoom, parts: FreezeParts): Promise<Revision> {
  // Most places have only one.
  return (await freezeAs(1, room, parts)) ?? (await freezeAsNext(room, parts)) ?? freezeInSteps(room, parts);
}

async function freezeAsNext(room: LedgerRoom, parts: FreezeParts): Promise<Revision | undefined> {
  const { rows } = await lastRevisionQuery(parts.place).execute(room.database.db);
  const [last] = rows;
  return last === undefined || last.goes_on ? undefined : freezeAs(last.number + 1, room, parts);
}

/**
 * Undefined: the number is not free, earlier revisions have to be replaced, or a condition does not hold; nothing was changed. Bodies
 * are bound to the number.
 */
async function freezeAs(
  number: number,
  room: LedgerRoom,
  { lease, place, revision }: FreezeParts,
): Promise<Revision | undefined> {
  if (revision.writes.length === 0) return undefined;
  const row = revisionRow({ place, number }, revision);
  const writes = revision.writes.map((write, position) => ({ place, number, id: randomUUID(), position, write }));
  const query = freezeQuery(
    lease,
    row,
    writes.map((one) => writeRow(room, one)),
  );
  const kept = await query.execute(room.database.db).catch((cause: unknown) => {
    if (errorCode(cause) === UNIQUE_VIOLATION) return { rows: [] };
    throw cause;
  });
  return kept.rows.length === 0
    ? undefined
    : asRevision({ ...row, state: 'open', reason: null }, writes.map(frozenWrite));
}

async function freezeInSteps(room: LedgerRoom, { lease, place, revision }: FreezeParts): Promise<Revision> {
  try {
    return await room.database.db.transaction().execute(async (transaction) => {
      await holdLease(transaction, lease);
      const earlier = await revisionsQuery(transaction, place).forUpdate().execute();
      const going = earlier.filter(({ state }) => state === 'open' || state === 'parked').map(({ number }) => number);
      await replaceRevisions(transaction, place, going);
      const number = (earlier.at(-1)?.number ?? 0) + 1;
      const row = await transaction
        .insertInto('chart_revisions')
        .values(revisionRow({ place, number }, revision))
        .returningAll()
        .executeTakeFirstOrThrow();
      const writes = revision.writes.map((write, position) => ({ place, number, id: randomUUID(), position, write }));
      if (writes.length > 0) {
        const rows = writes.map((parts) => writeRow(room, parts));
        await transaction.insertInto('chart_writes').values(rows).execute();
      }
      return asRevision(row, writes.map(frozenWrite));
    });
  } catch (cause) {
    if (errorCode(cause) !== UNIQUE_VIOLATION) throw cause;
    throw new AppError('conflict', 'A document of this identity, or this revision, was frozen before', { cause });
  }
}

/** Drops their unsent writes. Throws `conflict` if one of their writes may be on its way. */
async function replaceRevisions(
  transaction: Transaction<Schema>,
  place: WritePlace,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const isOne = sql<boolean>`revision = any(${[...numbers]}::integer[])`;
  // A process that begins to send locks the revision first, so none is in the middle of that now.
  const isSending = writesAt(transaction, place).select('id').where(isOne).where('state', '=', 'sending');
  if (await isSending.executeTakeFirst()) {
    throw new AppError('conflict', 'A write of an earlier revision may be on its way: it must be settled first');
  }
  await transaction
    .updateTable('chart_writes')
    .set({ state: 'dropped' })
    .where((is) => is.and(placeOf(place)))
    .where(isOne)
    .where('state', '=', 'frozen')
    .execute();
  await updateRevisions(transaction, place)
    .set({ state: 'replaced' })
    .where('number', '=', sql<number>`any(${[...numbers]}::integer[])`)
    .execute();
}

async function close(
  { database: { db }, released }: LedgerRoom,
  lease: Lease,
  place: WritePlace,
  end: RevisionEnd,
): Promise<void> {
  const { number, state, reason, isLast = false } = end;
  if (state !== 'replaced') {
    const { rows } = await closeQuery(lease, place, { ...end, state }).execute(db);
    if (rows.length > 0 && isLast) released.add(lease);
    if (rows.length > 0) return;
  }
  await db.transaction().execute(async (transaction) => {
    await holdLease(transaction, lease);
    const one = revisionsQuery(transaction, place).where('number', '=', number).forUpdate();
    const revision = await one.executeTakeFirst();
    if (revision === undefined) throw new AppError('conflict', 'There is no such revision');
    if (revision.state === 'done' || revision.state === 'replaced') {
      if (revision.state === state) return;
      throw new AppError('conflict', 'A revision that has ended stays as it ended');
    }
    if (state === 'done') await ensureAllEnded(transaction, place, number);
    if (state === 'replaced') await replaceRevisions(transaction, place, [number]);
    await updateRevisions(transaction, place)
      .set({ state, reason: reason ?? null })
      .where('number', '=', number)
      .execute();
  });
}

type GoingEnd = RevisionEnd & { readonly state: 'done' | 'parked' };

/** No row: the revision is not open, or has unfinished writes; nothing was changed. A finished write stays finished. */
export function closeQuery(
  lease: Lease,
  { site, encounter, session }: WritePlace,
  { number, state, reason, isLast = false }: GoingEnd,
) {
  const isPlace = sql`site = ${site} and encounter = ${encounter} and session = ${session}`;
  const isThrough = sql`not exists (
    select 1 from chart_writes
    where ${isPlace} and revision = ${number} and state in ('frozen', 'sending', 'stored'))`;
  return sql`
    with ${heldLease(lease)},
    one as materialized (
      select state from chart_revisions
      where ${isPlace} and number = ${number} and ${IS_HELD} for update
    ),
    closed as (
      update chart_revisions set state = ${state}, reason = ${reason ?? null}
      where ${isPlace} and number = ${number} and (select state from one) in ('open', 'parked')
        ${state === 'done' ? sql`and ${isThrough}` : sql``}
      returning 1
    )
    ${isLast ? sql`, let_go as (${releaseQuery(lease)} and exists (select 1 from closed))` : sql``}
    select 1 from closed`;
}

async function ensureAllEnded(transaction: Transaction<Schema>, place: WritePlace, number: number): Promise<void> {
  const unended = await writesAt(transaction, place)
    .select('id')
    .where('revision', '=', number)
    .where('state', 'in', ['frozen', 'sending', 'stored'])
    .executeTakeFirst();
  if (unended === undefined) return;
  throw new AppError('conflict', 'A revision is not done while a write of it has no end');
}

function updateRevisions(transaction: Transaction<Schema>, { site, encounter, session }: WritePlace) {
  return transaction.updateTable('chart_revisions').where((is) => is.and({ site, encounter, session }));
}
