// Findings of the reconciler, in PostgreSQL. A resolved finding keeps its row, with the time when it ended.
import { type Kysely, sql, type Transaction } from 'kysely';
import type { SiteScope } from '../../../domain/people/role.ts';
import type { Finding, Ledger } from '../../../ports/ledger.ts';
import { guardedMethods } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { ofSites } from '../scope-conditions.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import type { LedgerRoom } from './ledger-room.ts';
import type { WriteRow } from './ledger-rows.ts';

export function makeLedgerFindings(room: LedgerRoom): Pick<Ledger, 'storeFindings' | 'openFindings'> {
  const { db } = room.database;
  return guardedMethods({
    storeFindings: (site, looked, findings) =>
      db.transaction().execute((transaction) => keepFindings(room, transaction, { site, looked, findings })),
    async openFindings(scope) {
      const rows = await openFindingsQuery(db, scope).execute();
      return rows.map((row) => ({
        site: row.site,
        kind: row.kind,
        identity: openWhole(room.sealing, row.sealed_identity, findingContext(row)),
        references: row.resources,
        foundAt: row.found_at,
      }));
    },
  });
}

export function openFindingsQuery(db: Kysely<Schema>, scope: SiteScope) {
  const open = db.selectFrom('chart_findings').selectAll().where('ended_at', 'is', null);
  return open.where(ofSites(scope)).orderBy('position', 'desc');
}

type KeepParts = {
  readonly site: string;
  readonly looked: readonly string[];
  readonly findings: readonly Finding[];
};

async function keepFindings(
  { sealing, digest }: LedgerRoom,
  transaction: Transaction<Schema>,
  { site, looked, findings }: KeepParts,
): Promise<void> {
  const found = [...new Map(findings.map((one) => [JSON.stringify([one.site, one.kind, one.identity]), one])).values()];
  const still = found.filter((finding) => finding.site === site);
  await sql`
    update chart_findings as kept set ended_at = now()
    where site = ${site} and ended_at is null and identity_digest = any(${looked.map((identity) => digest(site, identity))}::bytea[])
      and not exists (
        select 1 from unnest(
          ${still.map(({ kind }) => kind)}::text[], ${still.map(({ identity }) => digest(site, identity))}::bytea[]
        ) as still (kind, identity_digest)
        where still.kind = kept.kind and still.identity_digest = kept.identity_digest
      )`.execute(transaction);
  if (found.length === 0) return;
  await transaction
    .insertInto('chart_findings')
    .values(
      found.map(({ references, identity, ...finding }) => ({
        ...finding,
        identity_digest: digest(finding.site, identity),
        sealed_identity: sealWhole(sealing, identity, findingContext(finding)),
        resources: [...references],
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['site', 'identity_digest', 'kind'])
        .where('ended_at', 'is', null)
        .doUpdateSet({ resources: sql<string[]>`excluded.resources` }),
    )
    .execute();
}

export function findingContext({ site, kind }: Pick<Finding, 'site' | 'kind'>): readonly string[] {
  return ['chart-finding', site, kind];
}

type RetiredWrite = Pick<WriteRow, 'site' | 'encounter' | 'session' | 'identity_digest'>;

/** A retracted document is no longer missing. Duplicates of its identity are still in the chart and stay reported. */
export async function endFindings(
  transaction: Transaction<Schema>,
  digest: LedgerRoom['digest'],
  retired: readonly RetiredWrite[],
): Promise<void> {
  if (retired.length === 0) return;
  const ended = retired.flatMap(({ site, encounter, session, identity_digest: identity }) => [
    { site, kind: 'missing', identity },
    { site, kind: 'foreign', identity },
    { site, kind: 'encounter', identity: digest(site, `${encounter}/${session}`) },
  ]);
  await sql`
    update chart_findings as kept set ended_at = now()
    from unnest(
      ${ended.map(({ site }) => site)}::text[], ${ended.map(({ kind }) => kind)}::text[],
      ${ended.map(({ identity }) => identity)}::bytea[]
    ) as ended (site, kind, identity_digest)
    where kept.ended_at is null
      and kept.site = ended.site and kept.kind = ended.kind and kept.identity_digest = ended.identity_digest`.execute(
    transaction,
  );
}
