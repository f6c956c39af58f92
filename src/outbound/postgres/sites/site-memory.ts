// Deletes everything stored for a site with synthetic charts. The audit trail stays.
import { sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

export type SiteMemory = {
  /** Deletes its runs, events, documents and facts, not its feeds. Throws `conflict` while a run is at work. Returns the number of runs. */
  readonly forget: (site: string) => Promise<number>;
  /** Called if its EHR has moved to another address. */
  readonly rebind: (site: string, baseUrl: string) => Promise<void>;
};

/** Dependent rows of runs and of the inbox are deleted with them. */
const TABLES = [
  'inbox',
  'outbox',
  'recordings',
  'chart_writes',
  'chart_revisions',
  'chart_findings',
  'ehr_bindings',
  'ehr_facts',
  'pauses',
  'cds_feedback',
] as const;

export function makePostgresSiteMemory({ database: { db } }: { readonly database: Database }): SiteMemory {
  return guardedMethods({
    forget: (site) =>
      db.transaction().execute(async (trx) => {
        // The runs are locked, so that none of them begins meanwhile.
        const { rows } = await sql<{ status: string }>`
            select status from runs where site = ${site} for update`.execute(trx);
        const underWay = rows.filter(({ status }) => status === 'running').length;
        if (underWay > 0) throw new AppError('conflict', underWayWords(underWay));
        await sql`delete from runs where site = ${site}`.execute(trx);
        for (const table of TABLES) {
          await sql`delete from ${sql.table(table)} where site = ${site}`.execute(trx);
        }
        return rows.length;
      }),
    async rebind(site, baseUrl) {
      const url = baseUrl.replace(/\/+$/, '');
      await sql`update ehr_bindings set base_url = ${url} where site = ${site}`.execute(db);
    },
  });
}

function underWayWords(count: number): string {
  return `${count === 1 ? 'A run is' : `${count} runs are`} under way: wait until nothing is (npm run cli -- runs list)`;
}
