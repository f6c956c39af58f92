// Views of runs: lists, one run with its steps and events, changes, and counts by state.
import { type SqlBool, sql } from 'kysely';
import type { RunScope } from '../../../domain/people/role.ts';
import { present } from '../../../domain/present.ts';
import {
  RUN_STEPS,
  type RunEvent,
  type RunReason,
  type RunStatus,
  type RunStep,
  type StepName,
} from '../../../domain/run/run.ts';
import type { RunCounts, RunQuery, Runs } from '../../../ports/runs.ts';
import { guardedMethods } from '../errors.ts';
import { cutPage } from '../position-cursor.ts';
import type { RunStepsTable } from '../schema-runs.ts';
import { ofRunScope } from '../scope-conditions.ts';
import { withoutNulls } from '../without-nulls.ts';
import { usedModel } from './model-conditions.ts';
import { isLookOnly } from './run-looks.ts';
import { pageStart } from './run-page.ts';
import { openEventId, openResults, type RunRow } from './run-rows.ts';
import { isRunId, noSuchRun, type RunStorage } from './run-storage.ts';

type Views =
  | 'list'
  | 'find'
  | 'steps'
  | 'results'
  | 'events'
  | 'ofEncounter'
  | 'changesSince'
  | 'counts'
  | 'awaitingReview'
  | 'noteReviewChecked';

export function makeRunViews(storage: RunStorage): Pick<Runs, Views> {
  const { db, at, asRun } = storage;
  return guardedMethods({
    list: (query) => list(storage, query),
    async find(id, scope) {
      if (!isRunId(id)) return undefined;
      const named = db.selectFrom('runs').selectAll().where('id', '=', id);
      const row = await named.where(ofRunScope(scope)).executeTakeFirst();
      return row && asRun(row);
    },
    steps: (id) => readSteps(storage, id),
    async results(id) {
      const rows = await stepRows(storage, id);
      return openResults(storage.results, { id, site: rows[0].site }, rows);
    },
    events: (id) => readEvents(storage, id),
    async ofEncounter(site, encounter) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where((is) => is.and({ site, encounter }))
        .orderBy('serial')
        .execute();
      return rows.map(asRun);
    },
    changesSince: async (scope, since, limit) =>
      (await changesQuery(scope, since, limit).execute(db)).rows.map(withoutNulls),
    counts: () => count(storage),
    awaitingReview: async (scope, limit) => (await awaitingReviewQuery(scope, limit).execute(db)).rows.map(asRun),
    async noteReviewChecked(ids) {
      await sql`update runs set asked_at = ${at()} where id = any(${ids.filter(isRunId)}::uuid[])`.execute(db);
    },
  });
}

async function list(storage: RunStorage, query: RunQuery) {
  const rows = await listQuery(storage, query).execute();
  const { page, last } = cutPage(rows, query.limit);
  return present({ runs: page.map(storage.asRun), next: last && String(last.serial) });
}

export function listQuery({ db }: Pick<RunStorage, 'db'>, query: RunQuery) {
  const {
    scope,
    status,
    withReplayed = false,
    withLooks = false,
    site,
    patient,
    encounter,
    q,
    since,
    model,
    mapping,
    limit,
    cursor,
  } = query;
  let rows = db
    .selectFrom('runs')
    .selectAll()
    .where(ofRunScope(scope))
    .orderBy('serial', 'desc')
    .limit(limit + 1);
  if (status !== undefined) rows = rows.where(sql<SqlBool>`status = any(${[...status]}::text[])`);
  if (status !== undefined && !withReplayed) rows = rows.where(IS_NOT_REPLAYED);
  if (!withLooks) rows = rows.where(sql<SqlBool>`not ${isLookOnly('runs')}`);
  if (site !== undefined) rows = rows.where('site', '=', site);
  if (patient !== undefined) rows = rows.where('patient', '=', patient);
  if (encounter !== undefined) rows = rows.where('encounter', '=', encounter);
  if (q !== undefined && q !== '') rows = rows.where(beginsWith(q));
  if (since !== undefined) rows = rows.where('changed_at', '>=', since);
  if (model !== undefined) rows = rows.where(usedModel(model));
  if (mapping !== undefined) rows = rows.where('mapping', '=', mapping);
  if (cursor !== undefined) rows = rows.where('serial', '<', pageStart(cursor));
  return rows;
}

/** False for a parked run whose replay was written. */
const IS_NOT_REPLAYED = sql<SqlBool>`(status <> 'parked' or replayed_by is null)`;

/** Ids are accepted with and without their type: `Encounter/12`, `12`. */
function beginsWith(q: string) {
  const start = `${q.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`(
    id::text like ${start} or session like ${start} or encounter like ${start} or patient like ${start}
    or encounter like ${`Encounter/${start}`} or encounter like ${`visit:${start}`} or patient like ${`Patient/${start}`})`;
}

type StepRow = RunStepsTable & {
  readonly site: string;
  readonly status_of_run: RunStatus;
  readonly step: StepName | null;
};

/** A run without steps has one row, in which the step is missing. Throws `notFound`. */
async function stepRows({ db }: RunStorage, id: string): Promise<readonly [SelectedStep, ...SelectedStep[]]> {
  if (!isRunId(id)) throw noSuchRun();
  const { rows } = await sql<SelectedStep>`
    select step.*, run.site, run.status as status_of_run, run.step
    from runs run left join run_steps step on step.run_id = run.id where run.id = ${id}`.execute(db);
  const [first, ...rest] = rows;
  if (first === undefined) throw noSuchRun();
  return [first, ...rest];
}

type SelectedStep = Omit<StepRow, 'started_at' | 'finished_at'> & {
  readonly started_at: Date;
  readonly finished_at: Date | null;
};

async function readSteps(storage: RunStorage, id: string): Promise<readonly RunStep[]> {
  const rows = await stepRows(storage, id);
  const [{ status_of_run, step: current }] = rows;
  return RUN_STEPS.map((name): RunStep => {
    const row = rows.find((one) => one.name === name);
    const isCurrent = status_of_run === 'running' && current === name;
    if (row === undefined) return { name, status: isCurrent ? 'running' : 'pending', attempts: 0 };
    return {
      name,
      status: isCurrent ? 'running' : row.status,
      attempts: row.attempts,
      startedAt: row.started_at,
      ...(row.finished_at !== null && { finishedAt: row.finished_at }),
      ...(row.error_code !== null && { error: { code: row.error_code, message: row.error_message ?? '' } }),
    };
  });
}

async function readEvents({ db, events }: RunStorage, id: string): Promise<readonly RunEvent[]> {
  if (!isRunId(id)) throw noSuchRun();
  const rows = await db
    .selectFrom('inbox')
    .innerJoin('inbox_runs', 'inbox_runs.inbox_id', 'inbox.id')
    .select(['inbox.site', 'inbox.source', 'inbox.event', 'inbox.received_at as receivedAt', 'inbox.repeats'])
    .where('inbox_runs.run_id', '=', id)
    .orderBy('inbox.position')
    .execute();
  return rows.map(({ site, event, ...row }) =>
    withoutNulls({ ...row, eventId: openEventId(events, event, { site, receivedAt: row.receivedAt }) }),
  );
}

type ChangeRow = Pick<RunRow, 'id' | 'site' | 'encounter' | 'status' | 'reason' | 'step'> & {
  readonly changedAt: Date;
};

/** More than the limit if several runs changed at the same time: the next query begins after that time. */
function changesQuery(scope: RunScope, since: Date, limit: number) {
  return sql<ChangeRow>`
    select id, site, encounter, status, reason, step, changed_at as "changedAt" from runs
    where changed_at > ${since} and ${ofRunScope(scope)} and not ${isLookOnly('runs')}
    order by changed_at fetch first ${sql.lit(limit)} rows with ties`;
}

async function count({ db, at }: RunStorage): Promise<RunCounts> {
  const { rows } = await sql<{ status: RunStatus; reason: RunReason | null; count: number; oldest: Date | null }>`
    select status, case when status in ('waiting', 'parked') then reason end as reason,
      count(*) filter (where not ${isLookOnly('runs')}) as count,
      min(due_at) filter (where status = 'queued' and due_at <= ${at()}) as oldest
    from runs where ${IS_NOT_REPLAYED} group by 1, 2`.execute(db);
  const counted = rows.filter((row) => row.count > 0);
  const byStatus = new Map<RunStatus, number>();
  for (const row of counted) byStatus.set(row.status, (byStatus.get(row.status) ?? 0) + row.count);
  const reasons = (status: RunStatus) =>
    new Map(
      counted.flatMap((row) =>
        row.status === status && row.reason !== null ? [[row.reason, row.count] as const] : [],
      ),
    );
  const oldestQueuedAt = rows.find(({ status }) => status === 'queued')?.oldest;
  return {
    byStatus,
    waiting: reasons('waiting'),
    parked: reasons('parked'),
    ...(oldestQueuedAt && { oldestQueuedAt }),
  };
}

/** Only the last of several runs of a session: it replaced what the others wrote. */
export function awaitingReviewQuery(scope: RunScope, limit: number) {
  return sql<RunRow>`
    select * from runs run
    where ${ofRunScope(scope, 'run')} and status = 'written' and review is null and not is_dry
      and coalesce((
        select false from runs later
        where later.site = run.site and later.encounter = run.encounter and later.session = run.session
          and later.serial > run.serial and later.status = 'written' and not later.is_dry
        limit 1
      ), true)
    order by asked_at nulls first, serial limit ${limit}`;
}
