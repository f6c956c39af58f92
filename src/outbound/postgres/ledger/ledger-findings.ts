// Findings of the reconciler, in PostgreSQL. A resolved finding keeps its row, with the time when it ended.
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Finding, Ledger } from '../../../ports/ledger.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Schema } from '../schema.ts';
import type { WriteRow } from './ledger-rows.ts';

export function makeLedgerFindings({ db }: Database): Pick<Ledger, 'storeFindings' | 'openFindings'> {
  return guardedMethods({
    storeFindings: (site, looked, findings) =>
      db.transaction().execute((transaction) => keepFindings(transaction, { site, looked, findings })),
    async openFindings(site) {
      const rows = await openFindingsQuery(db, site).execute();
      return rows.map((row) => ({
        site: row.site,
        kind: row.kind,
        identity: row.identity,
        references: row.resources,
        foundAt: row.found_at,
      }));
    },
  });
}

export function openFindingsQuery(db: Kysely<Schema>, site: string | undefined) {
  const open = db.selectFrom('chart_findings').selectAll().where('ended_at', 'is', null);
  const wanted = site === undefined ? open : open.where('site', '=', site);
  return wanted.orderBy('position', 'desc');
}

type KeepParts = {
  readonly site: string;
  readonly looked: readonly string[];
  readonly findings: readonly Finding[];
};

async function keepFindings(transaction: Transaction<Schema>, { site, looked, findings }: KeepParts): Promise<void> {
  const found = [...new Map(findings.map((one) => [JSON.stringify([one.site, one.kind, one.identity]), one])).values()];
  const still = found.filter((finding) => finding.site === site);
  await sql`
    update chart_findings as kept set ended_at = now()
    where site = ${site} and ended_at is null and identity = any(${[...looked]}::text[])
      and not exists (
        select 1 from unnest(
          ${still.map(({ kind }) => kind)}::text[], ${still.map(({ identity }) => identity)}::text[]
        ) as still (kind, identity)
        where still.kind = kept.kind and still.identity = kept.identity
      )`.execute(transaction);
  if (found.length === 0) return;
  await transaction
    .insertInto('chart_findings')
    .values(found.map(({ references, ...finding }) => ({ ...finding, resources: [...references] })))
    .onConflict((conflict) =>
      conflict
        .columns(['site', 'identity', 'kind'])
        .where('ended_at', 'is', null)
        .doUpdateSet({ resources: sql<string[]>`excluded.resources` }),
    )
    .execute();
}

type RetiredWrite = Pick<WriteRow, 'site' | 'encounter' | 'session' | 'identity_value'>;

/** A retracted document is no longer missing. Duplicates of its identity are still in the chart and stay reported. */
export async function endFindings(transaction: Transaction<Schema>, retired: readonly RetiredWrite[]): Promise<void> {
  if (retired.length === 0) return;
  const ended = retired.flatMap(({ site, encounter, session, identity_value: identity }) => [
    { site, kind: 'missing', identity },
    { site, kind: 'foreign', identity },
    { site, kind: 'encounter', identity: `${encounter}/${session}` },
  ]);
  await sql`
    update chart_findings as kept set ended_at = now()
    from unnest(
      ${ended.map(({ site }) => site)}::text[], ${ended.map(({ kind }) => kind)}::text[],
      ${ended.map(({ identity }) => identity)}::text[]
    ) as ended (site, kind, identity)
    where kept.ended_at is null
      and kept.site = ended.site and kept.kind = ended.kind and kept.identity = ended.identity`.execute(transaction);
}
