// The AuditEvents that wait for an EHR, in PostgreSQL: one that is due is claimed by one engine for a time.
import { sql } from 'kysely';
import type { AuditEvents, WaitingAuditEvent } from '../../../ports/audit-events.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

export function makePostgresAuditEvents({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): AuditEvents {
  return guardedMethods<AuditEvents>({
    async add({ id, site, body }) {
      await sql`insert into audit_events (id, site, body) values (${id}, ${site}, ${body}::jsonb)`.execute(db);
    },

    async claim(limit, leaseMs) {
      const { rows } = await sql<WaitingAuditEvent>`
        with due as (
          select id, due_at from audit_events where due_at <= now() order by due_at limit ${limit} for update skip locked
        ), claimed as (
          update audit_events e set tries = tries + 1, due_at = now() + make_interval(secs => ${leaseMs / 1000})
          from due where e.id = due.id
          returning e.id, site, body::text as body, created_at as "createdAt", tries
        )
        select claimed.* from claimed join due using (id) order by due.due_at, claimed."createdAt"`.execute(db);
      return rows;
    },

    async sent(id) {
      await sql`update audit_events set due_at = null, sent_at = now() where id = ${id} and due_at is not null`.execute(
        db,
      );
    },

    async failed(id, retryAt) {
      const at = retryAt ?? null;
      await sql`
        update audit_events set due_at = ${at}::timestamptz,
          given_up_at = case when ${at}::timestamptz is null then now() end
        where id = ${id} and due_at is not null`.execute(db);
    },

    async sweep(keepMs) {
      await sql`
        delete from audit_events
        where due_at is null and coalesce(sent_at, given_up_at) < now() - make_interval(secs => ${keepMs / 1000})`.execute(
        db,
      );
    },
  });
}
