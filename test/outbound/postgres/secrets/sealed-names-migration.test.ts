// Tests the migration that encrypts names of documents and ids of events, on a database that version 0.2.0 has filled.
import { afterEach, describe, expect, it } from '@jest/globals';
import { documentUrn } from '../../../../src/domain/chart/identity.ts';
import { makePostgresAudit } from '../../../../src/outbound/postgres/audit/audit.ts';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresLedger } from '../../../../src/outbound/postgres/ledger/ledger.ts';
import { openKeys } from '../../../../src/outbound/postgres/master-key.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makeSecrets } from '../../../../src/outbound/postgres/secrets/secrets.ts';
import { makePostgresRecordings } from '../../../../src/outbound/postgres/streams/recordings.ts';
import { dumpTables } from '../../../support/journey-canaries.ts';
import {
  makeOlderDatabase,
  OLDER_AT,
  OLDER_BODY,
  OLDER_CODE,
  OLDER_EVENT,
  OLDER_IDENTITY,
  OLDER_KEY,
  OLDER_ORDER,
  OLDER_PLACE,
  OLDER_RECORDING,
  OLDER_RUN,
  OLDER_SITE,
} from '../../../support/older-database.ts';
import { makeEmptyDatabase } from '../../../support/postgres.ts';
import { givenKeys } from '../../../support/secrets.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('A database that version 0.2.0 has filled', () => {
  it('has no code of a diagnosis and no id of an event in clear after the update, in no table and no file of one', async () => {
    const connectionString = await anOlderDatabase();
    expect((await dumpTables(connectionString)).dump.includes(OLDER_CODE)).toBe(true);
    const { database } = await open(connectionString);
    const { dump } = await dumpTables(connectionString);
    const urn = documentUrn(OLDER_IDENTITY);
    expect([OLDER_CODE, OLDER_EVENT, urn].filter((word) => dump.includes(word))).toEqual([]);
    await database.pool.query('checkpoint');
    for (const table of ['chart_writes', 'chart_findings', 'inbox', 'runs']) {
      const { rows } = await database.pool.query<{ bytes: Buffer }>(
        `select pg_read_binary_file(pg_relation_filepath('${table}')) as bytes`,
      );
      const bytes = rows[0]?.bytes ?? Buffer.alloc(0);
      expect(bytes.includes(table === 'chart_findings' ? 'missing' : OLDER_SITE)).toBe(true);
      expect([OLDER_CODE, OLDER_EVENT, urn].filter((word) => bytes.includes(word))).toEqual([]);
    }
  });

  it('has the same names for its writes as before, byte for byte, and still finds them', async () => {
    // More than one batch.
    const { ledger } = await open(await anOlderDatabase(1501));
    const [revision] = await ledger.read(OLDER_PLACE);
    const first = {
      base: OLDER_IDENTITY,
      identity: OLDER_IDENTITY,
      fullUrl: documentUrn(OLDER_IDENTITY),
      body: OLDER_BODY,
      state: 'written',
    };
    expect(revision?.writes).toHaveLength(1501);
    expect(revision?.writes[0]).toMatchObject(first);
    expect(revision?.writes[1500]?.identity.value).toBe(`${OLDER_IDENTITY.value}#1500`);
    const known = await ledger.knownIdentities(OLDER_SITE, [OLDER_IDENTITY.value, `${OLDER_IDENTITY.value}#9999`]);
    expect([...known]).toEqual([OLDER_IDENTITY.value]);
    expect(await ledger.openFindings([OLDER_SITE])).toMatchObject([
      { kind: 'missing', identity: OLDER_IDENTITY.value },
    ]);
    await ledger.storeFindings(OLDER_SITE, [OLDER_IDENTITY.value], []);
    expect(await ledger.openFindings([OLDER_SITE])).toEqual([]);
  });

  it('refuses a second create of a document that it had before', async () => {
    const { ledger } = await open(await anOlderDatabase());
    const [earlier] = await ledger.read(OLDER_PLACE);
    const lease = await ledger.acquire('mercy/Patient/1', 'one', 60_000);
    const write = { document: 'condition', action: 'create', type: 'Condition', body: OLDER_BODY } as const;
    const names = { base: OLDER_IDENTITY, identity: OLDER_IDENTITY, fullUrl: documentUrn(OLDER_IDENTITY) };
    if (lease === undefined || earlier === undefined) throw new Error('a lease and a revision');
    const again = ledger.freeze(lease, OLDER_PLACE, { ...earlier, writes: [{ ...write, ...names }] });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
  });

  it('shows the events of its runs, and recognizes an event that it had before', async () => {
    const { runs, inbox } = await open(await anOlderDatabase());
    expect((await runs.find(OLDER_RUN, 'all'))?.trigger).toEqual({
      source: 'amqp',
      receivedAt: OLDER_AT,
      eventId: OLDER_EVENT,
    });
    expect(await runs.events(OLDER_RUN)).toEqual([
      { source: 'amqp', eventId: OLDER_EVENT, receivedAt: OLDER_AT, repeats: 0 },
    ]);
    expect(await inbox.accept(OLDER_ORDER)).toEqual({ kind: 'repeated', runs: [OLDER_RUN] });
    expect(await inbox.accept({ ...OLDER_ORDER, content: 'another' })).toEqual({ kind: 'id-reused' });
  });

  it('opens results, recordings and the audit trail as before', async () => {
    const { runs, recordings, audit } = await open(await anOlderDatabase());
    expect(await runs.results(OLDER_RUN)).toEqual({ transcribe: { text: 'cough' } });
    expect(await recordings.find(OLDER_RECORDING)).toMatchObject({ type: 'audio/wav', patient: 'Patient/1' });
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 1 });
    await audit.append({ action: 'site.pause', actor: 'operator', site: OLDER_SITE });
    expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 2 });
  });

  it('is left as it was by an engine with another master key', async () => {
    const connectionString = await anOlderDatabase();
    const other = openDatabase({ ...partsOf(connectionString), masterKeys: givenKeys(new Uint8Array(32)) });
    await expect(other).rejects.toThrow(/^This database was begun with another MASTER_KEY/);
    const { ledger } = await open(connectionString);
    expect(await ledger.read(OLDER_PLACE)).toHaveLength(1);
  });
});

it('an empty database is migrated without a master key', async () => {
  const { connectionString, drop } = await makeEmptyDatabase();
  cleanups.unshift(drop);
  const database = await openDatabase(partsOf(connectionString));
  cleanups.unshift(database.close);
  expect((await database.pool.query('select 1 from stored_keys')).rows).toEqual([]);
});

async function anOlderDatabase(writes = 1): Promise<string> {
  const { connectionString, drop } = await makeOlderDatabase(writes);
  cleanups.unshift(drop);
  return connectionString;
}

const partsOf = (connectionString: string) => ({
  connectionString,
  maxConnections: 3,
  onError: () => undefined,
});

async function open(connectionString: string) {
  const masterKeys = givenKeys(OLDER_KEY);
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
