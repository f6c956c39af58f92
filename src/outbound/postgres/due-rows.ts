// Rows that wait for a server elsewhere: one that is due is claimed by one engine for a time, and is sent, tried again later, or given up.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

type DueTable = 'notices' | 'audit_events';

/** `columns` are those of the row `w`. The longest due first. */
export function makeDueRows<Row>(
  { db }: Pick<Database, 'db'>,
  { table: name, columns }: { readonly table: DueTable; readonly columns: RawBuilder<unknown> },
) {
  const table = sql.table(name);
  return {
    async claim(limit: number, leaseMs: number): Promise<readonly Row[]> {
      const { rows } = await sql<Row>`
        with due as (
          select id, due_at from ${table} where due_at <= now() order by due_at limit ${limit} for update skip locked
        ), claimed as (
          update ${table} w set tries = tries + 1, due_at = now() + make_interval(secs => ${leaseMs / 1000})
          from due where w.id = due.id
          returning w.id, ${columns}, w.created_at as "createdAt", w.tries
        )
        select claimed.* from claimed join due using (id) order by due.due_at, claimed."createdAt"`.execute(db);
      return rows;
    },

    async sent(id: string): Promise<void> {
      await sql`update ${table} set due_at = null, sent_at = now() where id = ${id} and due_at is not null`.execute(db);
    },

    async failed(id: string, retryAt?: Date): Promise<void> {
      const at = retryAt ?? null;
      await sql`
        update ${table} set due_at = ${at}::timestamptz,
          given_up_at = case when ${at}::timestamptz is null then now() end
        where id = ${id} and due_at is not null`.execute(db);
    },

    async sweep(keepMs: number): Promise<void> {
      await sql`
        delete from ${table}
        where due_at is null and coalesce(sent_at, given_up_at) < now() - make_interval(secs => ${keepMs / 1000})`.execute(
        db,
      );
    },
  };
}
