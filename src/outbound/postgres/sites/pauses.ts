// Pauses of sites, in PostgreSQL: one row for each, so that all engines see the same.

import { sql } from 'kysely';
import type { Pauses } from '../../../ports/feeds.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

export function makePostgresPauses({ database: { db } }: { readonly database: Database }): Pauses {
  return guardedMethods({
    current: () =>
      db
        .selectFrom('pauses')
        .select(['site', 'what', 'reason', 'since'])
        .orderBy(sql`site collate "C"`)
        .orderBy(sql`what collate "C"`)
        .execute(),
    async pause(site, what, reason) {
      // A repeated pause replaces the reason and keeps the time.
      await db
        .insertInto('pauses')
        .values({ site, what, reason, since: sql<Date>`clock_timestamp()` })
        .onConflict((conflict) =>
          conflict.columns(['site', 'what']).doUpdateSet({ reason: sql<string>`excluded.reason` }),
        )
        .execute();
    },
    async resume(site, what) {
      let ended = db.deleteFrom('pauses').where('site', '=', site);
      if (what !== 'all') ended = ended.where('what', '=', what);
      return (await ended.executeTakeFirst()).numDeletedRows > 0n;
    },
  });
}
