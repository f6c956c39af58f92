// Messages to people outside of the engine, in PostgreSQL: a notice that is due is claimed by one engine for a time.
import { sql } from 'kysely';
import type { Notice, NoticeChannel, NoticeKind, Notices } from '../../../ports/notices.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { withoutNulls } from '../without-nulls.ts';

type NoticeRow = {
  id: string;
  kind: NoticeKind;
  channel: NoticeChannel['kind'];
  recipient: string;
  site: string;
  run: string | null;
  details: Notice['details'];
  createdAt: Date;
  tries: number;
};

export function makePostgresNotices({ database: { db } }: { readonly database: Pick<Database, 'db'> }): Notices {
  return guardedMethods<Notices>({
    async add({ id, kind, channel, site, run, details }) {
      await sql`
        insert into notices (id, kind, channel, recipient, site, run_id, details, due_at)
        values (${id}, ${kind}, ${channel.kind}, ${channel.to}, ${site}, ${run ?? null}, ${JSON.stringify(details)}, now())
        on conflict (id) do nothing`.execute(db);
    },

    async claim(limit, leaseMs) {
      const { rows } = await sql<NoticeRow>`
        with due as (
          select id, due_at from notices where due_at <= now() order by due_at limit ${limit} for update skip locked
        ), claimed as (
          update notices n set tries = tries + 1, due_at = now() + make_interval(secs => ${leaseMs / 1000})
          from due where n.id = due.id
          returning n.id, kind, channel, recipient, site, run_id as run, details, created_at as "createdAt", tries
        )
        select claimed.* from claimed join due using (id) order by due.due_at, claimed."createdAt"`.execute(db);
      return rows.map(asNotice);
    },

    async sent(id) {
      await sql`update notices set due_at = null, sent_at = now() where id = ${id} and due_at is not null`.execute(db);
    },

    async failed(id, retryAt) {
      await sql`
        update notices set due_at = ${retryAt ?? null}::timestamptz,
          given_up_at = case when ${retryAt ?? null}::timestamptz is null then now() end
        where id = ${id} and due_at is not null`.execute(db);
    },

    async sweep(keepMs) {
      await sql`
        delete from notices
        where due_at is null and coalesce(sent_at, given_up_at) < now() - make_interval(secs => ${keepMs / 1000})`.execute(
        db,
      );
    },
  });
}

function asNotice({ channel: kind, recipient: to, ...row }: NoticeRow): Notice {
  return { ...withoutNulls(row), channel: { kind, to } };
}
