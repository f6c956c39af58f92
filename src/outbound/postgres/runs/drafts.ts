// Drafts that wait for a decision and their claims, in PostgreSQL.
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import { LOWEST_RED_RANK } from '../../../domain/run/draft-facts.ts';
import type { ClaimOrder, DraftClaim, DraftQuery, Drafts, WaitingDraft } from '../../../ports/drafts.ts';
import { guardedMethods } from '../errors.ts';
import { cutPage } from '../position-cursor.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { RunRow } from './run-rows.ts';
import { makeRunStorage, type RunParts, type RunStorage } from './run-storage.ts';

type ClaimRow = {
  readonly holder: string;
  readonly holder_name: string;
  readonly claimed_at: Date;
  readonly ends_at: Date;
  readonly delegated_by: string | null;
};
type DraftRow = RunRow & { readonly claim: (Omit<ClaimRow, 'claimed_at' | 'ends_at'> & ClaimTimes) | null };
/** In a JSON value of the database. */
type ClaimTimes = { readonly claimed_at: string; readonly ends_at: string };

export function makePostgresDrafts(parts: RunParts): Drafts {
  const storage = makeRunStorage(parts);
  const { db, at } = storage;
  return guardedMethods<Drafts>({
    async list(query) {
      const { rows } = await draftsQuery(storage, query).execute(db);
      const { page, last } = cutPage(rows, query.limit);
      const drafts = page.map((row) => asDraft(storage, row));
      return { drafts, ...(last && { next: `${-last.draft_order}.${last.serial}` }) };
    },
    async findClaim(run) {
      const { rows } = await sql<ClaimRow>`
        select * from draft_claims where run_id = ${run} and ends_at > ${at()}`.execute(db);
      return rows[0] && asClaim(rows[0]);
    },
    claim: (order) => claim(storage, order),
    async keep({ run, holder, lastsMs }) {
      await sql`
        update draft_claims set ends_at = greatest(ends_at, ${later(at, lastsMs)})
        where run_id = ${run} and holder = ${holder} and ends_at > ${at()}`.execute(db);
    },
    async release(run, holder) {
      const isTheirs = holder === undefined ? sql`true` : sql`holder = ${holder}`;
      const { rows } = await sql<{ is_open: boolean }>`
        delete from draft_claims where run_id = ${run} and ${isTheirs} returning ends_at > ${at()} as is_open`.execute(
        db,
      );
      return rows[0]?.is_open === true;
    },
  });
}

async function claim(storage: RunStorage, order: ClaimOrder): Promise<DraftClaim> {
  const { db } = storage;
  const { rows } = await claimQuery(storage, order).execute(db);
  const [mine] = rows;
  if (mine !== undefined) return asClaim(mine);
  const others = await sql<ClaimRow>`select * from draft_claims where run_id = ${order.run}`.execute(db);
  const [theirs] = others.rows;
  // A claim that was released in between: the draft is free now.
  return theirs === undefined ? claim(storage, order) : asClaim(theirs);
}

function later(at: RunStorage['at'], ms: number): RawBuilder<Date> {
  return sql<Date>`(${at()} + make_interval(secs => ${ms / 1000}))`;
}

/** Of two orders at the same moment the primary key lets one insert; the other then finds its row. */
function claimQuery({ at }: RunStorage, { run, site, holder, name, lastsMs, takesOver, delegatedBy }: ClaimOrder) {
  return sql<ClaimRow>`
    insert into draft_claims as claim (run_id, site, holder, holder_name, claimed_at, ends_at, delegated_by)
    values (${run}, ${site}, ${holder}, ${name}, ${at()}, ${later(at, lastsMs)}, ${delegatedBy ?? null})
    on conflict (run_id) do update set
      claimed_at = case when claim.holder = excluded.holder and claim.ends_at > ${at()} then claim.claimed_at else excluded.claimed_at end,
      holder = excluded.holder, holder_name = excluded.holder_name, ends_at = excluded.ends_at, delegated_by = excluded.delegated_by
    where claim.holder = excluded.holder or claim.ends_at <= ${at()} or ${takesOver}
    returning *`;
}

/**
 * Each place is a range of the index, which has the drafts in the order of the list: no more of them is read than a page needs. The conditions
 * repeat that index's.
 */
export function draftsQuery({ at }: Pick<RunStorage, 'at'>, query: DraftQuery) {
  const { places, reasons, encounter, isUrgent = false, claimed, limit, cursor } = query;
  const wanted = [
    ...(encounter === undefined ? [] : [sql`run.encounter = ${encounter}`]),
    ...(isUrgent ? [sql`(run.draft_order <= ${-LOWEST_RED_RANK} or run.is_urgent)`] : []),
    ...(claimed === 'free' ? [sql`claim.run_id is null`] : []),
    ...(typeof claimed === 'object' ? [sql`claim.holder = ${claimed.by}`] : []),
    ...(cursor === undefined ? [] : [behind(cursor)]),
  ];
  return sql<DraftRow>`
    select found.* from unnest(${places.map(({ site }) => site)}::text[], ${places.map(({ status }) => status)}::text[]) place (site, status)
    cross join lateral (
      select run.*, case when claim.run_id is not null then to_json(claim) end as claim
      from runs run
      -- One lookup for each row, so that the rows stay in the order of the index.
      left join lateral (select * from draft_claims where run_id = run.id and ends_at > ${at()} limit 1) claim on true
      where run.site = place.site and run.status = place.status
        and run.status in ('held', 'written') and (run.status = 'held' or run.review is null) and not run.is_dry and run.revision > 0
        and (run.status = 'written' or run.reason = any(${[...reasons]}::text[]))
        and (run.review is null or (run.review->>'revision')::int is distinct from run.revision)
        and not ${IS_FOLLOWED} ${sql.join(
          wanted.map((condition) => sql`and ${condition}`),
          sql` `,
        )}
      order by run.draft_order, run.serial limit ${limit + 1}
    ) found
    order by found.draft_order, found.serial limit ${limit + 1}`;
}

/** Of several drafts of a session people decide about the last one. */
export const IS_FOLLOWED = sql<boolean>`coalesce((
      select true from runs later
      where later.site = run.site and later.encounter = run.encounter and later.session = run.session
        and later.serial > run.serial and not later.is_dry and later.revision > 0 and later.status <> 'cancelled'
      limit 1
    ), false)`;

/** Throws `invalidRequest`. */
function behind(cursor: string): RawBuilder<boolean> {
  const [, rank, serial] = /^(\d{1,3})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (rank === undefined || serial === undefined) {
    throw new AppError('invalidRequest', 'cursor is not what an earlier page gave as next');
  }
  return sql<boolean>`(run.draft_order, run.serial) > (${-Number(rank)}, ${Number(serial)})`;
}

function asDraft({ asRun }: RunStorage, row: DraftRow): WaitingDraft {
  const { claim } = row;
  if (claim === null) return { run: asRun(row) };
  const times = { claimed_at: new Date(claim.claimed_at), ends_at: new Date(claim.ends_at) };
  return { run: asRun(row), claim: asClaim({ ...claim, ...times }) };
}

function asClaim({ holder, holder_name: name, claimed_at, ends_at, delegated_by }: ClaimRow): DraftClaim {
  return withoutNulls({ holder, name, claimedAt: claimed_at, endsAt: ends_at, delegatedBy: delegated_by });
}
