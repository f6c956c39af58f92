// What only a real database shows of the ledger: encrypted bodies, races that indices and locks decide, and a freeze that is interrupted.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresLedger } from '../../../../src/outbound/postgres/ledger/ledger.ts';
import { makePostgresEhrKnowledge } from '../../../../src/outbound/postgres/sites/ehr-knowledge.ts';
import type { Ledger } from '../../../../src/ports/ledger.ts';
import { aPlace, aRevision, aWrite, firstWrite, SITE, taken, written } from '../../../contracts/ledger-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { until } from '../../../support/until.ts';

const secrets = fixedSecrets(7);
/** A lease that ends during a wait, but not before the wait begins. */
const SHORT_MS = 4000;

let test: TestDatabase;
let otherDatabase: Database;
let ledger: Ledger;
let other: Ledger;
let clients: pg.Client[] = [];

beforeAll(async () => {
  test = await makeTestDatabase();
  otherDatabase = await openDatabase({ ...test, maxConnections: 3, onError: () => undefined });
  ledger = makePostgresLedger({ ...test, secrets });
  other = makePostgresLedger({ database: otherDatabase, secrets });
});
beforeEach(async () => {
  await run('truncate write_leases, chart_revisions, chart_writes, ehr_facts, chart_findings cascade');
});
afterEach(async () => {
  for (const client of clients) await client.end();
  clients = [];
});
afterAll(async () => {
  await otherDatabase.close();
  await test.drop();
});

function run<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values: unknown[] = []) {
  return test.database.pool.query<Row>(text, values);
}

/** Opens another connection, in a transaction. */
async function anotherConnection(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: test.connectionString });
  await client.connect();
  clients.push(client);
  await client.query('begin');
  return client;
}

/** Counts the connections of this database that wait for a lock. */
async function waitingCount(): Promise<number> {
  const { rows } = await run<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

async function oneFrozen() {
  const place = aPlace();
  const lease = await taken(ledger);
  const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
  return { place, lease, id };
}

async function untilEnded(name: string): Promise<void> {
  await until(async () => {
    const { rows } = await run('select 1 from write_leases where name = $1 and expires_at <= clock_timestamp()', [
      name,
    ]);
    return rows.length === 1;
  });
}

describe('A stored write', () => {
  it('cannot be read in the database', async () => {
    const place = aPlace();
    const body = JSON.stringify({ resourceType: 'Condition', note: [{ text: 'canary-in-the-chart' }] });
    await ledger.freeze(await taken(ledger), place, aRevision([aWrite(place, { body })]));
    const { rows } = await run<{ row: string; body: Buffer }>(
      'select body, chart_writes::text as row from chart_writes',
    );
    expect(rows).toHaveLength(1);
    for (const row of rows) {
      expect(row.row).not.toContain('canary');
      expect(row.body.includes('canary')).toBe(false);
    }
  });

  const damages = {
    'a flipped bit': 'update chart_writes set body = set_bit(body, 200, 1 - get_bit(body, 200)) where position = 0',
    'a body cut short': 'update chart_writes set body = substr(body, 1, length(body) - 1) where position = 0',
    'no body': `update chart_writes set body = '' where position = 0`,
    'another hash': `update chart_writes set sha256 = repeat('0', 64) where position = 0`,
    'the body of another write of its revision': `update chart_writes one set body = two.body, sha256 = two.sha256
      from chart_writes two where one.position = 0 and two.position = 1 and one.revision = two.revision`,
    'the body of an earlier revision': `update chart_writes one set body = two.body, sha256 = two.sha256
      from chart_writes two where one.revision = 2 and two.revision = 1 and two.position = 0`,
  };

  it.each(Object.entries(damages))('is refused and never returned with %s', async (_, damage) => {
    const place = aPlace();
    const lease = await taken(ledger);
    await written(ledger, place, aRevision([aWrite(place), aWrite(place, { suffix: '/2' })]), lease);
    await written(ledger, place, aRevision([aWrite(place, { suffix: '/3' })]), lease);
    await run(damage);
    await expect(ledger.read(place)).rejects.toMatchObject({ code: 'internal' });
    await expect(ledger.dueForCheck(SITE, 10)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is refused after it was moved to another session', async () => {
    const place = aPlace();
    await ledger.freeze(await taken(ledger), place, aRevision([aWrite(place)]));
    const thief = aPlace();
    await run('alter table chart_writes disable trigger all');
    await run(`update chart_writes set encounter = $1, session = $2`, [thief.encounter, thief.session]);
    await run(`update chart_revisions set encounter = $1, session = $2`, [thief.encounter, thief.session]);
    await run('alter table chart_writes enable trigger all');
    await expect(ledger.read(thief)).rejects.toMatchObject({ code: 'internal' });
  });

  it('is refused by an engine with another master key', async () => {
    const place = aPlace();
    await ledger.freeze(await taken(ledger), place, aRevision([aWrite(place)]));
    const stranger = makePostgresLedger({ ...test, secrets: fixedSecrets(8) });
    await expect(stranger.read(place)).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('A freeze of writes', () => {
  it('leaves nothing if it is killed, and can be repeated', async () => {
    const place = aPlace();
    const lease = await taken(ledger);
    await ledger.freeze(lease, place, aRevision([aWrite(place)]));
    const blocker = await anotherConnection();
    await blocker.query('lock table chart_writes in share row exclusive mode');
    const revision = aRevision([aWrite(place, { suffix: '/2' })]);
    const freezing = expect(ledger.freeze(lease, place, revision)).rejects.toMatchObject({ code: 'overloaded' });
    await until(async () => (await waitingCount()) === 1);
    await blocker.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await freezing;
    await blocker.query('commit');
    // The other connection is used, because the killed one may not know it yet.
    const [kept, ...rest] = await other.read(place);
    expect(rest).toEqual([]);
    expect(kept).toMatchObject({ state: 'open', writes: [{ state: 'frozen' }] });
    expect((await other.freeze(lease, place, revision)).number).toBe(2);
  });

  it('of the same document by two lease holders happens once', async () => {
    const places = [aPlace(), aPlace(), aPlace(), aPlace()];
    const write = aWrite(aPlace());
    const freezing = places.map(async (place, index) => {
      const engine = index % 2 ? ledger : other;
      return engine.freeze(await taken(engine, `${SITE}/Patient/${index}`), place, aRevision([write]));
    });
    const results = await Promise.allSettled(freezing);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason)).toMatchObject(Array(3).fill({ code: 'conflict' }));
  });

  it('of one session by two lease holders makes two revisions of which one is open, or is refused', async () => {
    const place = aPlace();
    const freezing = [0, 1, 2, 3].map(async (index) => {
      const engine = index % 2 ? ledger : other;
      const lease = await taken(engine, `${SITE}/Patient/${index}`);
      return engine.freeze(lease, place, aRevision([aWrite(place, { suffix: `/${index}` })]));
    });
    const results = await Promise.allSettled(freezing);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    const revisions = await ledger.read(place);
    expect(revisions.map(({ number }) => number)).toEqual(revisions.map((_, index) => index + 1));
    expect(revisions.filter(({ state }) => state === 'open')).toHaveLength(1);
  });
});

describe('The constraints of the ledger', () => {
  it.each([
    ['a second open revision of a session', `update chart_revisions set state = 'open'`, 'chart_revisions_one_open'],
    [
      'a second document of one identity',
      `update chart_writes set identity_digest = '' where position = 0`,
      'chart_writes_one_create',
    ],
    [
      'the same step twice in one revision',
      `update chart_writes set action = 'update', target = 'Flag/1', identity_digest = ''`,
      'chart_writes_one_action',
    ],
    [
      'a write that is being sent without its hash',
      `update chart_writes set state = 'sending', sent_sha256 = null`,
      'check',
    ],
    ['a written document without a reference', 'update chart_writes set reference = null', 'check'],
    ['a change without a target', `update chart_writes set action = 'retire'`, 'check'],
    ['a write without a revision', 'update chart_writes set revision = 9 where revision = 2', 'fkey'],
    ['a fence that is reset', 'update write_leases set fence = 0', 'check'],
  ])('refuse %s', async (_, statement, constraint) => {
    const place = aPlace();
    const lease = await taken(ledger);
    await written(ledger, place, aRevision([aWrite(place), aWrite(place, { suffix: '/2' })]), lease);
    await written(ledger, place, aRevision([aWrite(place, { suffix: '/3' })]), lease);
    await expect(run(statement)).rejects.toThrow(new RegExp(`constraint "\\w*${constraint}`));
  });
});

describe.each([{ state: 'refused' }, { state: 'written', reference: 'Condition/1' }] as const)(
  'The lease for recording that a write is $state',
  (result) => {
    it('is checked when it is used, and not when its transaction began', async () => {
      const { place, lease, id } = await oneFrozen();
      const blocker = await anotherConnection();
      await ledger.renew(lease, SHORT_MS);
      await blocker.query('select 1 from write_leases for update');
      const settling = expect(ledger.recordResults(lease, [{ id, ...result }])).rejects.toMatchObject({
        code: 'inUse',
      });
      await until(async () => (await waitingCount()) === 1);
      await untilEnded(lease.name);
      await blocker.query('commit');
      await settling;
      expect(firstWrite((await ledger.read(place))[0] ?? aKeptRevision()).state).toBe('frozen');
    });

    it('is not given to the next holder during a change of the last one', async () => {
      const { place, lease, id } = await oneFrozen();
      const blocker = await anotherConnection();
      await blocker.query('select 1 from chart_writes for update');
      await ledger.renew(lease, SHORT_MS);
      const settling = ledger.recordResults(lease, [{ id, ...result }]);
      await until(async () => (await waitingCount()) === 1);
      await untilEnded(lease.name);
      const taking = other.acquire(lease.name, 'two', 60_000);
      // The lease has ended, and the next holder still waits.
      await until(async () => (await waitingCount()) === 2);
      const { rows } = await run<{ fence: number }>('select fence from write_leases where name = $1', [lease.name]);
      expect(rows).toEqual([{ fence: lease.fence }]);
      await blocker.query('commit');
      await settling;
      expect(await taking).toMatchObject({ fence: lease.fence + 1 });
      expect(firstWrite((await ledger.read(place))[0] ?? aKeptRevision()).state).toBe(result.state);
    });
  },
);

describe('The lease for writing', () => {
  it('does not allow a freeze if it ended while the freeze waited', async () => {
    const place = aPlace();
    const lease = await taken(ledger);
    await ledger.renew(lease, SHORT_MS);
    const blocker = await anotherConnection();
    await blocker.query('select 1 from write_leases for update');
    const freezing = expect(ledger.freeze(lease, place, aRevision([aWrite(place)]))).rejects.toMatchObject({
      code: 'inUse',
    });
    await until(async () => (await waitingCount()) === 1);
    await untilEnded(lease.name);
    await blocker.query('commit');
    await freezing;
    expect(await ledger.read(place)).toEqual([]);
  });

  it('makes a second revision wait for a write that is being sent, and then refuses it', async () => {
    const { place, lease, id } = await oneFrozen();
    const blocker = await anotherConnection();
    await blocker.query('select 1 from chart_writes for update');
    const sending = ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await until(async () => (await waitingCount()) === 1);
    const second = await taken(other, `${SITE}/Patient/2`);
    const freezing = expect(other.freeze(second, place, aRevision([]))).rejects.toMatchObject({ code: 'conflict' });
    await until(async () => (await waitingCount()) === 2);
    await blocker.query('commit');
    await sending;
    await freezing;
    expect(firstWrite((await ledger.read(place))[0] ?? aKeptRevision()).state).toBe('sending');
  });
});

describe('A fact that an engine of another version learned', () => {
  it('counts as not learned', async () => {
    const knowledge = makePostgresEhrKnowledge(test);
    await knowledge.learn('mercy', 'X 1', { name: 'drafts', value: 'taken' });
    await sql`
      insert into ehr_facts (site, software, name, value)
      values ('mercy', 'X 1', 'moods', '"bad"'), ('mercy', 'X 1', 'transaction', '7')`.execute(test.database.db);
    expect(await knowledge.recall('mercy', 'X 1')).toMatchObject([{ name: 'drafts', value: 'taken' }]);
  });
});

function aKeptRevision(): never {
  throw new Error('a revision was frozen');
}
