// Tests the audit trail on a real PostgreSQL: its promises, engines that append at once, and every way to tamper with its tables by hand.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KyselyPlugin } from 'kysely';
import pg from 'pg';
import { makePostgresAudit } from '../../../../src/outbound/postgres/audit/audit.ts';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import type { Audit, StoredAuditEntry } from '../../../../src/ports/audit.ts';
import { anAuditEntry, auditContract } from '../../../contracts/audit-contract.ts';
import { startMovingClock } from '../../../support/moving-clock.ts';
import { makeEmptyDatabase, makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { until } from '../../../support/until.ts';

const HOUR_MS = 3_600_000;
const secrets = fixedSecrets(7);
const anotherKey = fixedSecrets(8);
let test: TestDatabase;
let otherDatabase: Database;

beforeAll(async () => {
  test = await makeTestDatabase();
  otherDatabase = await openDatabase({ ...test, maxConnections: 5, onError: () => undefined });
});
beforeEach(emptyTrail);
afterAll(async () => {
  await otherDatabase.close();
  await test.drop();
});

const run = (text: string, values: unknown[] = []) => test.database.pool.query(text, values);

/** Runs statements as a person who may disable the triggers. */
async function tamper(...statements: readonly string[]): Promise<void> {
  for (const table of ['audit_entries', 'audit_head']) await run(`alter table ${table} disable trigger all`);
  for (const statement of statements) await run(statement);
  for (const table of ['audit_entries', 'audit_head']) await run(`alter table ${table} enable trigger all`);
}

const EMPTY = [
  'truncate audit_entries',
  'delete from audit_head',
  `insert into audit_head (seq, hash) values (0, decode(repeat('00', 32), 'hex'))`,
];
function emptyTrail(): Promise<void> {
  return tamper(...EMPTY);
}

/** Calls the function after each statement has its result and before the caller gets it. The hook does not see begin and commit. */
function hookedDatabase(afterEach: () => Promise<void>): Database {
  const hook: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await afterEach();
      return result;
    },
  };
  return { ...test.database, db: test.database.db.withPlugin(hook) };
}

function countingDatabase(): { readonly database: Database; readonly count: () => number } {
  let statements = 0;
  const database = hookedDatabase(async () => {
    statements += 1;
  });
  return { database, count: () => statements };
}

async function aTrail(count: number, key = secrets): Promise<Audit> {
  const audit = makePostgresAudit({ ...test, secrets: key });
  for (let number = 1; number <= count; number += 1)
    await audit.append(anAuditEntry({ run: `run-${number}`, details: { resources: number } }));
  return audit;
}

auditContract('PostgreSQL', async () => ({
  audit: makePostgresAudit({ ...test, secrets }),
  other: makePostgresAudit({ database: otherDatabase, secrets }),
}));

describe('The tables of the audit trail', () => {
  it.each([
    `update audit_entries set actor = 'nobody' where seq = 2`,
    'update audit_entries set seq = seq where false',
    'delete from audit_entries where seq = 3',
    'truncate audit_entries',
    'delete from audit_head',
    'truncate audit_head',
    'update audit_head set seq = 2',
    `update audit_head set hash = decode(repeat('00', 32), 'hex')`,
  ])('refuse the statement %j', async (statement) => {
    const audit = await aTrail(3);
    await expect(run(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 3 });
  });
});

describe('Tampering with the audit trail', () => {
  /** An entry of a person who has the table but not the key, inserted at this place. Later entries get higher numbers. */
  const PUT_IN = [
    'update audit_entries set seq = -seq where seq >= 3',
    'update audit_entries set seq = 1 - seq where seq < 0',
    `insert into audit_entries select 3, at, action, 'nobody', site, run, details, hash, sha256(hash) from audit_entries where seq = 2`,
    'update audit_head set seq = seq + 1',
  ];
  const LOOSEN = 'alter table audit_entries drop constraint if exists audit_entries_seq_check';
  const SWAP = [
    LOOSEN,
    'update audit_entries set seq = -seq where seq in (2, 4)',
    'update audit_entries set seq = 6 + seq where seq < 0',
  ];

  const TAMPERING: Readonly<Record<string, readonly [at: number, why: RegExp, ...statements: readonly string[]]>> = {
    'another actor': [2, /changed/, `update audit_entries set actor = 'nobody' where seq = 2`],
    'another action': [2, /changed/, `update audit_entries set action = 'run.view' where seq = 2`],
    'another time': [2, /changed/, `update audit_entries set at = at + interval '1 millisecond' where seq = 2`],
    'an infinite time': [2, /changed/, `update audit_entries set at = 'infinity' where seq = 2`],
    'another site': [2, /changed/, `update audit_entries set site = 'clinic' where seq = 2`],
    'no site': [2, /changed/, 'update audit_entries set site = null where seq = 2'],
    'another run': [2, /changed/, `update audit_entries set run = 'run-9' where seq = 2`],
    'other details': [2, /changed/, `update audit_entries set details = '{"resources":9}' where seq = 2`],
    'a space in the details': [2, /changed/, `update audit_entries set details = details || ' ' where seq = 2`],
    'site and run in each other’s place': [
      2,
      /changed/,
      'update audit_entries set site = run, run = site where seq = 2',
    ],
    'another hash': [2, /changed/, 'update audit_entries set hash = sha256(hash) where seq = 2'],
    'another hash before it': [2, /changed/, 'update audit_entries set prev_hash = sha256(hash) where seq = 2'],
    'a changed last entry': [5, /changed/, `update audit_entries set actor = 'nobody' where seq = 5`],
    'a changed first entry': [1, /changed/, `update audit_entries set actor = 'nobody' where seq = 1`],
    'a deleted entry': [3, /^Entry 3 is missing$/, 'delete from audit_entries where seq = 3'],
    'several deleted entries': [
      2,
      /^3 entries from 2 on are missing$/,
      'delete from audit_entries where seq in (2, 3, 4)',
    ],
    'a deleted first entry': [1, /missing/, 'delete from audit_entries where seq = 1'],
    'a deleted entry whose gap was closed': [
      3,
      /changed/,
      'delete from audit_entries where seq = 3',
      'update audit_entries set seq = seq - 1 where seq = 4',
      'update audit_entries set seq = seq - 1 where seq = 5',
      'update audit_head set seq = 4',
    ],
    'an inserted entry': [3, /put in/, LOOSEN, ...PUT_IN],
    'an entry inserted at the end': [
      6,
      /put in/,
      `insert into audit_entries select 6, at, action, actor, site, run, details, hash, sha256(hash) from audit_entries where seq = 5`,
    ],
    'an entry inserted before the first': [
      0,
      /Entry 0 was put in/,
      LOOSEN,
      'insert into audit_entries select 0, at, action, actor, site, run, details, prev_hash, hash from audit_entries where seq = 1',
    ],
    'an entry with the largest number': [
      6,
      /missing/,
      `insert into audit_entries select 9223372036854775807, at, action, actor, site, run, details, hash, hash from audit_entries where seq = 5`,
    ],
    'two swapped entries': [2, /changed/, ...SWAP],
    'two entries with swapped contents': [
      2,
      /changed/,
      `update audit_entries one set run = two.run, details = two.details, at = two.at, hash = two.hash
       from audit_entries two where (one.seq, two.seq) in ((2, 4), (4, 2))`,
    ],
    'a tail that was cut off': [
      4,
      /ended with entry 5: its end was cut off/,
      'delete from audit_entries where seq > 3',
    ],
    'all entries cut off': [1, /cut off/, 'delete from audit_entries'],
    'a tail that was cut off, and a head with the remaining number': [
      3,
      /not the one that the trail ended with/,
      'delete from audit_entries where seq > 3',
      'update audit_head set seq = 3',
    ],
    'a deleted head': [6, /row that holds the end/, 'delete from audit_head'],
    'a head that was set back': [4, /what follows was put in/, 'update audit_head set seq = 3'],
    'another hash in the head': [
      5,
      /not the one that the trail ended with/,
      'update audit_head set hash = sha256(hash)',
    ],
  };

  it.each(Object.entries(TAMPERING))('is found: %s', async (_, [at, why, ...statements]) => {
    const audit = await aTrail(5);
    await tamper(...statements);
    const verdict = await audit.verify();
    expect(verdict).toMatchObject({ isWhole: false, at, why: expect.stringMatching(why) });
    expect(verdict.entries).toBeLessThanOrEqual(5);
    await tamper('delete from audit_entries where seq < 1');
    await run('alter table audit_entries drop constraint if exists audit_entries_seq_check');
    await run('alter table audit_entries add constraint audit_entries_seq_check check (seq > 0) not valid');
  });

  it('is found by the recorded head if the head was cut together with the tail', async () => {
    const audit = await aTrail(5);
    const written = await audit.head();
    await tamper(
      'delete from audit_entries where seq > 3',
      'update audit_head set seq = 3, hash = (select hash from audit_entries where seq = 3)',
    );
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 3 });
    const verdict = await audit.verify(written);
    expect(verdict).toMatchObject({ isWhole: false, entries: 3, at: 4, why: expect.stringMatching(/cut off/) });
  });

  it('is found by the recorded head if the trail continued after the cut', async () => {
    const audit = await aTrail(5);
    const written = await audit.head();
    await tamper(
      'delete from audit_entries where seq > 3',
      'update audit_head set seq = 3, hash = (select hash from audit_entries where seq = 3)',
    );
    for (let count = 0; count < 4; count += 1) await audit.append(anAuditEntry({ actor: 'operator' }));
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 7 });
    expect(await audit.verify(written)).toMatchObject({ isWhole: false, at: 5, why: expect.stringMatching(/anew/) });
  });

  it('is found if the whole trail was made again with another key, with and without the recorded head', async () => {
    const audit = await aTrail(5);
    const written = await audit.head();
    await emptyTrail();
    await aTrail(5, anotherKey);
    expect(await audit.verify()).toMatchObject({
      isWhole: false,
      at: 1,
      why: expect.stringMatching(/another master key/),
    });
    expect(await audit.verify(written)).toMatchObject({ isWhole: false, at: 1 });
  });

  it('is found only by the recorded head if the whole trail was made again with the right key', async () => {
    const audit = await aTrail(5);
    const written = await audit.head();
    await emptyTrail();
    const made = await aTrail(6);
    expect(await made.verify()).toMatchObject({ isWhole: true, entries: 6 });
    expect(await made.verify(written)).toMatchObject({ isWhole: false, at: 5, why: expect.stringMatching(/anew/) });
  });

  it('is found if an entry follows a head that was changed by hand', async () => {
    const audit = await aTrail(3);
    await tamper('update audit_head set hash = sha256(hash)');
    await audit.append(anAuditEntry());
    const why = expect.stringMatching(/does not follow/);
    expect(await audit.verify()).toMatchObject({ isWhole: false, at: 4, why });
  });
});

describe('Appending to the audit trail', () => {
  it('fails with a sentence if the head is missing, and works again after it is restored', async () => {
    const audit = await aTrail(2);
    await tamper('create table kept_head as table audit_head', 'delete from audit_head');
    await expect(audit.append(anAuditEntry())).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/lost its head/),
    });
    await expect(audit.head()).rejects.toMatchObject({ code: 'internal' });
    await run('insert into audit_head table kept_head');
    await run('drop table kept_head');
    await audit.append(anAuditEntry());
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 3 });
  });

  it('stores nothing of a failed entry, and does not affect later ones', async () => {
    const audit = await aTrail(2);
    await run(`alter table audit_entries add constraint no_more check (actor <> 'refused')`);
    await expect(audit.append(anAuditEntry({ actor: 'refused' }))).rejects.toMatchObject({ code: 'internal' });
    await run('alter table audit_entries drop constraint no_more');
    await audit.append(anAuditEntry());
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 3 });
  });

  it('waits for other engines, and two waiting engines append one after the other', async () => {
    await aTrail(2);
    const waiting = [test.database, otherDatabase].map((database) => makePostgresAudit({ database, secrets }));
    const client = new pg.Client({ connectionString: test.connectionString });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from audit_head for update');
      const appended = waiting.map((audit) => audit.append(anAuditEntry({ actor: 'operator' })));
      await until(async () => {
        const { rows } = await run(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length === waiting.length;
      });
      await client.query('commit');
      await Promise.all(appended);
    } finally {
      await client.end();
    }
    expect(await waiting[0]?.verify()).toMatchObject({ isWhole: true, entries: 4 });
  });

  it('takes one statement, and one for all entries that arrive together, if no other engine has appended since', async () => {
    const { database, count } = countingDatabase();
    const [audit, other] = [makePostgresAudit({ database, secrets }), await aTrail(1)];
    await audit.append(anAuditEntry());
    const before = count();
    await audit.append(anAuditEntry());
    expect(count() - before).toBe(1);
    await Promise.all(Array.from({ length: 50 }, () => audit.append(anAuditEntry())));
    expect(count() - before).toBe(3);
    await other.append(anAuditEntry());
    await audit.append(anAuditEntry());
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 55 });
  });

  it('stores the time of the database, even if its clock is set while engines run', async () => {
    const { connectionString, drop } = await makeEmptyDatabase();
    await (await openDatabase({ connectionString, maxConnections: 1, onError: () => undefined })).close();
    const clock = await startMovingClock(connectionString);
    const database = await openDatabase({ connectionString, maxConnections: 3, onError: () => undefined });
    try {
      const audit = makePostgresAudit({ database, secrets });
      await audit.append(anAuditEntry());
      await clock.pass(2 * HOUR_MS);
      await audit.append(anAuditEntry());
      await audit.append(anAuditEntry());
      const [third, second, first] = (await audit.list({ scope: 'all', limit: 3 })).entries;
      const hoursBetween = (one?: StoredAuditEntry, two?: StoredAuditEntry) =>
        Math.floor((Number(two?.at) - Number(one?.at)) / HOUR_MS);
      expect([hoursBetween(first, second), hoursBetween(first, third)]).toEqual([2, 2]);
      expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 3 });
    } finally {
      await database.close();
      await clock.close();
      await drop();
    }
  });
});

describe('An audit trail of 100,000 entries', () => {
  it('is verified page by page, and a changed entry near its end is found', async () => {
    const { database, count } = countingDatabase();
    const audit = makePostgresAudit({ database, secrets });
    await Promise.all(
      Array.from({ length: 100_000 }, (_, index) => audit.append(anAuditEntry({ run: `run-${index}` }))),
    );
    const before = count();
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 100_000 });
    expect(count() - before).toBeLessThan(100);
    await tamper(`update audit_entries set actor = 'nobody' where seq = 99000`);
    expect(await audit.verify()).toMatchObject({ isWhole: false, at: 99_000, entries: 98_999 });
  }, 180_000);

  it('is verified in its state at the start, while engines continue to append', async () => {
    const audit = await aTrail(3);
    const head = await audit.head();
    const database = hookedDatabase(() => audit.append(anAuditEntry()));
    const verdict = await makePostgresAudit({ database, secrets }).verify();
    expect(verdict).toEqual({ isWhole: true, entries: 3, head: head.hash });
    expect((await audit.verify()).entries).toBeGreaterThan(3);
  });
});
