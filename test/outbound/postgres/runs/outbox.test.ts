// Tests the outbox on a real PostgreSQL: its promises, and its behaviour while another engine locks rows.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import type { OutcomeEvent, OutcomeKind } from '../../../../src/domain/run/outcome-event.ts';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresOutbox } from '../../../../src/outbound/postgres/runs/outbox.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { anOutcome, outboxContract } from '../../../contracts/outbox-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

let test: TestDatabase;
let otherDatabase: Database;

beforeAll(async () => {
  test = await makeTestDatabase();
  otherDatabase = await openDatabase({ ...test, maxConnections: 5, onError: () => undefined });
});
beforeEach(async () => {
  await sql`truncate outbox`.execute(test.database.db);
});
afterAll(async () => {
  await otherDatabase.close();
  await test.drop();
});

async function put(kind: OutcomeKind, event: OutcomeEvent): Promise<void> {
  await sql`insert into outbox (kind, site, event) values (${kind}, ${event.site}, ${JSON.stringify(event)}::jsonb)`.execute(
    test.database.db,
  );
}

outboxContract('PostgreSQL', async () => ({
  outbox: makePostgresOutbox(test),
  other: makePostgresOutbox({ database: otherDatabase }),
  put,
  passMs: async (ms) => {
    const past = sql`make_interval(secs => ${ms / 1000})`;
    await sql`update outbox set leased_until = leased_until - ${past}`.execute(test.database.db);
  },
}));

describe('A row that another connection has locked', () => {
  it('is skipped without a wait', async () => {
    for (const runId of ['run-1', 'run-2', 'run-3']) await put('documented', anOutcome({ runId }));
    const client = new pg.Client({ connectionString: test.connectionString });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from outbox where position = (select min(position) from outbox) for update');
      const taken = await makePostgresOutbox(test).take({ limit: 2, leaseMs: 1000 });
      expect(taken.map(({ event }) => event.runId)).toEqual(['run-2', 'run-3']);
    } finally {
      await client.end();
    }
  });
});

describe('A transaction that is not committed', () => {
  it('shows its outcome only after the commit', async () => {
    const outbox = makePostgresOutbox(test);
    const client = new pg.Client({ connectionString: test.connectionString });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`insert into outbox (kind, site, event) values ('held', 'mercy', $1)`, [anOutcome()]);
      await put('documented', anOutcome({ runId: 'run-2' }));
      const early = await outbox.take({ limit: 5, leaseMs: 60_000 });
      expect(early.map(({ event }) => event.runId)).toEqual(['run-2']);
      await client.query('commit');
      expect((await outbox.take({ limit: 5, leaseMs: 60_000 })).map(({ kind }) => kind)).toEqual(['held']);
    } finally {
      await client.end();
    }
  });
});

describe('Rows in another physical order', () => {
  it('are returned in the order in which they were stored', async () => {
    const url = new URL(test.connectionString);
    // This makes a join return the rows in their physical order.
    url.searchParams.set('options', '-c enable_nestloop=off -c enable_mergejoin=off');
    const database = await openDatabase({ connectionString: url.href, maxConnections: 1, onError: () => undefined });
    try {
      for (let number = 1; number <= 100; number += 1) await put('documented', anOutcome({ runId: `run-${number}` }));
      await sql`update outbox set site = site where position = (select min(position) from outbox)`.execute(database.db);
      const taken = await makePostgresOutbox({ database }).take({ limit: 3, leaseMs: 1000 });
      expect(taken.map(({ event }) => event.runId)).toEqual(['run-1', 'run-2', 'run-3']);
    } finally {
      await database.close();
    }
  });
});

describe('Finished outcomes', () => {
  it('are deleted after their time, and waiting ones are not', async () => {
    const outbox = makePostgresOutbox(test);
    for (const runId of ['run-1', 'run-2']) await put('documented', anOutcome({ runId }));
    const [first] = await outbox.take({ limit: 1, leaseMs: 0 });
    await outbox.markEnded([first?.id ?? ''], 'sent');
    const later = () => new Date(Date.now() + 10_000);
    const runs = makePostgresRuns({ database: test.database, secrets: fixedSecrets(0), now: later });
    const keep = {
      audioMs: 3_600_000,
      resultsMs: 3_600_000,
      heldMs: 3_600_000,
      quarantineMs: 3_600_000,
      keysMs: 3_600_000,
    };
    expect(await runs.purge(keep)).toMatchObject({ outcomes: 0 });
    expect(await runs.purge({ ...keep, keysMs: 1_000 })).toMatchObject({ outcomes: 1 });
    const left = await outbox.take({ limit: 5, leaseMs: 1_000 });
    expect(left.map(({ event }) => event.runId)).toEqual(['run-2']);
  });
});
