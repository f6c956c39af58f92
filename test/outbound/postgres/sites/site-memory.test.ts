// A site is deleted as a whole, without any other site.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresLedger } from '../../../../src/outbound/postgres/ledger/ledger.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makePostgresFeeds } from '../../../../src/outbound/postgres/sites/feeds.ts';
import { makePostgresSiteMemory } from '../../../../src/outbound/postgres/sites/site-memory.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

describe('Forgetting a site', () => {
  let test: TestDatabase;
  const secrets = fixedSecrets(0);
  const parts = () => ({ ...test, secrets });

  beforeAll(async () => {
    test = await makeTestDatabase();
  });
  afterAll(() => test?.drop());

  async function begin(site: string): Promise<void> {
    await makePostgresInbox(parts()).accept({
      site,
      organization: 'a',
      source: 'amqp',
      key: 'first',
      content: 'first',
      receivedAt: new Date(),
      encounters: [{ encounter: 'Encounter/1', isUrgent: false }],
      settleMs: 0,
    });
    await makePostgresLedger(parts()).bindEhr(site, 'http://127.0.0.1:1/fhir');
    await makePostgresFeeds(parts()).note(site, 'push', { lastEventAt: new Date() });
  }

  /** Counts the rows that name the site, by table. */
  async function rowsOf(site: string): Promise<Readonly<Record<string, number>>> {
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns
      where table_schema = current_schema() and column_name = 'site' and table_name not like 'audit%'`.execute(
      test.database.db,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from ${sql.table(name)} where site = ${site}`.execute(test.database.db);
      if ((rows[0]?.count ?? 0) > 0) counts[name] = rows[0]?.count ?? 0;
    }
    return counts;
  }

  it('deletes all of its rows except the audit trail and its feeds, and no rows of other sites', async () => {
    await begin('sandbox');
    await begin('mercy');
    const others = await rowsOf('mercy');
    expect(Object.keys(others).sort()).toEqual(['ehr_bindings', 'feeds', 'inbox', 'runs']);
    expect(await makePostgresSiteMemory(test).forget('sandbox')).toBe(1);
    expect(await rowsOf('sandbox')).toEqual({ feeds: others['feeds'] });
    expect(await rowsOf('mercy')).toEqual(others);
    await begin('sandbox');
    expect(await rowsOf('sandbox')).toEqual(others);
  });

  it('is refused while a worker processes a run of the site', async () => {
    const [claim] = await makePostgresQueue(parts()).claim({
      holder: 'testbed-1/start-1',
      limit: 1,
      leaseMs: 60_000,
      sites: ['sandbox'],
      intakeSites: ['sandbox'],
    });
    expect(claim?.run.site).toBe('sandbox');
    await expect(makePostgresSiteMemory(test).forget('sandbox')).rejects.toMatchObject({ code: 'conflict' });
    expect(await makePostgresRuns(parts()).find(claim?.run.id ?? '', 'all')).toBeDefined();
  });

  it('the EHR of a site can move to another address', async () => {
    const ledger = makePostgresLedger(parts());
    await expect(ledger.bindEhr('mercy', 'http://127.0.0.1:2/fhir')).rejects.toMatchObject({ code: 'conflict' });
    await makePostgresSiteMemory(test).rebind('mercy', 'http://127.0.0.1:2/fhir/');
    await makePostgresLedger(parts()).bindEhr('mercy', 'http://127.0.0.1:2/fhir');
    await makePostgresSiteMemory(test).rebind('nobody', 'http://127.0.0.1:2/fhir');
    await makePostgresLedger(parts()).bindEhr('nobody', 'http://127.0.0.1:3/fhir');
  });
});
