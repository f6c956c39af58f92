// Replays a run from one of its steps: a new run, with the results of the steps before.
import { sql, type Transaction } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import { RUN_STEPS, type Run, type StepName } from '../../../domain/run/run.ts';
import type { StepResults } from '../../../domain/run/step-results.ts';
import type { ReplayOrder, Runs } from '../../../ports/runs.ts';
import type { Schema } from '../schema.ts';
import { storeDecision } from './draft-decisions.ts';
import { openResults, type RunRow, sealResult } from './run-rows.ts';
import { isRunId, noSuchRun, type RunStorage, settled } from './run-storage.ts';

export function makeRunReplay(storage: RunStorage): Pick<Runs, 'replay'> {
  return {
    replay: (order) => settled(() => storage.db.transaction().execute((db) => replay({ ...storage, db }, order))),
  };
}

type Work = Omit<RunStorage, 'db'> & { readonly db: Transaction<Schema> };

async function replay(
  { db, at, results: sealing, asRun, traceparent }: Work,
  { id, from, isDry, correction }: ReplayOrder,
): Promise<Run> {
  const original = await lockRun(db, id);
  if (correction !== undefined) await noteCorrection({ db, at }, original, correction);
  if (['queued', 'running', 'waiting'].includes(original.status)) {
    throw new AppError('conflict', 'This run is at work: wait for its end, or cancel it first');
  }
  if (original.session === '') {
    throw new AppError('conflict', 'This run never came as far as having a session: start one for its encounter');
  }
  if (original.reason === 'recalled' && RUN_STEPS.indexOf(from) > RUN_STEPS.indexOf('write-note')) {
    throw new AppError(
      'conflict',
      'This run was recalled: begin at write-note or earlier, so that a new draft is made',
    );
  }
  const steps = await db.selectFrom('run_steps').selectAll().where('run_id', '=', id).execute();
  const before = RUN_STEPS.slice(0, RUN_STEPS.indexOf(from));
  if (steps.some(({ name, status, result }) => before.includes(name) && status === 'done' && result === null)) {
    throw new AppError('conflict', 'What an earlier step gave was deleted: begin at an earlier step');
  }
  // A run that failed before `from` goes on at the step that failed.
  const isThere = (name: StepName) =>
    steps.some((one) => one.name === name && ['done', 'skipped'].includes(one.status));
  const first = before.find((name) => !isThere(name)) ?? from;
  const { rows } = await insertQuery({ at, traceparent }, original, { first, isDry }).execute(db);
  const [made] = rows;
  if (made === undefined) throw new AppError('internal', 'A run was not made');
  const kept = RUN_STEPS.slice(0, RUN_STEPS.indexOf(first));
  const copied = steps.filter(({ name }) => kept.includes(name));
  const results = withInstruction(openResults(sealing, original, copied), correction?.instruction);
  for (const step of copied) {
    const result = results[step.name as keyof StepResults];
    const sealed = result === undefined ? null : sealResult(sealing, made, step.name, result);
    await db
      .insertInto('run_steps')
      .values({ ...step, run_id: made.id, result: sealed })
      .execute();
  }
  return asRun(made);
}

type Correction = NonNullable<ReplayOrder['correction']>;

async function noteCorrection(
  work: Pick<Work, 'db' | 'at'>,
  { id, site, revision }: RunRow,
  correction: Correction,
): Promise<void> {
  if (revision !== correction.revision) {
    const why = `This draft has revision ${revision} by now, not ${correction.revision}: look at it again`;
    throw new AppError('conflict', why);
  }
  await storeDecision(work, { run: id, site, revision }, correction.record);
}

/** The instruction may hold patient data: it is sealed and deleted with the results. A replay from the beginning reads the chart anew, without it. */
function withInstruction(results: Partial<StepResults>, instruction: string | undefined): Partial<StepResults> {
  const read = results['read-chart'];
  if (read === undefined || instruction === undefined) return results;
  return { ...results, 'read-chart': { ...read, wanted: { ...read.wanted, instruction } } };
}

function insertQuery(
  { at, traceparent }: Pick<RunStorage, 'at' | 'traceparent'>,
  { id }: RunRow,
  { first, isDry }: { readonly first: StepName; readonly isDry: boolean },
) {
  return sql<RunRow>`
    insert into runs (site, organization, encounter, patient, session, recordings, is_urgent, due_at, ready_at, step,
      trigger_source, trigger_received_at, engine, mapping, prompt, model, answered_by, speech, replay_of, is_dry, created_at, changed_at, traceparent)
    select site, organization, encounter, patient, session, recordings, is_urgent, ${at()}, ${at()}, ${first},
      'operator', ${at()}, engine, mapping, prompt, model, answered_by, speech, id, ${isDry}, ${at()}, ${at()}, ${traceparent()}::text
    from runs where id = ${id}
    returning *`;
}

/** Throws `notFound`. */
export async function lockRun(db: Transaction<Schema>, id: string): Promise<RunRow> {
  if (!isRunId(id)) throw noSuchRun();
  const row = await db.selectFrom('runs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (row === undefined) throw noSuchRun();
  return row;
}
