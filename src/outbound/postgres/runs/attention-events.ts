// Outcome events of which no person has a notice yet, in PostgreSQL.
import { sql } from 'kysely';
import type { Attention, AttentionEvents } from '../../../ports/attention.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

export function makePostgresAttentionEvents({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): AttentionEvents {
  return guardedMethods<AttentionEvents>({
    async unnoticed({ limit, withinMs }) {
      const { rows } = await unnoticedQuery(limit, withinMs).execute(db);
      return rows;
    },
    async markNoticed(ids) {
      await sql`
        update outbox set noticed_at = clock_timestamp()
        where id = any(${[...ids]}::uuid[]) and noticed_at is null`.execute(db);
    },
  });
}

export function unnoticedQuery(limit: number, withinMs: number) {
  return sql<Attention>`
    select id, site, event->>'runId' as run, event->>'because' as because from outbox
    where kind = 'attention' and noticed_at is null
      and created_at > (select clock_timestamp() - make_interval(secs => ${withinMs / 1000}))
    order by created_at limit ${limit}`;
}
