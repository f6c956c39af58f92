// What a write test would have learned of the EHRs of a test: their transactions are all or nothing.
import { openDatabase } from '../../src/outbound/postgres/database.ts';
import { makePostgresEhrKnowledge } from '../../src/outbound/postgres/sites/ehr-knowledge.ts';
import { PROVEN } from './chart-writing.ts';

export const SANDBOX_SOFTWARE = 'Chartwright Sandbox 1';

export async function learnProven(connectionString: string, sites: readonly string[]): Promise<void> {
  const database = await openDatabase({ connectionString, maxConnections: 1, onError: () => undefined });
  try {
    const knowledge = makePostgresEhrKnowledge({ database });
    for (const site of sites) await knowledge.learn(site, SANDBOX_SOFTWARE, PROVEN);
  } finally {
    await database.close();
  }
}
