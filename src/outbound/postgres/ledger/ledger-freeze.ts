// Freezes a revision by one statement, if no earlier one is open: the revision and all of its writes, or nothing.
import { sql } from 'kysely';
import type { WritePlace } from '../../../domain/chart/chart-write.ts';
import type { Lease } from '../../../ports/ledger.ts';
import { heldLease } from './ledger-leases.ts';
import type { NewRevisionRow, NewWriteRow } from './ledger-rows.ts';

/** Always one row, with 0 if there is no revision. */
export function lastRevisionQuery({ site, encounter, session }: WritePlace) {
  return sql<{ number: number; goes_on: boolean }>`
    select coalesce(max(number), 0) as number, coalesce(bool_or(state in ('open', 'parked')), false) as goes_on
    from chart_revisions where site = ${site} and encounter = ${encounter} and session = ${session}`;
}

/** No row: another process was faster, a revision is open, or the lease is lost; nothing was changed. */
export function freezeQuery(lease: Lease, row: NewRevisionRow, writes: readonly NewWriteRow[]) {
  const { site, encounter, session, number } = row;
  return sql`
    with ${heldLease(lease)},
    revision as (
      insert into chart_revisions (site, encounter, session, number, kind, patient, run_id, run_time, run_at, engine, mapping,
        prompt, model, answered_by, speech)
      select ${site}, ${encounter}, ${session}, ${number}::integer, ${row.kind}, ${row.patient}, ${row.run_id}, ${row.run_time},
        ${row.run_at}::timestamptz, ${row.engine}, ${row.mapping}, ${row.prompt}, ${row.model},
        ${row.answered_by}::text[], ${row.speech}
      from held
      where not exists (
        select 1 from chart_revisions
        where site = ${site} and encounter = ${encounter} and session = ${session}
          and (number >= ${number} or state in ('open', 'parked'))
      )
      returning site, encounter, session, number
    )
    insert into chart_writes (site, encounter, session, revision, id, position, document, action, type, identity_digest, names,
      body, sha256, target, if_match)
    select revision.*, write.* from revision cross join (values ${sql.join(writes.map(writeValues))}) as write
    returning 1`;
}

function writeValues(row: NewWriteRow) {
  return sql`(${row.id}, ${row.position}::integer, ${row.document}, ${row.action}, ${row.type},
    ${row.identity_digest}::bytea, ${row.names}::bytea, ${row.body}::bytea, ${row.sha256}, ${row.target}::text, ${row.if_match}::text)`;
}
