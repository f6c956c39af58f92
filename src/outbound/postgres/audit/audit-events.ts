// The AuditEvents that wait for an EHR, in PostgreSQL.
import { sql } from 'kysely';
import type { AuditEvents, WaitingAuditEvent } from '../../../ports/audit-events.ts';
import type { Database } from '../database.ts';
import { makeDueRows } from '../due-rows.ts';
import { guardedMethods } from '../errors.ts';

const COLUMNS = sql`w.site, w.body::text as body`;

export function makePostgresAuditEvents({ database }: { readonly database: Pick<Database, 'db'> }): AuditEvents {
  const due = makeDueRows<WaitingAuditEvent>(database, { table: 'audit_events', columns: COLUMNS });
  return guardedMethods<AuditEvents>({
    ...due,
    async add({ id, site, body }) {
      await sql`insert into audit_events (id, site, body) values (${id}, ${site}, ${body}::jsonb)`.execute(database.db);
    },
  });
}
