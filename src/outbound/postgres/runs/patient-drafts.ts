// The drafts of one patient that wait, in PostgreSQL.
import { type RawBuilder, sql } from 'kysely';
import type { DraftFacts } from '../../../domain/run/draft-facts.ts';
import type { PatientDraftQuery, PatientDrafts } from '../../../ports/patient-drafts.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { IS_FOLLOWED } from './drafts.ts';

type Row = {
  readonly id: string;
  readonly encounter: string;
  readonly status: string;
  readonly draft: DraftFacts | null;
};

export function makePostgresPatientDrafts({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): PatientDrafts {
  return guardedMethods<PatientDrafts>({
    async list(query) {
      const { rows } = await patientDraftsQuery(query).execute(db);
      return rows.map(({ id: run, encounter, status, draft }) => ({
        run,
        encounter,
        isInChart: status === 'written',
        ...(draft !== null && { facts: draft }),
      }));
    },
  });
}

/** The conditions repeat those of the index, which has the drafts of a patient in this order. */
export function patientDraftsQuery(query: PatientDraftQuery): RawBuilder<Row> {
  const { site, patient, encounter, reasons, withWritten, limit } = query;
  return sql<Row>`
    select run.id, run.encounter, run.status, run.draft from runs run
    where run.site = ${site} and run.patient = ${patient} ${encounter === undefined ? sql`` : sql`and run.encounter = ${encounter}`}
      and run.status in ('held', 'written') and (run.status = 'held' or run.review is null) and not run.is_dry and run.revision > 0
      and (run.status = 'held' and run.reason = any(${[...reasons]}::text[]) or run.status = 'written' and ${withWritten})
      and (run.review is null or (run.review->>'revision')::int is distinct from run.revision)
      and not ${IS_FOLLOWED}
    order by run.draft_order, run.serial limit ${limit}`;
}
