// Applies a resolved encounter to its run: patient, session, and whether the run is needed at all. The usual case is one statement; all
// others are a transaction that locks the run's own row first, so that no other process has it meanwhile.
import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Run } from '../../../domain/run/run.ts';
import type { Claim, FoundSession, Queue } from '../../../ports/queue.ts';
import { guarded } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { isKeptBack, LET_GO, POKED } from './run-order.ts';
import type { RunRow } from './run-rows.ts';
import { notOurs, type RunStorage, settled } from './run-storage.ts';

type Work = {
  readonly db: Transaction<Schema>;
  readonly at: RunStorage['at'];
  /** Locked. */
  readonly row: RunRow;
};
type Who = Parameters<Queue['identify']>[1];
type Siblings = Awaited<ReturnType<Queue['siblings']>>;

export function makeQueueLooks(storage: RunStorage): Pick<Queue, 'identify' | 'assignSessions' | 'siblings' | 'fold'> {
  return {
    identify: async (claim, who) => {
      const isMine = await settled(() => identifyAtOnce(storage, claim, who));
      return isMine ? 'mine' : withOwn(storage, claim, (work) => identify(work, who));
    },
    assignSessions: async (claim, sessions) => {
      const row =
        (await settled(() => determineAtOnce(storage, claim, sessions))) ??
        (await withOwn(storage, claim, (work) => determine(work, sessions)));
      return row === undefined ? 'none' : { run: storage.asRun(row), holder: claim.holder, fence: claim.fence };
    },
    siblings: (claim) => guarded(() => readSiblings(storage, claim)),
    fold: (claim) => withOwn(storage, claim, fold),
  };
}

/** The usual case: the expected encounter, of a patient without other runs. False: any other case. */
async function identifyAtOnce({ db, at }: RunStorage, claim: Claim, who: Who): Promise<boolean> {
  const { encounter, patient, isUrgent } = who;
  const { rows } = await sql`
    update runs run set patient = ${patient}, is_urgent = run.is_urgent or ${isUrgent}, changed_at = ${at()}
    where ${isOurs(claim)} and run.encounter = ${encounter} and coalesce(run.patient, ${patient}) = ${patient}
      and not (
        select ${isKeptBack('mine')} from (select run.id, run.site, ${patient}::text as patient, run.serial) mine
      )
    returning 1`.execute(db);
  return rows.length > 0;
}

/** The usual case: one session, which no other run has. Undefined: any other case. */
async function determineAtOnce(
  { db, at }: RunStorage,
  claim: Claim,
  [found, ...more]: readonly FoundSession[],
): Promise<RunRow | undefined> {
  if (found === undefined || more.length > 0) return undefined;
  const { rows } = await sql<RunRow>`
    update runs run set session = ${found.session}, recordings = ${[...found.recordings]}::text[], changed_at = ${at()}
    where ${isOurs(claim)} and run.session = '' and not run.must_look_again and not exists (
      select from runs other
      where other.site = run.site and other.encounter = run.encounter and other.session = ${found.session}
        and other.replay_of is null and other.id <> run.id
    )
    returning *`.execute(db);
  return rows[0];
}

async function readSiblings({ db, asRun }: RunStorage, claim: Claim): Promise<Siblings> {
  const { rows } = await sql<RunRow | { readonly id: null }>`
    select other.* from (select run.id, run.site, run.encounter from runs run where ${isOurs(claim)}) mine
    left join runs other on other.site = mine.site and other.encounter = mine.encounter and other.replay_of is null
      and other.id <> mine.id
    order by other.serial`.execute(db);
  if (rows.length === 0) throw notOurs();
  return rows.flatMap((row) => (row.id === null ? [] : [asSibling(asRun(row))]));
}

function isOurs({ run, fence }: Claim): RawBuilder<boolean> {
  return sql<boolean>`run.id = ${run.id} and run.fence = ${fence} and run.status = 'running'`;
}

function withOwn<T>({ db, at }: RunStorage, { run, fence }: Claim, work: (work: Work) => Promise<T>): Promise<T> {
  return settled(() =>
    db.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('runs')
        .selectAll()
        .where((is) => is.and({ id: run.id, fence, status: 'running' }))
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) throw notOurs();
      return work({ db: transaction, at, row });
    }),
  );
}

async function identify(work: Work, who: Who): Promise<'mine' | 'later' | 'folded'> {
  const { db, at, row } = work;
  if (row.encounter !== who.encounter && row.replay_of === null) {
    if (await foldInto(work, who)) return 'folded';
    await moveRecordings(work, who.encounter);
  }
  const isUrgent = who.isUrgent || row.is_urgent;
  const said = sql`encounter = ${who.encounter}, patient = ${who.patient}, is_urgent = ${isUrgent}, changed_at = ${at()}`;
  const isLater = await comesLater(work, who.patient);
  // A run of the same patient that is claimed at this moment breaks this transaction, and all of it is repeated.
  if (!isLater) await sql`update runs set ${said} where id = ${row.id}`.execute(db);
  else {
    await sql`
      update runs set ${said}, ${LET_GO}, status = case when is_cancelling then 'cancelled' else 'queued' end,
        step = case when not is_cancelling then step end, ended_at = case when is_cancelling then ${at()} end,
        due_at = case when not is_cancelling then ${at()} end, ready_at = case when not is_cancelling then ${at()} end
      where id = ${row.id}`.execute(db);
  }
  // Runs of its former patient may have waited for it.
  if (isLater || row.patient !== who.patient) await poke(work);
  return isLater ? 'later' : 'mine';
}

async function comesLater({ db, row }: Work, patient: string): Promise<boolean> {
  const { rows } = await sql<{ later: boolean }>`
    select ${isKeptBack('mine')} as later
    from (select ${row.id}::uuid as id, ${row.site}::text as site, ${patient}::text as patient, ${row.serial}::bigint as serial) mine
  `.execute(db);
  return rows[0]?.later === true;
}

/** Another run resolves this encounter already, or has this session. */
async function foldInto(work: Work, { encounter, isUrgent }: Who): Promise<boolean> {
  const { db, at, row } = work;
  const isOver = sql<boolean>`(status = 'skipped' and is_look)`;
  const isWoken = sql<boolean>`(${isOver} or is_pause and is_look)`;
  const { rows } = await sql<{ id: string }>`
    update runs set
      is_urgent = is_urgent or ${isUrgent || row.is_urgent},
      must_look_again = status = 'running' and is_look or must_look_again and not ${isWoken},
      status = case when ${isWoken} then 'queued' else status end,
      due_at = case when ${isOver} then ${at()} when ${isWoken} then least(due_at, ${at()}) else due_at end,
      ready_at = case when ${isOver} then ${at()} when ${isWoken} then least(due_at, ${at()}) else ready_at end,
      is_ready = is_ready and not ${isWoken},
      reason = case when not ${isWoken} then reason end, message = case when not ${isWoken} then message end,
      advice = case when not ${isWoken} then advice end, waits_for = case when not ${isWoken} then waits_for end,
      ended_at = case when not ${isWoken} then ended_at end,
      is_cancelling = is_cancelling and not ${isWoken},
      tries = case when ${isOver} then 0 else tries end, crashes = case when ${isOver} then 0 else crashes end,
      changed_at = case when ${isWoken} then ${at()} else changed_at end
    where site = ${row.site} and encounter = ${encounter} and session = ${row.session} and replay_of is null and id <> ${row.id}
    returning id`.execute(db);
  if (rows.length === 0) return false;
  await handOver(
    work,
    rows.map(({ id }) => id),
  );
  return true;
}

/** An uploaded recording is found by the encounter of its run. */
async function moveRecordings({ db, row }: Work, encounter: string): Promise<void> {
  const ids = row.recordings.flatMap((name) => (name.startsWith('upload:') ? [name.slice('upload:'.length)] : []));
  if (ids.length === 0) return;
  await db.updateTable('recordings').set({ encounter }).where('site', '=', row.site).where('id', 'in', ids).execute();
}

/** Moves its events to the other runs and deletes it. */
async function handOver(work: Work, ids: readonly string[]): Promise<void> {
  const { db, row } = work;
  await sql`
    insert into inbox_runs (inbox_id, run_id)
    select link.inbox_id, other from inbox_runs link cross join unnest(${[...ids]}::uuid[]) other
    where link.run_id = ${row.id}
    on conflict do nothing`.execute(db);
  await poke(work);
  await db.deleteFrom('runs').where('id', '=', row.id).execute();
}

async function poke({ db, row }: Work): Promise<void> {
  if (row.patient === null) return;
  await sql`
    with gone as (select ${row.id}::uuid as id, ${row.site}::text as site, ${row.patient}::text as patient), ${POKED}
    select 1`.execute(db);
}

async function determine(work: Work, sessions: readonly FoundSession[]): Promise<RunRow | undefined> {
  const { db, at, row } = work;
  if (row.session !== '') return row;
  const standing = await others(db, row).select('session').execute();
  const taken = new Set(standing.map(({ session }) => session));
  const [first, ...rest] = sessions.filter(({ session }) => !taken.has(session));
  if (first === undefined) return undefined;
  const { rows } = await sql<RunRow>`
    update runs set session = ${first.session}, recordings = ${[...first.recordings]}::text[], must_look_again = false,
      changed_at = ${at()}
    where id = ${row.id} returning *`.execute(db);
  for (const found of rest) await addOther(work, { ...found, patient: row.patient });
  // Events that arrived while it read the encounter may not have been seen.
  if (row.must_look_again) await addOther(work, { session: '', recordings: [], patient: null });
  return rows[0];
}

async function addOther(
  { db, at, row }: Work,
  { session, recordings, patient }: FoundSession & { readonly patient: string | null },
): Promise<void> {
  await sql`
    with made as (
      insert into runs (site, organization, encounter, patient, session, recordings, is_urgent, due_at, ready_at,
        trigger_source, trigger_event, trigger_received_at, created_at, changed_at, traceparent)
      select site, organization, encounter, ${patient}, ${session}, ${[...recordings]}::text[], is_urgent, ${at()}, ${at()},
        trigger_source, trigger_event, trigger_received_at, ${at()}, ${at()}, traceparent
      from runs where id = ${row.id}
      on conflict (site, encounter, session) where replay_of is null do nothing
      returning id
    )
    insert into inbox_runs (inbox_id, run_id)
    select link.inbox_id, made.id from inbox_runs link cross join made where link.run_id = ${row.id}`.execute(db);
}

async function fold(work: Work): Promise<void> {
  const { db, at, row } = work;
  if (row.must_look_again && !row.is_cancelling) {
    await sql`
      update runs set ${LET_GO}, status = 'queued', due_at = ${at()}, ready_at = ${at()}, changed_at = ${at()}
      where id = ${row.id}`.execute(db);
    return;
  }
  const rows = await others(db, row).select('id').execute();
  await handOver(
    work,
    rows.map(({ id }) => id),
  );
}

function others(db: Transaction<Schema>, { id, site, encounter }: RunRow) {
  return db
    .selectFrom('runs')
    .where('site', '=', site)
    .where('encounter', '=', encounter)
    .where('replay_of', 'is', null)
    .where('id', '<>', id);
}

function asSibling({ id, session, recordings, status, reason }: Run): Siblings[number] {
  return { id, recordings, status, ...(session !== undefined && { session }), ...(reason !== undefined && { reason }) };
}
