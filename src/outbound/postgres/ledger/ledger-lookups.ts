// Queries over all charts: what was written where, which charts are due for reconciliation, open findings, and the EHR of a site.
import { type Kysely, sql } from 'kysely';
import type { WritePlace } from '../../../domain/chart/chart-write.ts';
import { AppError } from '../../../domain/errors.ts';
import type { SiteScope } from '../../../domain/people/role.ts';
import { present } from '../../../domain/present.ts';
import type { CheckedWrite, CheckTimes, Ledger, WrittenQuery } from '../../../ports/ledger.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { ofSites } from '../scope-conditions.ts';
import { openWhole } from '../secrets/whole-values.ts';
import { findingContext, openFindingsQuery } from './ledger-findings.ts';
import type { LedgerRoom } from './ledger-room.ts';
import { asWrite, placeOf, type WriteRow } from './ledger-rows.ts';

type Checks = 'dueForCheck' | 'riskyForCheck' | 'checkProgress' | 'markChecked';
type Lookups = Pick<Ledger, 'bindEhr' | 'findWritten' | 'knownIdentities' | Checks>;

export function makeLedgerLookups(room: LedgerRoom): Lookups {
  const { database, sealing, digest } = room;
  const { db } = database;
  const asCheckedWrite = (row: DueRow): CheckedWrite => ({
    place: placeOf(row),
    patient: row.patient,
    write: asWrite(sealing, row),
  });
  return guardedMethods({
    bindEhr: makeBindEhr(database),
    async findWritten(query) {
      const { rows } = await findWrittenQuery(query).execute(db);
      return rows.map(placeOf);
    },
    async dueForCheck(site, limit, sentBefore) {
      const { rows } = await dueForCheckQuery(site, limit, sentBefore).execute(db);
      return rows.map(asCheckedWrite);
    },
    async riskyForCheck(site, limit, times) {
      const found = await foundPlaces(room, site);
      const { rows } = await riskyForCheckQuery({ site, limit, found }, times).execute(db);
      return rows.map(asCheckedWrite);
    },
    async checkProgress(scope) {
      const { rows } = await checkProgressQuery(scope).execute(db);
      return new Map(
        rows.map(({ site, written, checked, oldestAt }) => [
          site,
          present({ written, checked, oldestAt: oldestAt ?? undefined }),
        ]),
      );
    },
    async markChecked(site, ids) {
      await db
        .updateTable('chart_writes')
        .set({ checked_at: sql<Date>`now()` })
        .where('site', '=', site)
        .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
        .execute();
    },
    async knownIdentities(site, values) {
      const byDigest = new Map(values.map((value) => [digest(site, value).toString('hex'), value]));
      const digests = [...byDigest.keys()].map((hex) => Buffer.from(hex, 'hex'));
      const rows = await knownIdentitiesQuery(db, site, digests).execute();
      return new Set(rows.flatMap((row) => byDigest.get(row.identity_digest.toString('hex')) ?? []));
    },
  });
}

/** The last write of its resource, and no retirement. */
const isCurrent = sql`
  written.state = 'written' and written.action in ('create', 'update') and not exists (
    select 1 from chart_writes as later
    where later.site = written.site and later.resource = written.resource and later.state = 'written'
      and later.encounter = written.encounter and later.session = written.session
      and later.revision > written.revision
  )`;

/** Sent, and not searched for yet: the resource may be in the chart. */
const isInDoubt = sql`written.state in ('sending', 'stored')`;

/** These types have no status for a withdrawn resource. */
const canBeRetired = sql`written.type not in ('Provenance', 'AuditEvent', 'Binary')`;

/** Those of a model: the one that was asked for, or one that answered. Each half has an index of its own. */
function revisionsOf(model: string | undefined) {
  if (model === undefined) return sql`chart_revisions`;
  return sql`(
    select * from chart_revisions where kind = 'documents' and model = ${model}
    union all
    select * from chart_revisions where kind = 'documents' and answered_by @> array[${model}]::text[]
  )`;
}

/** The statement holds only the given conditions, so that an index can serve it. */
export function findWrittenQuery({ scope, site, model, mapping, prompt, from, to }: WrittenQuery) {
  const conditions = [
    sql`revision.kind = 'documents'`,
    ...(scope === 'all' ? [] : [ofSites(scope, 'revision')]),
    ...(site === undefined ? [] : [sql`revision.site = ${site}`]),
    ...(mapping === undefined ? [] : [sql`revision.mapping = ${mapping}`]),
    ...(prompt === undefined ? [] : [sql`revision.prompt = ${prompt}`]),
    ...(from === undefined ? [] : [sql`revision.run_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`revision.run_at < ${to}`]),
  ];
  return sql<WritePlace>`
    select distinct revision.site, revision.encounter, revision.session
    from ${revisionsOf(model)} as revision
    where ${sql.join(conditions, sql` and `)} and exists (
      select 1 from chart_writes as written
      where written.site = revision.site and written.encounter = revision.encounter
        and written.session = revision.session and written.revision = revision.number
        and ${canBeRetired} and (${isInDoubt} or ${isCurrent})
    )
    order by 1, 2, 3`;
}

type DueRow = WriteRow & { readonly patient: string };

export function dueForCheckQuery(site: string, limit: number, sentBefore?: Date) {
  return sql<DueRow>`
    select written.*, revision.patient
    from chart_writes as written
    join chart_revisions as revision on revision.site = written.site and revision.encounter = written.encounter
      and revision.session = written.session and revision.number = written.revision
    where written.site = ${site} and ${isCurrent}
      ${sentBefore === undefined ? sql`` : sql`and (written.sent_at is null or written.sent_at <= ${sentBefore})`}
    order by written.checked_at nulls first, written.serial
    limit ${limit}`;
}

type FoundPlace = Pick<WritePlace, 'encounter' | 'session'>;

/** The sessions with an open finding about their encounter. Its identity is encrypted, and it is that of the session. */
async function foundPlaces({ database, sealing }: LedgerRoom, site: string): Promise<readonly FoundPlace[]> {
  const rows = await openFindingsQuery(database.db, [site]).where('kind', 'in', ['moved', 'encounter']).execute();
  return rows.map((row) => {
    const identity = openWhole(sealing, row.sealed_identity, findingContext(row));
    const end = identity.indexOf('/');
    return { encounter: identity.slice(0, end), session: identity.slice(end + 1) };
  });
}

type RiskyOrder = { readonly site: string; readonly limit: number; readonly found: readonly FoundPlace[] };

export function riskyForCheckQuery(
  { site, limit, found }: RiskyOrder,
  { sentAfter, sentBefore, checkedBefore }: CheckTimes,
) {
  return sql<DueRow>`
    with candidates as (
      select written.id, 0 as rank from chart_findings open
      join chart_writes written on written.site = open.site and written.identity_digest = open.identity_digest
      where open.site = ${site} and open.kind = 'foreign' and open.ended_at is null
      union all
      select written.id, 0 from unnest(
        ${found.map(({ encounter }) => encounter)}::text[], ${found.map(({ session }) => session)}::text[]
      ) as found (encounter, session)
      join chart_writes written on written.site = ${site} and written.encounter = found.encounter and written.session = found.session
      union all
      select written.id, coalesce((
        select 1 from chart_writes flag where flag.site = written.site and flag.encounter = written.encounter
          and flag.session = written.session and flag.type = 'Flag' and flag.state = 'written'
        limit 1
      ), 2)
      from chart_writes written
      where written.site = ${site} and written.sent_at > ${sentAfter} and written.state = 'written'
        and written.action in ('create', 'update')
    ),
    ranked as (select id, min(rank) as rank from candidates group by id)
    select written.*, revision.patient
    from ranked join chart_writes as written on written.id = ranked.id
    join chart_revisions as revision on revision.site = written.site and revision.encounter = written.encounter
      and revision.session = written.session and revision.number = written.revision
    where ${isCurrent} and (written.sent_at is null or written.sent_at <= ${sentBefore})
      and (written.checked_at is null or written.checked_at < ${checkedBefore})
    order by ranked.rank, written.checked_at nulls first, written.serial
    limit ${limit}`;
}

type ProgressRow = {
  readonly site: string;
  readonly written: number;
  readonly checked: number;
  readonly oldestAt: Date | null;
};

function checkProgressQuery(scope: SiteScope) {
  return sql<ProgressRow>`
    select written.site, count(*) as written, count(written.checked_at) as checked, min(written.checked_at) as "oldestAt"
    from chart_writes as written where ${isCurrent} and ${ofSites(scope, 'written')} group by 1`;
}

/** A refused or unsent write is not expected in the chart. */
export function knownIdentitiesQuery(db: Kysely<Schema>, site: string, digests: readonly Buffer[]) {
  return db
    .selectFrom('chart_writes')
    .select('identity_digest')
    .distinct()
    .where('site', '=', site)
    .where('identity_digest', '=', sql<Buffer>`any(${[...digests]}::bytea[])`)
    .where('state', 'not in', ['refused', 'dropped']);
}

/** The first EHR that a site writes to is its EHR for good, so it is read once. A slash at the end makes no difference. */
function makeBindEhr({ db }: Database): Lookups['bindEhr'] {
  const known = new Map<string, string>();
  const boundTo = async (site: string) => {
    const { rows } = await sql<{ base_url: string }>`select base_url from ehr_bindings where site = ${site}`.execute(
      db,
    );
    return rows[0]?.base_url;
  };
  const bind = async (site: string, url: string) => {
    await sql`insert into ehr_bindings (site, base_url) values (${site}, ${url}) on conflict (site) do nothing`.execute(
      db,
    );
    return boundTo(site);
  };
  return async (site, baseUrl) => {
    const url = baseUrl.replace(/\/+$/, '');
    if (known.get(site) === url) return;
    const bound = (await boundTo(site)) ?? (await bind(site, url));
    if (bound !== url) throw new AppError('conflict', 'This site wrote to another EHR before');
    known.set(site, url);
  };
}
