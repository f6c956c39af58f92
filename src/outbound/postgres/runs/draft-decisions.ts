// Decisions about drafts, in PostgreSQL: stored in the transaction that decides, read as a list and as figures.
import { type Kysely, sql } from 'kysely';
import type { DecisionRecord, DraftDecisionKind } from '../../../domain/run/draft-decision.ts';
import type {
  ChangeFigures,
  DraftDecisions,
  FiguresQuery,
  ReviewFigures,
  SignedDraft,
  SignedQuery,
} from '../../../ports/draft-decisions.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { inScope } from '../people/person-rows.ts';
import { cutPage, makeCursor, parseCursor } from '../position-cursor.ts';
import type { Schema } from '../schema.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { RunStorage } from './run-storage.ts';

type Db = Kysely<Schema>;
export type DecidedDraft = { readonly run: string; readonly site: string; readonly revision: number };

/** A decision that is made again about the same draft replaces the first: a rejection that is retried, a second correction. */
export async function storeDecision(
  { db, at }: Pick<RunStorage, 'at'> & { readonly db: Db },
  { run, site, revision }: DecidedDraft,
  { decision, category, actor, practitioner, noteType, changes }: DecisionRecord,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    insert into draft_decisions (run_id, site, revision, decision, category, actor, practitioner, note_type, decided_at)
    values (${run}, ${site}, ${revision}, ${decision}, ${category ?? null}, ${actor}, ${practitioner}, ${noteType}, ${at()})
    on conflict (run_id, revision, decision) do update set category = excluded.category, actor = excluded.actor,
      practitioner = excluded.practitioner, decided_at = excluded.decided_at
    returning id`.execute(db);
  const [stored] = rows;
  for (const { section, draft, inserted, deleted } of stored === undefined ? [] : changes) {
    await sql`
      insert into draft_changes (decision_id, section, draft_characters, draft_words, inserted_characters, inserted_words, deleted_characters, deleted_words)
      values (${stored?.id}, ${section}, ${draft.characters}, ${draft.words}, ${inserted.characters}, ${inserted.words},
        ${deleted.characters}, ${deleted.words})
      on conflict (decision_id, section) do nothing`.execute(db);
  }
}

export function makePostgresDraftDecisions({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): DraftDecisions {
  return guardedMethods<DraftDecisions>({
    signed: (query) => listSigned(db, query),
    figures: (query) => readFigures(db, query),
  });
}

type SignedRow = Omit<SignedDraft, 'patient'> & { readonly id: number; readonly patient: string | null };

async function listSigned(db: Db, { signers, encounter, limit, cursor }: SignedQuery) {
  const before = cursor === undefined ? null : parseCursor(cursor);
  const sites = signers.map(({ site }) => site);
  const practitioners = signers.map(({ practitioner }) => practitioner);
  const { rows } = await sql<SignedRow>`
    select made.id, made.run_id as run, made.site, run.encounter, run.patient, made.decision, made.revision,
      made.note_type as "noteType", made.decided_at as "decidedAt", run.status, run.resources
    from unnest(${sites}::text[], ${practitioners}::text[]) signer (site, practitioner)
    join draft_decisions made on made.site = signer.site and made.practitioner = signer.practitioner
    join runs run on run.id = made.run_id
    where made.decision in ('approve', 'edit') and (${before}::bigint is null or made.id < ${before})
      and (${encounter ?? null}::text is null or run.encounter = ${encounter ?? null})
    order by made.id desc limit ${limit + 1}`.execute(db);
  const { page, last } = cutPage(rows, limit);
  const signed = page.map(({ id: _, ...row }) => withoutNulls(row));
  return { signed, ...(last !== undefined && { next: makeCursor(last.id) }) };
}

async function readFigures(db: Db, { scope, from, to }: FiguresQuery): Promise<ReviewFigures> {
  const isMeant = sql`${inScope(scope, sql`made.site`)}
    and (${from ?? null}::timestamptz is null or made.decided_at >= ${from ?? null})
    and (${to ?? null}::timestamptz is null or made.decided_at < ${to ?? null})`;
  const counted = await sql<{ noteType: string; decision: DraftDecisionKind; count: number }>`
    select made.note_type as "noteType", made.decision, count(*) as count from draft_decisions made
    where ${isMeant} group by 1, 2 order by 1, 2`.execute(db);
  // A decision about a later revision of the same run is counted too: each was a draft of its own.
  const changed = await sql<ChangeFigures>`
    select made.note_type as "noteType", change.section, count(*) as count,
      percentile_cont(0.5) within group (order by
        (change.inserted_characters + change.deleted_characters)::float8
          / greatest(change.draft_characters + change.inserted_characters, 1)) as "medianShareChanged",
      avg(case when change.inserted_characters + change.deleted_characters = 0 then 1 else 0 end)::float8 as "shareUnchanged"
    from draft_decisions made join draft_changes change on change.decision_id = made.id
    where made.decision in ('approve', 'edit') and ${isMeant}
    group by 1, 2 order by 1, 2`.execute(db);
  const categories = await sql<ReviewFigures['categories'][number]>`
    select made.category, count(*) as count from draft_decisions made
    where made.category is not null and ${isMeant} group by 1 order by 2 desc, 1`.execute(db);
  const byType = Map.groupBy(counted.rows, ({ noteType }) => noteType);
  const noteTypes = [...byType].map(([noteType, rows]) => {
    const of = (kind: DraftDecisionKind) => rows.find(({ decision }) => decision === kind)?.count ?? 0;
    const decisions = { approve: of('approve'), edit: of('edit'), reject: of('reject'), correct: of('correct') };
    return { noteType, decisions };
  });
  return { noteTypes, sections: changed.rows, categories: categories.rows };
}
