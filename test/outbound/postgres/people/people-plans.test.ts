// The statements of each request of a person, and those that many rows would slow down, read by an index.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { makePostgresDeviceSignIns } from '../../../../src/outbound/postgres/people/device-sign-ins.ts';
import { makePostgresLocalAccounts } from '../../../../src/outbound/postgres/people/local-accounts.ts';
import { makePostgresNotices } from '../../../../src/outbound/postgres/people/notices.ts';
import { makePostgresOpenedCharts } from '../../../../src/outbound/postgres/people/opened-charts.ts';
import { makePostgresPeople } from '../../../../src/outbound/postgres/people/people.ts';
import { makePostgresPersonSessions } from '../../../../src/outbound/postgres/people/person-sessions.ts';
import { makePostgresServiceTokens } from '../../../../src/outbound/postgres/people/service-tokens.ts';
import { makePostgresSignInAttempts } from '../../../../src/outbound/postgres/people/sign-in-attempts.ts';
import type { Schema } from '../../../../src/outbound/postgres/schema.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
  const { db } = test.database;
  // On empty tables, all indices cost the same.
  await sql`
    insert into people (id, name, origin) select lpad(to_hex(n), 16, '0'), 'Ada', 'oidc' from generate_series(1, 4000) n`.execute(
    db,
  );
  await sql`
    insert into person_grants (person_id, role, site, practitioner, origin, granted_by)
    select lpad(to_hex(n), 16, '0'), 'reviewer', 'site-' || n % 100, 'Practitioner/' || n, 'admin', 'operator'
    from generate_series(1, 4000) n`.execute(db);
  await sql`
    insert into person_sessions (id, person_id, kind, way, secret_digest, issuer, subject, provider_session, address, idle_ms, ends_at)
    select lpad(to_hex(n), 16, '0'), lpad(to_hex(n), 16, '0'), 'browser', 'oidc', '', 'https://id.example.org', 'subject-' || n,
      'sid-' || n, '192.0.2.7', 900000, now() + interval '12 hours'
    from generate_series(1, 4000) n`.execute(db);
  await sql`analyze people, person_grants, person_sessions`.execute(db);
});
afterAll(() => test.drop());

/** The stores on a database that has no rows and writes down what it is asked. */
function noted() {
  const queries: CompiledQuery[] = [];
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (its) => new PostgresIntrospector(its),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void queries.push(query),
  });
  const parts = { database: { db }, secrets: fixedSecrets(7) };
  return {
    queries,
    people: makePostgresPeople(parts),
    sessions: makePostgresPersonSessions(parts),
    tokens: makePostgresServiceTokens(parts),
    attempts: makePostgresSignInAttempts(parts),
    accounts: makePostgresLocalAccounts(parts),
    devices: makePostgresDeviceSignIns(parts),
    charts: makePostgresOpenedCharts(parts),
    notices: makePostgresNotices(parts),
  };
}

/** A full scan is used only if no index is suitable. */
async function planOf({ sql: text }: CompiledQuery): Promise<string> {
  return test.database.db.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    await sql`set local enable_bitmapscan = off`.execute(transaction);
    const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`).execute(transaction);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

const ID = '0000000000000001';
const UUID = '00000000-0000-4000-8000-000000000001';
const DIGEST = new Uint8Array(32);
const PERSON = { issuer: 'https://id.example.org', subject: 'ada' };
const { issuer } = PERSON;

type Stores = ReturnType<typeof noted>;

it.each<[string, (stores: Stores) => Promise<unknown>, RegExp]>([
  [
    'a session in use',
    ({ sessions }) => sessions.use(ID, DIGEST),
    /person_sessions_pkey[\s\S]*people_pkey[\s\S]*person_grants_pkey/,
  ],
  [
    'the sessions of a person that end',
    ({ sessions }) => sessions.end({ person: ID }, 'by-admin'),
    /person_sessions_open/,
  ],
  [
    'the sessions of a subject that end',
    ({ sessions }) => sessions.end(PERSON, 'by-provider'),
    /person_sessions_of_subject/,
  ],
  [
    'a session of the provider that ends',
    ({ sessions }) => sessions.end({ issuer, providerSession: 'sid' }, 'by-provider'),
    /person_sessions_of_provider/,
  ],
  [
    'a person who is disabled',
    ({ people }) => people.disable(ID).catch(() => undefined),
    /people_pkey[\s\S]*person_sessions_open/,
  ],
  [
    'a person by an identity',
    ({ people }) => people.findByIdentity(PERSON),
    /person_identities_pkey[\s\S]*people_pkey/,
  ],
  [
    'a person by a Practitioner',
    ({ people }) => people.findByPractitioner('mercy', 'Practitioner/1'),
    /person_grants_by_practitioner/,
  ],
  ['people of a site', ({ people }) => people.list({ scope: ['mercy'], limit: 10 }), /person_grants_(by_site|pkey)/],
  ['a service token', ({ tokens }) => tokens.find(ID), /service_tokens_pkey/],
  ['the use of a service token', ({ tokens }) => tokens.noteUse(ID), /service_tokens_pkey/],
  ['a sign-in that is taken', ({ attempts }) => attempts.take('oidc', DIGEST, DIGEST), /sign_in_attempts_pkey/],
  [
    'sign-ins that are swept',
    ({ attempts }) => attempts.sweep(),
    /sign_in_attempts_by_end[\s\S]*used_token_ids_by_end/,
  ],
  ['a link that is used', ({ accounts }) => accounts.useLink(DIGEST), /sign_in_links_pkey/],
  ['passkeys of a person', ({ accounts }) => accounts.passkeysOf(ID), /person_passkeys_by_person/],
  ['the use of a passkey', ({ accounts }) => accounts.notePasskeyUse('id', 1), /person_passkeys_pkey/],
  ['a program that polls', ({ devices }) => devices.poll(DIGEST), /device_sign_ins_pkey/],
  [
    'a code that a person types',
    ({ devices }) => devices.findByUserCode(DIGEST),
    /device_sign_ins_user_code_digest_key/,
  ],
  ['a chart that was opened', ({ charts }) => charts.isOpen(UUID, 'operator'), /opened_charts_by_run/],
  [
    'charts that were opened',
    ({ charts }) => charts.list({ scope: ['mercy'], limit: 10 }),
    /opened_charts_position_key/,
  ],
  ['notices that are due', ({ notices }) => notices.claim(10, 1000), /notices_due[\s\S]*notices_pkey/],
])('%s: found by an index', async (_, ask, index) => {
  const stores = noted();
  await ask(stores);
  const plans: string[] = [];
  for (const query of stores.queries) plans.push(await planOf(query));
  const all = plans.join('\n');
  expect(all).toMatch(index);
  expect(all).not.toContain('Seq Scan');
});
