// Messages to people outside of the engine, in PostgreSQL.
import { sql } from 'kysely';
import type { Notice, NoticeChannel, NoticeKind, Notices } from '../../../ports/notices.ts';
import type { Database } from '../database.ts';
import { makeDueRows } from '../due-rows.ts';
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

const COLUMNS = sql`w.kind, w.channel, w.recipient, w.site, w.run_id as run, w.details`;

export function makePostgresNotices({ database }: { readonly database: Pick<Database, 'db'> }): Notices {
  const due = makeDueRows<NoticeRow>(database, { table: 'notices', columns: COLUMNS });
  return guardedMethods<Notices>({
    ...due,
    async add({ id, kind, channel, site, run, details }) {
      await sql`
        insert into notices (id, kind, channel, recipient, site, run_id, details, due_at)
        values (${id}, ${kind}, ${channel.kind}, ${channel.to}, ${site}, ${run ?? null}, ${JSON.stringify(details)}, now())
        on conflict (id) do nothing`.execute(database.db);
    },
    claim: async (limit, leaseMs) => (await due.claim(limit, leaseMs)).map(asNotice),
  });
}

function asNotice({ channel: kind, recipient: to, ...row }: NoticeRow): Notice {
  return { ...withoutNulls(row), channel: { kind, to } };
}
