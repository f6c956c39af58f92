// The released encounters, in PostgreSQL. An empty session means the encounter as a whole.
import { sql } from 'kysely';
import type { Releases } from '../../../ports/releases.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

export function makePostgresReleases({ database: { db } }: { readonly database: Database }): Releases {
  return guardedMethods({
    async add({ site, encounter, patient, session = '' }) {
      await db
        .insertInto('releases')
        .values({ site, encounter, patient, session, released_at: sql<Date>`clock_timestamp()` })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async has({ site, encounter, patient, session = '' }) {
      const rows = await db
        .selectFrom('releases')
        .select('site')
        .where((is) => is.and({ site, encounter, patient }))
        .where('session', 'in', ['', session])
        .execute();
      return rows.length > 0;
    },
  });
}
