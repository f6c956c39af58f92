// Claims of runs. A claim reads the first few runs of each organization by an index, however many follow; a run that has to wait for
// another one of its patient is deferred until that one leaves.
import { type RawBuilder, sql } from 'kysely';
import type { Claim, ClaimOrder, Queue } from '../../../ports/queue.ts';
import { isKeptBack } from './run-order.ts';
import type { RunRow } from './run-rows.ts';
import { type RunStorage, settled } from './run-storage.ts';

/** Number of due runs that one round reads, and of rounds of one claim; the rest is left to the next claim. */
const PROMOTE_BATCH = 500;
const PROMOTE_ROUNDS = 2;
/** A leaving run wakes the next deferred one. This interval covers the case that both happen at the same moment. */
const LOOK_AGAIN_MS = 20_000;
/** More candidates than wanted are read: some may be blocked, or be claimed by another process first. */
const SPARE = 8;
const MOST_ROUNDS = 20;
const WAKE_BATCH = 5000;

export function makeQueueClaims(storage: RunStorage): Pick<Queue, 'claim' | 'renewLeases' | 'reclaim' | 'wake'> {
  return {
    claim: (order) => claim(storage, order),
    renewLeases: ({ holder, leaseMs, ids }) =>
      settled(async () => {
        const { rows } = await sql<{ id: string }>`
          update runs set lease_until = ${storage.at()} + make_interval(secs => ${leaseMs / 1000})
          where id = any(${[...ids]}::uuid[]) and holder = ${holder} and status = 'running'
          returning id`.execute(storage.db);
        const mine = new Set(rows.map(({ id }) => id));
        return ids.filter((id) => !mine.has(id));
      }),
    reclaim: (engine) =>
      settled(async () => {
        const { rows } = await sql`
          update runs set lease_until = ${storage.at()}
          where status = 'running' and starts_with(holder, ${`${engine}/`})
          returning 1`.execute(storage.db);
        return rows.length;
      }),
    wake: (by) => wake(storage, by),
  };
}

async function claim(storage: RunStorage, order: ClaimOrder): Promise<readonly Claim[]> {
  if (order.limit <= 0 || order.sites.length === 0) return [];
  if (order.isAgain !== true) await promote(storage);
  const claims: Claim[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const limit = order.limit - claims.length;
    const { taken, putAside } = await takeSome(storage, { ...order, limit }).catch((error) => {
      // Runs claimed in an earlier round stay claimed and have to be processed.
      if (claims.length === 0) throw error;
      return { taken: [], putAside: 0 };
    });
    claims.push(...taken);
    if (claims.length === order.limit || putAside === 0) break;
  }
  return claims;
}

type Taken = { readonly taken: readonly Claim[]; readonly putAside: number };

async function takeSome(storage: RunStorage, order: ClaimOrder): Promise<Taken> {
  return settled(async (time) => {
    // Another process claimed a run of the same patient: with fewer candidates that is less likely.
    const limit = time === 1 ? order.limit : Math.ceil(order.limit / time);
    const { rows } = await claimQuery(storage, { ...order, limit }).execute(storage.db);
    const taken = rows
      .flatMap((row) => (row.id === null ? [] : [row]))
      .toSorted((a, b) => a.place - b.place)
      .map((row): Claim => ({ run: storage.asRun(row), holder: order.holder, fence: row.fence }));
    return { taken, putAside: rows[0]?.put_aside ?? 0 };
  });
}

async function promote(storage: RunStorage): Promise<void> {
  for (let round = 0; round < PROMOTE_ROUNDS; round += 1) {
    const { numAffectedRows = 0n } = await settled(() => promoteQuery(storage).execute(storage.db));
    if (numAffectedRows < PROMOTE_BATCH) return;
  }
}

/** Makes due runs visible to claims, unless another run of their patient comes first. */
export function promoteQuery({ at }: Pick<RunStorage, 'at'>) {
  const due = (isUrgent: boolean): RawBuilder<unknown> => sql`
    select id, site, patient, serial from runs
    where ready_at is not null and is_urgent = ${sql.lit(isUrgent)} and ready_at <= ${at()}
    order by ready_at limit ${sql.lit(PROMOTE_BATCH)} for update skip locked`;
  return sql`
    with urgent as materialized (${due(true)}),
    others as materialized (${due(false)}),
    due as (
      select one.id, ${isKeptBack('one')} as is_kept_back from (select * from urgent union all select * from others) one
    )
    update runs set
      is_ready = id <> all(array(select id from due where is_kept_back)),
      ready_at = case when id = any(array(select id from due where is_kept_back)) then ${at()} + ${msLater(LOOK_AGAIN_MS)} end
    where id = any(array(select id from due))`;
}

/** A run at work has no reason or message, except one that was set there. */
const STAYS_RECALLED = sql`
  reason = case when run.is_cancelling then run.reason end, message = case when run.is_cancelling then run.message end,
  advice = case when run.is_cancelling then run.advice end`;

type ClaimedRow = RunRow & { readonly place: number; readonly put_aside: number };
type NothingClaimed = { readonly id: null; readonly put_aside: number };

/**
 * Rows are found one by one by their ids in arrays, never by a join: the planner must not choose to read the whole table, whatever its
 * statistics. There is at least one row, without a run if there was none to claim: it holds the number of deferred runs.
 */
export function claimQuery({ at }: Pick<RunStorage, 'at'>, { holder, limit, leaseMs, sites, intakeSites }: ClaimOrder) {
  return sql<ClaimedRow | NothingClaimed>`
    with recursive ${lines(sites, intakeSites)},
    ${candidates(at, limit)},
    put_aside as (
      update runs set is_ready = false, ready_at = ${at()} + ${msLater(LOOK_AGAIN_MS)}
      where id = any(array(
        select locked.id from (select id, fence from ready where is_kept_back order by serial) kept
        cross join lateral (
          select run.id from runs run where run.id = kept.id and run.fence = kept.fence and run.is_ready for update skip locked
        ) locked
      ))
      returning 1
    ),
    chosen as materialized (
      select locked.id, first.place from (${inTurns(limit)}) first
      cross join lateral (
        select run.id from runs run
        where run.id = first.id and run.fence = first.fence and (run.is_ready or run.status = 'running')
        for update skip locked
      ) locked
      limit ${limit}
    ),
    claimed as (
      update runs run set
        status = 'running', holder = ${holder}, lease_until = ${at()} + ${msLater(leaseMs)}, fence = run.fence + 1,
        crashes = run.crashes + case when run.status = 'running' then 1 else 0 end,
        started_at = coalesce(run.started_at, ${at()}), changed_at = ${at()}, due_at = null, is_ready = false, ready_at = null,
        ${STAYS_RECALLED}, waits_for = null, must_look_again = false
      where run.id = any(array(select id from chosen))
      returning run.*
    )
    select claimed.*, chosen.place, aside.count as put_aside
    from (select count(*) from put_aside) aside left join (chosen join claimed using (id)) on true`;
}

/** All organizations with ready runs, by one lookup each: only the first run of each is read. */
function lines(sites: readonly string[], intakeSites: readonly string[]): RawBuilder<unknown> {
  const next = (line: string, after: RawBuilder<unknown>) => sql`(
    select run.organization from runs run
    where run.is_ready and run.site = ${sql.ref(line)}.site and run.is_look = ${sql.ref(line)}.is_look ${after}
    order by run.organization limit 1)`;
  return sql`
    places as (
      select site, false as is_look from unnest(${[...sites]}::text[]) site
      union all
      select site, true from unnest(${[...intakeSites]}::text[]) site where site = any(${[...sites]}::text[])
    ),
    lines as (
      select place.site, place.is_look, ${next('place', sql``)} as organization from places place
      union all
      select line.site, line.is_look, ${next('line', sql`and run.organization > line.organization`)}
      from lines line where line.organization is not null
    )`;
}

/** The first few runs of each organization, and those whose holder has died. */
function candidates(at: RunStorage['at'], limit: number): RawBuilder<unknown> {
  const columns = sql`run.id, run.site, run.organization, run.patient, run.serial, run.is_urgent, run.fence`;
  return sql`
    first_ones as materialized (
      select one.* from lines line cross join lateral (
        select ${columns} from runs run
        where run.is_ready and run.site = line.site and run.is_look = line.is_look and run.organization = line.organization
        order by run.is_urgent desc, run.serial limit ${limit + SPARE}
      ) one
      where line.organization is not null
    ),
    ready as materialized (select first_ones.*, ${isKeptBack('first_ones')} as is_kept_back from first_ones),
    at_work as materialized (select ${columns}, run.is_look, run.lease_until from runs run where run.status = 'running'),
    abandoned as (
      select ${columns} from at_work run join places on places.site = run.site and places.is_look = run.is_look
      where run.lease_until <= ${at()}
    )`;
}

/** One run for each patient; urgent runs first, and the organization first that has the fewest at work. */
function inTurns(limit: number): RawBuilder<unknown> {
  return sql`
    select id, fence, row_number() over (order by is_urgent desc, turn, serial) as place from (
      select one.*, coalesce(busy.count, 0)
        + row_number() over (partition by one.organization order by one.is_urgent desc, one.serial) as turn
      from (
        select distinct on (site, coalesce(patient, id::text)) *
        from (
          select id, site, organization, patient, serial, is_urgent, fence, false as is_abandoned from ready
          where not is_kept_back
          union all
          select *, true from abandoned
        ) candidate
        order by site, coalesce(patient, id::text), is_abandoned desc, serial
      ) one
      left join (select organization, count(*) from at_work group by organization) busy
        on busy.organization = one.organization
    ) ranked
    order by place limit ${limit * 4 + SPARE}`;
}

async function wake(
  storage: RunStorage,
  by: { readonly service: string } | { readonly site: string },
): Promise<number> {
  // A failed run keeps the pause before its next try.
  const whom =
    'service' in by ? sql`waits_for = ${by.service}` : sql`site = ${by.site} and reason is distinct from 'retry'`;
  for (let count = 0; ; ) {
    const { rows } = await settled(() =>
      sql`
        update runs set due_at = ${storage.at()}, ready_at = ${storage.at()}, is_ready = false, changed_at = ${storage.at()}
        where id = any(array(
          select id from runs where status = 'waiting' and due_at > ${storage.at()} and ${whom}
          order by serial limit ${sql.lit(WAKE_BATCH)} for update
        ))
        returning 1`.execute(storage.db),
    );
    count += rows.length;
    if (rows.length < WAKE_BATCH) return count;
  }
}

function msLater(ms: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${ms / 1000})`;
}
