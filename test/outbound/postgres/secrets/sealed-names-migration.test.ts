// Tests the migration that encrypts names of documents and ids of events, on a database that version 0.2.0 has filled.
import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { documentUrn } from '../../../../src/domain/chart/identity.ts';
import { makePostgresAudit } from '../../../../src/outbound/postgres/audit/audit.ts';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresLedger } from '../../../../src/outbound/postgres/ledger/ledger.ts';
import { openKeys } from '../../../../src/outbound/postgres/master-key.ts';
import { makeMigrations, migrate } from '../../../../src/outbound/postgres/migrations.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makeSecrets } from '../../../../src/outbound/postgres/secrets/secrets.ts';
import { makePostgresRecordings } from '../../../../src/outbound/postgres/streams/recordings.ts';
import { deriveKey, sealChunk } from '../../../../src/platform/crypto.ts';
import { dumpTables } from '../../../support/journey-canaries.ts';
import { emptyKysely } from '../../../support/kysely.ts';
import { makeEmptyDatabase } from '../../../support/postgres.ts';
import { givenKeys } from '../../../support/secrets.ts';

const MASTER_KEY = new Uint8Array(32).fill(7);
const SITE = 'mercy';
const CODE = 'Q98canary';
const EVENT = 'event-canary-4711';
const RUN = '11111111-1111-4111-8111-111111111111';
const DELIVERY = '22222222-2222-4222-8222-222222222222';
const RECORDING = '33333333-3333-4333-8333-333333333333';
const AT = new Date('2026-03-02T10:00:00.123Z');
const PLACE = { site: SITE, encounter: 'enc-1', session: 's-1' };
const IDENTITY = { system: `urn:chartwright:${SITE}`, value: `enc-1/s-1/condition/${CODE}` };
const BODY = JSON.stringify({ resourceType: 'Condition', code: { coding: [{ code: CODE }] } });
const ORDER = {
  site: SITE,
  organization: 'mercy-general',
  source: 'amqp',
  key: `id:${EVENT}`,
  content: 'the content',
  eventId: EVENT,
  receivedAt: AT,
  settleMs: 0,
  encounters: [{ encounter: 'Encounter/enc-1', isUrgent: false }],
} as const;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('A database that version 0.2.0 has filled', () => {
  it('has no code of a diagnosis and no id of an event in clear after the update, in no table and no file of one', async () => {
    const connectionString = await anOlderDatabase();
    expect((await dumpTables(connectionString)).dump.includes(CODE)).toBe(true);
    const { database } = await open(connectionString);
    const { dump } = await dumpTables(connectionString);
    const urn = documentUrn(IDENTITY);
    expect([CODE, EVENT, urn].filter((word) => dump.includes(word))).toEqual([]);
    await database.pool.query('checkpoint');
    for (const table of ['chart_writes', 'chart_findings', 'inbox', 'runs']) {
      const { rows } = await database.pool.query<{ bytes: Buffer }>(
        `select pg_read_binary_file(pg_relation_filepath('${table}')) as bytes`,
      );
      const bytes = rows[0]?.bytes ?? Buffer.alloc(0);
      expect(bytes.includes(table === 'chart_findings' ? 'missing' : SITE)).toBe(true);
      expect([CODE, EVENT, urn].filter((word) => bytes.includes(word))).toEqual([]);
    }
  });

  it('has the same names for its writes as before, byte for byte, and still finds them', async () => {
    // More than one batch.
    const { ledger } = await open(await anOlderDatabase(1501));
    const [revision] = await ledger.read(PLACE);
    const first = { base: IDENTITY, identity: IDENTITY, fullUrl: documentUrn(IDENTITY), body: BODY, state: 'written' };
    expect(revision?.writes).toHaveLength(1501);
    expect(revision?.writes[0]).toMatchObject(first);
    expect(revision?.writes[1500]?.identity.value).toBe(`${IDENTITY.value}#1500`);
    const known = await ledger.knownIdentities(SITE, [IDENTITY.value, `${IDENTITY.value}#9999`]);
    expect([...known]).toEqual([IDENTITY.value]);
    expect(await ledger.openFindings(SITE)).toMatchObject([{ kind: 'missing', identity: IDENTITY.value }]);
    await ledger.storeFindings(SITE, [IDENTITY.value], []);
    expect(await ledger.openFindings(SITE)).toEqual([]);
  });

  it('refuses a second create of a document that it had before', async () => {
    const { ledger } = await open(await anOlderDatabase());
    const [earlier] = await ledger.read(PLACE);
    const lease = await ledger.acquire('mercy/Patient/1', 'one', 60_000);
    const write = { document: 'condition', action: 'create', type: 'Condition', body: BODY } as const;
    const names = { base: IDENTITY, identity: IDENTITY, fullUrl: documentUrn(IDENTITY) };
    if (lease === undefined || earlier === undefined) throw new Error('a lease and a revision');
    const again = ledger.freeze(lease, PLACE, { ...earlier, writes: [{ ...write, ...names }] });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
  });

  it('shows the events of its runs, and recognizes an event that it had before', async () => {
    const { runs, inbox } = await open(await anOlderDatabase());
    expect((await runs.find(RUN))?.trigger).toEqual({ source: 'amqp', receivedAt: AT, eventId: EVENT });
    expect(await runs.events(RUN)).toEqual([{ source: 'amqp', eventId: EVENT, receivedAt: AT, repeats: 0 }]);
    expect(await inbox.accept(ORDER)).toEqual({ kind: 'repeated', runs: [RUN] });
    expect(await inbox.accept({ ...ORDER, content: 'another' })).toEqual({ kind: 'id-reused' });
  });

  it('opens results, recordings and the audit trail as before', async () => {
    const { runs, recordings, audit } = await open(await anOlderDatabase());
    expect(await runs.results(RUN)).toEqual({ transcribe: { text: 'cough' } });
    expect(await recordings.find(RECORDING)).toMatchObject({ type: 'audio/wav', patient: 'Patient/1' });
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 1 });
    await audit.append({ action: 'site.pause', actor: 'operator', site: SITE });
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 2 });
  });

  it('is left as it was by an engine with another master key', async () => {
    const connectionString = await anOlderDatabase();
    const other = openDatabase({ ...partsOf(connectionString), masterKeys: givenKeys(new Uint8Array(32)) });
    await expect(other).rejects.toThrow(/^This database was begun with another MASTER_KEY/);
    const { ledger } = await open(connectionString);
    expect(await ledger.read(PLACE)).toHaveLength(1);
  });
});

it('an empty database is migrated without a master key', async () => {
  const { connectionString, drop } = await makeEmptyDatabase();
  cleanups.unshift(drop);
  const database = await openDatabase(partsOf(connectionString));
  cleanups.unshift(database.close);
  expect((await database.pool.query('select 1 from stored_keys')).rows).toEqual([]);
});

const partsOf = (connectionString: string) => ({
  connectionString,
  maxConnections: 3,
  onError: () => undefined,
});

async function open(connectionString: string) {
  const masterKeys = givenKeys(MASTER_KEY);
  const database: Database = await openDatabase({ ...partsOf(connectionString), masterKeys });
  cleanups.unshift(database.close);
  const { keys } = await openKeys(database, masterKeys);
  const parts = { database, secrets: makeSecrets(() => keys) };
  return {
    database,
    ledger: makePostgresLedger(parts),
    runs: makePostgresRuns(parts),
    inbox: makePostgresInbox(parts),
    recordings: makePostgresRecordings(parts),
    audit: makePostgresAudit(parts),
  };
}

/** Makes a database with the tables of version 0.2.0, and rows as that version stored them. */
async function anOlderDatabase(writes = 1): Promise<string> {
  const { connectionString, drop } = await makeEmptyDatabase();
  cleanups.unshift(drop);
  const db = emptyKysely(connectionString);
  const older = Object.entries(makeMigrations()).filter(([name]) => name < '0010');
  await migrate(db, Object.fromEntries(older));
  await db.destroy();
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const [statement, values] of olderRows(writes)) await client.query(statement, [...values]);
  } finally {
    await client.end();
  }
  return connectionString;
}

function sealed(purpose: string, text: string, context: readonly unknown[]): Buffer {
  const place = { context: JSON.stringify(context), index: 0, isLast: true };
  return Buffer.from(sealChunk(deriveKey(MASTER_KEY, purpose), Buffer.from(text), place));
}

function hashed(...texts: readonly string[]): Buffer {
  return createHmac('sha256', deriveKey(MASTER_KEY, 'inbox-keys')).update(JSON.stringify(texts)).digest();
}

type Statement = readonly [statement: string, values: readonly unknown[]];

function olderRows(writes: number): readonly Statement[] {
  return [...settingRows(), ...chartRows(writes), ...runRows(), ...auditRows()];
}

function settingRows(): readonly Statement[] {
  const check = createHmac('sha256', deriveKey(MASTER_KEY, 'master-key-check')).update('chartwright').digest('hex');
  return [['insert into engine_settings (name, value) values ($1, $2)', ['master-key-check', check]]];
}

function chartRows(count: number): readonly Statement[] {
  const sha256 = createHash('sha256').update(BODY).digest('hex');
  const writes = Array.from({ length: count }, (_, position): Statement => {
    const value = position === 0 ? IDENTITY.value : `${IDENTITY.value}#${position}`;
    const urn = documentUrn({ ...IDENTITY, value });
    const body = sealed('chart-writes', BODY, ['chart-write', SITE, 'enc-1', 's-1', 1, position]);
    return [
      `insert into chart_writes (id, site, encounter, session, revision, position, document, action, type, base_system, base_value,
        identity_system, identity_value, full_url, body, sha256, state, reference)
       values ($1, $2, 'enc-1', 's-1', 1, $3, 'condition', 'create', 'Condition', $4, $5, $4, $5, $6, $7, $8, 'written', $9)`,
      [`w-${position}`, SITE, position, IDENTITY.system, value, urn, body, sha256, `Condition/${position}`],
    ];
  });
  return [
    [
      `insert into chart_revisions (site, encounter, session, number, kind, patient, run_id, run_time, run_at, engine, state)
       values ($1, 'enc-1', 's-1', 1, 'documents', 'Patient/1', $2, $3, $4, '0.2.0', 'done')`,
      [SITE, RUN, AT.toISOString(), AT],
    ],
    ...writes,
    [
      `insert into chart_findings (site, kind, identity, resources) values ($1, 'missing', $2, '{}')`,
      [SITE, IDENTITY.value],
    ],
  ];
}

function runRows(): readonly Statement[] {
  return [
    [
      `insert into runs (id, site, organization, encounter, session, is_urgent, status, trigger_source, trigger_event_id,
        trigger_received_at, created_at, changed_at, ended_at)
       values ($1, $2, 'mercy-general', 'Encounter/enc-1', 's-1', false, 'written', 'amqp', $3, $4, $4, $4, $4)`,
      [RUN, SITE, EVENT, AT],
    ],
    [
      `insert into run_steps (run_id, name, status, attempts, started_at, result) values ($1, 'transcribe', 'done', 1, $2, $3)`,
      [RUN, AT, sealed('run-results', '{"text":"cough"}', ['run-step', SITE, RUN, 'transcribe'])],
    ],
    [
      `insert into inbox (id, site, source, event_id, outcome, key_hash, content_hash, received_at, last_at)
       values ($1, $2, 'amqp', $3, 'accepted', $4, $5, $6, $6)`,
      [DELIVERY, SITE, EVENT, hashed('key', ORDER.key), hashed('content', ORDER.content), AT],
    ],
    ['insert into inbox_runs (inbox_id, run_id) values ($1, $2)', [DELIVERY, RUN]],
    [
      `insert into recordings (id, site, encounter, manifest, size_bytes, created_at, stored_at)
       values ($1, $2, 'Encounter/enc-1', $3, 1, $4, $4)`,
      [
        RECORDING,
        SITE,
        sealed('recordings', '{"type":"audio/wav","patient":"Patient/1"}', ['recording', SITE, RECORDING, 'manifest']),
        AT,
      ],
    ],
  ];
}

function auditRows(): readonly Statement[] {
  const before = '0'.repeat(64);
  const row = ['1', AT.toISOString(), 'run.write', 'engine', SITE, null, null, before];
  const hash = createHmac('sha256', deriveKey(MASTER_KEY, 'audit')).update(JSON.stringify(row)).digest('hex');
  return [
    [
      `insert into audit_entries (seq, at, action, actor, site, prev_hash, hash)
       values (1, $1, 'run.write', 'engine', $2, decode($3, 'hex'), decode($4, 'hex'))`,
      [AT, SITE, before, hash],
    ],
    [`update audit_head set seq = 1, hash = decode($1, 'hex')`, [hash]],
  ];
}
