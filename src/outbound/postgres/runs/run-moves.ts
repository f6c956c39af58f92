// Sessions whose encounter was moved to another patient after they were processed.
import { sql, type Transaction } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { MoveOrder, Runs } from '../../../ports/runs.ts';
import type { Schema } from '../schema.ts';
import { lockRun } from './run-replay.ts';
import type { RunRow } from './run-rows.ts';
import { type RunStorage, settled } from './run-storage.ts';

export function makeRunMoves(storage: RunStorage): Pick<Runs, 'noteMove' | 'moveSession'> {
  return {
    noteMove: (order) =>
      settled(async () => {
        await noteMoveQuery(storage, order).execute(storage.db);
      }),
    moveSession: (order) =>
      settled(() => storage.db.transaction().execute((db) => moveSession({ ...storage, db }, order))),
  };
}

/** The event is stored in the statement that stores the move: a second call changes no row and sends nothing. */
function noteMoveQuery({ at }: RunStorage, { id, to, resources }: Parameters<Runs['noteMove']>[0]) {
  const movedTo = to ?? null;
  return sql`
    with moved as (
      update runs set moved_to = ${movedTo}, changed_at = ${at()}
      where id = ${id} and moved_to is distinct from ${movedTo} returning *
    )
    insert into outbox (kind, site, event, created_at)
    select 'attention', site, jsonb_strip_nulls(jsonb_build_object(
      'runId', id, 'site', site, 'encounter', encounter, 'patient', patient, 'session', session, 'status', status,
      'resources', ${JSON.stringify(resources)}::jsonb, 'because', 'moved', 'movedTo', moved_to,
      'occurredAt', to_char(${at()} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    )), ${at()} from moved where moved_to is not null and ${resources.length > 0}`;
}

type Work = Pick<RunStorage, 'at' | 'asRun'> & { readonly db: Transaction<Schema> };

/** The lock of the former run makes one of two callers wait, who then finds the new run. */
async function moveSession({ db, at, asRun }: Work, { id, patient, seenBy }: MoveOrder): Promise<Run | undefined> {
  const former = await lockRun(db, id);
  if (await hasNewerRun(db, former)) return undefined;
  const { rows } = await sql<RunRow>`
    insert into runs (site, organization, encounter, patient, session, recordings, is_urgent, due_at, ready_at, step,
      trigger_source, trigger_event, trigger_received_at, replay_of, created_at, changed_at, traceparent)
    select former.site, former.organization, former.encounter, ${patient}, former.session, former.recordings, former.is_urgent,
      ${at()}, ${at()}, 'read-chart', seen.trigger_source, seen.trigger_event, seen.trigger_received_at, former.id, ${at()}, ${at()},
      seen.traceparent
    from runs former join runs seen on seen.id = ${seenBy} where former.id = ${id}
    returning *`.execute(db);
  const [made] = rows;
  if (made === undefined) throw new AppError('internal', 'The run of a moved encounter was not created');
  await sql`update runs set moved_to = ${patient}, moved_by = ${made.id} where id = ${id}`.execute(db);
  await sql`
    insert into inbox_runs (inbox_id, run_id)
    select inbox_id, ${made.id}::uuid from inbox_runs where run_id = ${seenBy}`.execute(db);
  return asRun(made);
}

async function hasNewerRun(
  db: Transaction<Schema>,
  { site, encounter, session, serial }: Pick<RunRow, 'site' | 'encounter' | 'session' | 'serial'>,
): Promise<boolean> {
  const newer = await db
    .selectFrom('runs')
    .select('id')
    .where((is) => is.and({ site, encounter, session, is_dry: false }))
    .where('serial', '>', serial)
    .executeTakeFirst();
  return newer !== undefined;
}
