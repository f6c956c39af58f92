// Decisions of people about a run: cancel it, approve or reject its draft, or retract it.
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Run, RunStatus } from '../../../domain/run/run.ts';
import type { CancelOutcome, RunMessage, Runs } from '../../../ports/runs.ts';
import type { Schema } from '../schema.ts';
import { storeDecision } from './draft-decisions.ts';
import { forgotten, told } from './queue-steps.ts';
import { LET_GO, POKED } from './run-order.ts';
import { lockRun } from './run-replay.ts';
import { openResults, type RunRow, sealResult } from './run-rows.ts';
import { isRunId, noSuchRun, type RunStorage, settled } from './run-storage.ts';

type Review = Parameters<Runs['review']>[0];
type Work = Omit<RunStorage, 'db'> & { readonly db: Transaction<Schema> };

export function makeRunDecisions(
  storage: RunStorage,
): Pick<Runs, 'cancel' | 'withdraw' | 'review' | 'reject' | 'endRejected' | 'markRetracted' | 'putBack'> {
  const inOne = <T>(work: (work: Work) => Promise<T>) =>
    settled(() => storage.db.transaction().execute((db) => work({ ...storage, db })));
  return {
    cancel: (id) => settled(() => cancel(storage, id, ['queued', 'waiting', 'held', 'parked'])),
    // A parked run waits for a person and is not written.
    withdraw: (id, words) => settled(() => cancel(storage, id, ['queued', 'waiting', 'held'], words)),
    review: (order) => inOne((work) => review(work, order)),
    reject: (order) => inOne((work) => reject(work, order)),
    endRejected: (order) =>
      settled(async () => {
        await endRejectedQuery(storage, order).execute(storage.db);
      }),
    putBack: (order) => inOne((work) => putBack(work, order)),
    markRetracted: (order) =>
      settled(async () => {
        await retractQuery(storage, order).execute(storage.db);
      }),
  };
}

async function cancel(
  { db, at }: RunStorage,
  id: string,
  from: readonly RunStatus[],
  recalled?: RunMessage,
): Promise<CancelOutcome> {
  if (!isRunId(id)) throw noSuchRun();
  const said = sql`reason = ${recalled ? 'recalled' : null}, message = ${recalled?.message ?? null}, advice = ${recalled?.advice ?? null}`;
  const { rows } = await sql<{ outcome: CancelOutcome }>`
    with looked as (select id, status from runs where id = ${id} for update),
    stopping as (
      update runs run set is_cancelling = true, changed_at = ${at()}${recalled ? sql`, ${said}` : sql``}
      from looked where run.id = looked.id and looked.status = 'running' returning run.id
    ),
    gone as (
      update runs run set ${LET_GO}, status = 'cancelled', ${ended(at)}, ${said}, waits_for = null
      from looked where run.id = looked.id and looked.status = any(${[...from]}::text[])
      returning run.id, run.site, run.patient
    ),
    ${POKED}
    select case
      when exists (select from gone) then 'cancelled' when exists (select from stopping) then 'cancelling' else 'ended'
    end as outcome
    from looked`.execute(db);
  const [row] = rows;
  if (row === undefined) throw noSuchRun();
  return row.outcome;
}

function ended(at: RunStorage['at']): RawBuilder<unknown> {
  return sql`changed_at = ${at()}, ended_at = ${at()}, due_at = null, ready_at = null, step = null`;
}

/** Throws `notFound`; or `conflict` if there is nothing to decide, or not the draft that was shown. */
async function lockShown({ db }: Work, id: string, revision: number): Promise<RunRow> {
  const row = await lockRun(db, id);
  if (row.status !== 'written' && row.status !== 'held') {
    throw new AppError('conflict', 'This run has no draft that could be decided about at this moment');
  }
  if (row.revision !== revision) {
    throw new AppError('conflict', `This draft has revision ${row.revision} by now, not ${revision}: look at it again`);
  }
  return row;
}

async function review(work: Work, { id, review: decided, note, record }: Review): Promise<Run> {
  const { db, at, asRun } = work;
  const row = await lockShown(work, id, decided.revision);
  if (row.are_results_purged) {
    throw new AppError('conflict', 'The results of this run were deleted: replay it from its beginning');
  }
  if (note !== undefined) await replaceNote(work, row, note);
  if (record !== undefined) await storeDecision(work, { ...row, run: id }, record);
  const { rows } = await sql<RunRow>`
    with mine as (
      update runs set ${LET_GO}, status = 'queued', step = 'map', review = ${JSON.stringify(decided)}::jsonb, due_at = ${at()},
        ready_at = ${at()}, ended_at = null, changed_at = ${at()}, reason = null, message = null, advice = null, tries = 0, crashes = 0
      where id = ${id} returning *
    ),
    ${forgotten('mine', 'write-chart')}
    select * from mine`.execute(db);
  return asRun(rows[0] ?? row);
}

async function replaceNote({ db, results }: Work, row: RunRow, note: NonNullable<Review['note']>): Promise<void> {
  const kept = await db
    .selectFrom('run_steps')
    .selectAll()
    .where((is) => is.and({ run_id: row.id, name: 'check' }))
    .execute();
  const { check } = openResults(results, row, kept);
  if (check === undefined) throw new AppError('conflict', 'This run has no note that could be edited');
  await db
    .updateTable('run_steps')
    .set({ result: sealResult(results, row, 'check', { ...check, note, shown: check.note }) })
    .where((is) => is.and({ run_id: row.id, name: 'check' }))
    .execute();
}

async function reject(
  work: Work,
  { id, revision, message, advice, record }: Parameters<Runs['reject']>[0],
): Promise<Run> {
  const row = await lockShown(work, id, revision);
  if (record !== undefined) await storeDecision(work, { ...row, run: id }, record);
  const { rows } = await sql<RunRow>`
    update runs set ${LET_GO}, status = 'parked', reason = 'rejected', message = ${message}, advice = ${advice}, ${ended(work.at)}
    where id = ${id} returning *`.execute(work.db);
  return work.asRun(rows[0] ?? row);
}

async function putBack({ db, at, asRun }: Work, { id, from }: Parameters<Runs['putBack']>[0]): Promise<Run> {
  const row = await lockRun(db, id);
  if (row.status !== from) throw new AppError('conflict', `The run is ${row.status} by now, not ${from}`);
  const { rows } = await sql<RunRow>`
    update runs set ${LET_GO}, status = 'queued', due_at = ${at()}, ready_at = ${at()}, changed_at = ${at()},
      reason = null, message = null, advice = null, waits_for = null, tries = 0, crashes = 0
    where id = ${id} returning *`.execute(db);
  return asRun(rows[0] ?? row);
}

function endRejectedQuery({ at }: RunStorage, { id, message }: Parameters<Runs['endRejected']>[0]) {
  return sql`
    update runs set status = 'rejected', reason = null, message = ${message}, advice = null, ${ended(at)}
    where id = ${id} and status = 'parked' and reason = 'rejected'`;
}

/** A run that had written and was recalled before it wrote again: what it wrote is retracted like all else. */
const WAS_RECALLED = sql`status = 'cancelled' and reason = 'recalled' and resources <> '[]'`;

/** All runs of the session that wrote or would have written; the event is about the last. */
function retractQuery({ at }: RunStorage, order: Parameters<Runs['markRetracted']>[0]) {
  const { site, encounter, session, upTo, resources, left, park } = order;
  const isKnown = park ? sql`and reason is distinct from 'retract-by-hand'` : sql``;
  const isMeant = upTo === undefined ? sql`` : sql`and serial <= (select serial from runs where id = ${upTo})`;
  return sql`
    with gone as (
      update runs set ${LET_GO}, status = ${park ? 'parked' : 'retracted'}, reason = ${park ? 'retract-by-hand' : null},
        message = ${park?.message ?? null}, advice = ${park?.advice ?? null}, ${ended(at)},
        resources = case when ${resources.length > 0} then ${JSON.stringify(resources)}::jsonb else resources end,
        left_documents = ${JSON.stringify(left)}::jsonb
      where site = ${site} and encounter = ${encounter} and session = ${session} and not is_dry ${isMeant}
        and (status in ('written', 'held', 'rejected') or status = 'parked' ${isKnown} or ${WAS_RECALLED})
      returning *
    ),
    ${told('gone', park ? 'parked' : 'retracted', at, sql`serial = (select max(serial) from gone)`)}
    select 1`;
}
