// The stores of people on a real PostgreSQL keep the promises of their ports.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresAuditEvents } from '../../../../src/outbound/postgres/audit/audit-events.ts';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresDeviceSignIns } from '../../../../src/outbound/postgres/people/device-sign-ins.ts';
import { makePostgresLocalAccounts } from '../../../../src/outbound/postgres/people/local-accounts.ts';
import { makePostgresNotices } from '../../../../src/outbound/postgres/people/notices.ts';
import { makePostgresOpenedCharts } from '../../../../src/outbound/postgres/people/opened-charts.ts';
import { makePostgresPeople } from '../../../../src/outbound/postgres/people/people.ts';
import { addGrants, replaceGrants } from '../../../../src/outbound/postgres/people/person-grants.ts';
import { makePostgresPersonSessions } from '../../../../src/outbound/postgres/people/person-sessions.ts';
import { makePostgresServiceTokens } from '../../../../src/outbound/postgres/people/service-tokens.ts';
import { makePostgresSignInAttempts } from '../../../../src/outbound/postgres/people/sign-in-attempts.ts';
import { auditEventsContract } from '../../../contracts/audit-events-contract.ts';
import { deviceSignInsContract } from '../../../contracts/device-sign-ins-contract.ts';
import { localAccountsContract } from '../../../contracts/local-accounts-contract.ts';
import { noticesContract } from '../../../contracts/notices-contract.ts';
import { openedChartsContract } from '../../../contracts/opened-charts-contract.ts';
import { aPerson, peopleContract, reviewerAt, viewerOf } from '../../../contracts/people-contract.ts';
import { aSession, personSessionsContract } from '../../../contracts/person-sessions-contract.ts';
import { serviceTokensContract } from '../../../contracts/service-tokens-contract.ts';
import { signInAttemptsContract } from '../../../contracts/sign-in-attempts-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { until } from '../../../support/until.ts';

let test: TestDatabase;
/** The database connection of a second engine on the same server. */
let other: Database;

beforeAll(async () => {
  test = await makeTestDatabase();
  other = await openDatabase({ ...test, maxConnections: 3, onError: () => undefined });
});
beforeEach(async () => {
  await sql`
    truncate people, first_admin, service_tokens, sign_in_attempts, used_token_ids, device_sign_ins, opened_charts, notices, audit_events cascade`.execute(
    test.database.db,
  );
});
afterAll(async () => {
  await other.close();
  await test.drop();
});

const secrets = fixedSecrets(7);
const now = () => new Date();
const ID = '00000000-0000-4000-8000-000000000001';
const NOTICE = { id: ID, kind: 'red', channel: { kind: 'mail', to: 'a@example.org' }, site: 'mercy' } as const;

/** Makes what is stored older, so that a test waits for no clock. */
async function pass(ms: number): Promise<void> {
  const { db } = test.database;
  const { rows } = await sql<{ name: string; column: string }>`
    select table_name as name, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'timestamp with time zone'
      and table_name in ('people', 'person_sessions', 'service_tokens', 'sign_in_attempts', 'used_token_ids', 'sign_in_links',
        'device_sign_ins', 'opened_charts', 'notices', 'audit_events')`.execute(db);
  for (const { name, column } of rows) {
    const time = sql.ref(column);
    await sql`update ${sql.table(name)} set ${time} = ${time} - make_interval(secs => ${ms / 1000})`.execute(db);
  }
}

peopleContract('PostgreSQL', async () => ({
  people: makePostgresPeople(test),
  other: makePostgresPeople({ database: other }),
}));
auditEventsContract('PostgreSQL', async () => ({
  events: makePostgresAuditEvents(test),
  other: makePostgresAuditEvents({ database: other }),
  now,
  pass,
}));
personSessionsContract('PostgreSQL', async () => ({
  people: makePostgresPeople(test),
  sessions: makePostgresPersonSessions(test),
  pass,
}));
serviceTokensContract('PostgreSQL', async () => makePostgresServiceTokens(test));
signInAttemptsContract('PostgreSQL', async () => ({
  attempts: makePostgresSignInAttempts({ ...test, secrets }),
  other: makePostgresSignInAttempts({ database: other, secrets }),
  now,
  pass,
}));
localAccountsContract('PostgreSQL', async () => ({
  people: makePostgresPeople(test),
  accounts: makePostgresLocalAccounts({ ...test, secrets }),
  other: makePostgresLocalAccounts({ database: other, secrets }),
  now,
  pass,
}));
deviceSignInsContract('PostgreSQL', async () => ({
  people: makePostgresPeople(test),
  devices: makePostgresDeviceSignIns(test),
  other: makePostgresDeviceSignIns({ database: other }),
  pass,
}));
openedChartsContract('PostgreSQL', async () => ({ charts: makePostgresOpenedCharts({ ...test, secrets }), pass }));
noticesContract('PostgreSQL', async () => ({
  notices: makePostgresNotices(test),
  other: makePostgresNotices({ database: other }),
  now,
  pass,
}));

/** Resolves once a statement waits for a lock of another transaction. */
async function untilOneWaits(): Promise<void> {
  await until(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(other.db);
    return rows.length > 0;
  });
}

describe('Two transactions at once', () => {
  it('do not give one Practitioner to two people: the second waits for the first, and is refused', async () => {
    const people = makePostgresPeople(test);
    const [first, second] = [await people.create(aPerson()), await people.create(aPerson())];
    const grants = [reviewerAt('mercy', 'Practitioner/1')];
    let order: Promise<unknown> | undefined;
    await other.db.transaction().execute(async (transaction) => {
      await addGrants(transaction, first.id, grants, 'operator');
      order = people.setGrants({ id: second.id, origin: 'admin', grants, by: 'operator' });
      order.catch(() => undefined);
      await untilOneWaits();
    });
    await expect(order).rejects.toMatchObject({ code: 'conflict' });
    expect((await people.findByPractitioner('mercy', 'Practitioner/1'))?.id).toBe(first.id);
  });

  it('leave no session of a person who is disabled by the other one', async () => {
    const [people, sessions] = [makePostgresPeople(test), makePostgresPersonSessions(test)];
    const { id } = await people.create(aPerson());
    let order: Promise<unknown> | undefined;
    await other.db.transaction().execute(async (transaction) => {
      await sql`update people set disabled_at = now() where id = ${id}`.execute(transaction);
      order = sessions.create(aSession(id));
      order.catch(() => undefined);
      await untilOneWaits();
    });
    await expect(order).rejects.toMatchObject({ code: 'forbidden' });
    await people.enable(id);
    expect(await sessions.list({ scope: 'all', limit: 10 })).toEqual([]);
  });
});

describe('An engine that is in the middle of a change', () => {
  it('of the roles of a person keeps another change waiting, which then replaces all of them', async () => {
    const people = makePostgresPeople(test);
    const { id } = await people.create(aPerson());
    const order = { id, origin: 'admin', by: 'operator' } as const;
    let second: Promise<unknown> | undefined;
    await other.db.transaction().execute(async (transaction) => {
      await replaceGrants(transaction, { ...order, grants: [viewerOf('mercy')] });
      second = people.setGrants({ ...order, grants: [viewerOf('clinic')] });
      await untilOneWaits();
    });
    await second;
    expect((await people.find(id))?.grants).toEqual([viewerOf('clinic')]);
  });

  it('of a person who gets a link keeps another new link waiting, which then is the only one', async () => {
    const people = makePostgresPeople(test);
    const accounts = makePostgresLocalAccounts({ ...test, secrets });
    const { id: person } = await people.create(aPerson());
    const expiresAt = new Date(Date.now() + 3_600_000);
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    let later: Promise<unknown> | undefined;
    await other.db.transaction().execute(async (transaction) => {
      await sql`update people set last_seen_at = now() where id = ${person}`.execute(transaction);
      await sql`
        insert into sign_in_links (digest, person_id, made_by, expires_at)
        values (${first}, ${person}, 'operator', ${expiresAt})`.execute(transaction);
      later = accounts.addLink({ digest: second, person, madeBy: 'operator', expiresAt });
      await untilOneWaits();
    });
    await later;
    expect(await accounts.findLink(first)).toBeUndefined();
    expect(await accounts.findLink(second)).toEqual({ person });
  });

  it('of a notice keeps no other engine waiting, which takes the next one', async () => {
    const notices = makePostgresNotices(test);
    const next = '00000000-0000-4000-8000-000000000002';
    await notices.add({ ...NOTICE, details: {} });
    await notices.add({ ...NOTICE, id: next, details: {} });
    await other.db.transaction().execute(async (transaction) => {
      await sql`update notices set tries = tries + 1 where id = ${ID}`.execute(transaction);
      expect(await notices.claim(10, 60_000)).toMatchObject([{ id: next }]);
    });
  });
});

describe('A person who is disabled', () => {
  it('has no session, whatever is stored of it', async () => {
    const [people, sessions] = [makePostgresPeople(test), makePostgresPersonSessions(test)];
    const { id } = await people.create(aPerson());
    const session = aSession(id);
    await sessions.create(session);
    await sql`update people set disabled_at = now() where id = ${id}`.execute(test.database.db);
    expect(await sessions.use(session.id, session.secretDigest)).toBeUndefined();
  });
});

describe('The roles of a person', () => {
  it('name who gave them', async () => {
    const people = makePostgresPeople(test);
    const { id } = await people.create(aPerson({ grants: [viewerOf('mercy')], by: 'person/0000000000000009' }));
    const claimed = [{ role: 'viewer', site: 'clinic' }] as const;
    await people.setGrants({ id, origin: 'claims', grants: claimed, by: 'engine' });
    const { rows } = await sql`
      select site, granted_by from person_grants where person_id = ${id} order by site desc`.execute(test.database.db);
    expect(rows).toEqual([
      { site: 'mercy', granted_by: 'person/0000000000000009' },
      { site: 'clinic', granted_by: 'engine' },
    ]);
  });
});

describe('A session in use', () => {
  it('is written at most each 30 seconds', async () => {
    const [people, sessions] = [makePostgresPeople(test), makePostgresPersonSessions(test)];
    const { id } = await sessions.create(aSession((await people.create(aPerson())).id));
    const version = async () => {
      const { rows } = await sql<{ version: string }>`
        select xmin::text as version from person_sessions where id = ${id}`.execute(test.database.db);
      return rows[0]?.version;
    };
    const made = await version();
    const { secretDigest } = aSession('');
    for (const _ of [1, 2, 3]) await sessions.use(id, secretDigest);
    expect(await version()).toBe(made);
    await pass(31_000);
    const moved = await version();
    const used = await sessions.use(id, secretDigest);
    expect(await version()).not.toBe(moved);
    expect(used?.session.lastUsedAt.getTime()).toBeGreaterThan((used?.session.createdAt.getTime() ?? 0) + 30_000);
  });
});

describe('Text that a database cannot hold', () => {
  it('is refused as a bad request by every store of people', async () => {
    const nul = 'a\0b';
    const people = makePostgresPeople(test);
    const { id } = await people.create(aPerson());
    const sessions = makePostgresPersonSessions(test);
    const attempts = makePostgresSignInAttempts({ ...test, secrets });
    const charts = makePostgresOpenedCharts({ ...test, secrets });
    const notices = makePostgresNotices(test);
    const provider = { issuer: 'https://id.example.org', subject: nul };
    const refusals = [
      () => people.create(aPerson({ name: nul })),
      () => people.create(aPerson({ grants: [reviewerAt('mercy', nul)] })),
      () => people.findByIdentity(provider),
      () => people.rename(id, { name: nul }),
      () => sessions.create(aSession(id, { agent: nul })),
      () => sessions.create(aSession(id, { provider })),
      () => sessions.end(provider, 'by-provider'),
      () => attempts.useOnce(provider.issuer, nul, now()),
      () => makePostgresLocalAccounts({ ...test, secrets }).findPasskey(nul),
      () => charts.isOpen(ID, nul),
      () => notices.add({ ...NOTICE, channel: { kind: 'mail', to: nul }, details: {} }),
      () => notices.add({ ...NOTICE, details: { age: nul } }),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toMatchObject({ code: 'invalidRequest' });
  });
});

describe('Secrets and reasons', () => {
  it('are encrypted in the database', async () => {
    const people = makePostgresPeople(test);
    const { id } = await people.create(aPerson());
    const stateDigest = new Uint8Array(32);
    await makePostgresSignInAttempts({ ...test, secrets }).begin({
      kind: 'oidc',
      stateDigest,
      browserDigest: stateDigest,
      details: { verifier: 'a clear text' },
      lifeMs: 60_000,
    });
    await makePostgresLocalAccounts({ ...test, secrets }).setSecondFactor(id, Buffer.from('a clear text'));
    const chart = { id: '00000000-0000-4000-8000-000000000001', run: '00000000-0000-4000-8000-000000000002' };
    const opened = { ...chart, site: 'mercy', actor: 'operator', reason: 'a clear text', lifeMs: 60_000 };
    await makePostgresOpenedCharts({ ...test, secrets }).open(opened);
    const { rows } = await sql<{ sealed: Buffer }>`
      select details as sealed from sign_in_attempts union all select secret from person_second_factors
      union all select reason from opened_charts`.execute(test.database.db);
    expect(rows).toHaveLength(3);
    const base64 = Buffer.from('a clear text').toString('base64');
    for (const { sealed } of rows) {
      expect(sealed.includes('a clear text')).toBe(false);
      expect(sealed.includes(base64)).toBe(false);
    }
  });
});
