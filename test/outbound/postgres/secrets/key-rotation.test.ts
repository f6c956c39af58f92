// Tests the replacement of the master key in PostgreSQL, with several engines that work meanwhile.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresCallbacks } from '../../../../src/outbound/postgres/access/callbacks.ts';
import { makePostgresJobs } from '../../../../src/outbound/postgres/access/jobs.ts';
import { makePostgresKeyedAnswers } from '../../../../src/outbound/postgres/access/keyed-answers.ts';
import { makePostgresKeys } from '../../../../src/outbound/postgres/access/keys.ts';
import { makePostgresAudit } from '../../../../src/outbound/postgres/audit/audit.ts';
import { openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresEngineNames } from '../../../../src/outbound/postgres/engine-names.ts';
import { makePostgresLedger } from '../../../../src/outbound/postgres/ledger/ledger.ts';
import { makePostgresLocalAccounts } from '../../../../src/outbound/postgres/people/local-accounts.ts';
import { makePostgresOpenedCharts } from '../../../../src/outbound/postgres/people/opened-charts.ts';
import { makePostgresPeople } from '../../../../src/outbound/postgres/people/people.ts';
import { makePostgresSignInAttempts } from '../../../../src/outbound/postgres/people/sign-in-attempts.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { openKeyRing } from '../../../../src/outbound/postgres/secrets/key-ring.ts';
import { makeKeyRotation } from '../../../../src/outbound/postgres/secrets/rotate-keys.ts';
import { sealAnew } from '../../../../src/outbound/postgres/secrets/seal-anew.ts';
import { SEALED_COLUMNS } from '../../../../src/outbound/postgres/secrets/sealed-columns.ts';
import { markOf } from '../../../../src/outbound/postgres/secrets/secrets.ts';
import { openStoredKey } from '../../../../src/outbound/postgres/secrets/stored-keys.ts';
import { makePostgresPreparedStreams } from '../../../../src/outbound/postgres/streams/prepared-streams.ts';
import { makePostgresRecordings } from '../../../../src/outbound/postgres/streams/recordings.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import type { MasterKeys } from '../../../../src/ports/master-keys.ts';
import { aJob } from '../../../contracts/jobs-contract.ts';
import { aKept } from '../../../contracts/keyed-answers-contract.ts';
import { aKey } from '../../../contracts/keys-contract.ts';
import { aPlace, aRevision, aWrite, taken } from '../../../contracts/ledger-contract.ts';
import { anOpenedChart } from '../../../contracts/opened-charts-contract.ts';
import { aPerson } from '../../../contracts/people-contract.ts';
import {
  anAttachment,
  aPreparation,
  claimed,
  readAll,
  someBytes,
} from '../../../contracts/prepared-streams-contract.ts';
import { accepted, claimOne, finished, type RunsSubject, SITE } from '../../../contracts/queue-contract.ts';
import { aRecording, inPieces, readRecording } from '../../../contracts/recordings-contract.ts';
import { anAttempt } from '../../../contracts/sign-in-attempts-contract.ts';
import {
  makeOlderDatabase,
  OLDER_KEY,
  OLDER_ORDER,
  OLDER_PLACE,
  OLDER_RECORDING,
  OLDER_RUN,
} from '../../../support/older-database.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

const OLD = new Uint8Array(32).fill(1);
const NEXT = new Uint8Array(32).fill(2);
const THIRD = new Uint8Array(32).fill(3);
const EVENT = 'event-1';
const PLACE = aPlace();
/** More than one chunk, and the last one is short. */
const SOUND = someBytes(1_200_000);
const RECORDING = aRecording();
const STREAM = aPreparation({ clinicalHistory: 'Cough.', attachments: [anAttachment(SOUND)] });
const KEYED = { keyId: 'key-1', clientKey: 'client key' };
const CLAIMER = '00000000-0000-4000-8000-000000000001';
const CALLBACK_KEY = aKey();
const CALLBACKS = { origins: ['https://clinic.example.org'], secret: 'whsec_made-up' };
const DONE_JOB = aJob();
const OPEN_JOB = aJob();
const JOB_REQUEST = { headers: { 'content-type': 'application/json' } };
const JOB_RESULT = { status: 200, body: { of: 'someone made up' } };
const PERSON = aPerson();
const SECOND_FACTOR = [7, 0, 255];
const ATTEMPT = anAttempt();
const OPENED_CHART = anOpenedChart();
const going = new AbortController().signal;

let test: TestDatabase;
const closings: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  test = await makeTestDatabase();
});
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  await test.drop();
});

let engines = 0;

function keysOf(first: Uint8Array, next?: Uint8Array): MasterKeys {
  return {
    read: async () => (next === undefined ? [first] : [first, next]),
    next: async () => next ?? first,
    settle: async () => undefined,
    remains: async () => undefined,
  };
}

/** An engine with its own connections. It refreshes its keys when the test says so. */
async function anEngine(first: Uint8Array, next?: Uint8Array, connectionString = test.connectionString) {
  const masterKeys = keysOf(first, next);
  const database = await openDatabase({
    connectionString,
    maxConnections: 5,
    masterKeys,
    onError: () => undefined,
  });
  engines += 1;
  const engine = { id: `00000000-0000-4000-8000-${String(engines).padStart(12, '0')}`, name: `host-${engines}` };
  closings.unshift(database.close);
  const ring = await openKeyRing({ database, masterKeys, engine });
  const parts = { database, secrets: ring.secrets };
  const damaged: number[] = [];
  const sealing = { database, ring, engineNames: makePostgresEngineNames({ database }) };
  return {
    name: engine.name,
    database,
    ring,
    damaged,
    rotation: makeKeyRotation({ database, ring, masterKeys, runtime: systemRuntime, patienceMs: 300 }),
    seal: (signal = going) => sealAnew({ ...sealing, onDamaged: (count) => void damaged.push(count) }, signal),
    ledger: makePostgresLedger(parts),
    runs: makePostgresRuns(parts),
    inbox: makePostgresInbox(parts),
    queue: makePostgresQueue(parts),
    recordings: makePostgresRecordings(parts),
    streams: makePostgresPreparedStreams(parts),
    answers: makePostgresKeyedAnswers(parts),
    jobs: makePostgresJobs(parts),
    callbacks: makePostgresCallbacks(parts),
    accounts: makePostgresLocalAccounts(parts),
    attempts: makePostgresSignInAttempts(parts),
    charts: makePostgresOpenedCharts(parts),
    audit: makePostgresAudit(parts),
  };
}
type TestEngine = Awaited<ReturnType<typeof anEngine>>;

function subjectOf(engine: TestEngine): RunsSubject {
  return { ...engine, other: engine.queue, now: () => new Date(), pass: () => undefined } as unknown as RunsSubject;
}

/** Stores a value in every column that has encrypted ones. */
async function fill(engine: TestEngine) {
  const subject = subjectOf(engine);
  const run = await accepted(subject, 'Encounter/1', { key: 'id:1', content: 'one', eventId: EVENT });
  await finished(subject, await claimOne(subject), 'transcribe');
  const aside = { site: SITE, source: 'push', outcome: 'not-understood', key: 'k', why: 'No JSON.' } as const;
  await engine.inbox.quarantine({ ...aside, receivedAt: new Date(), body: Buffer.from('a body') });
  await engine.recordings.store(RECORDING, inPieces(SOUND));
  await engine.streams.prepare(STREAM);
  await engine.answers.claim(KEYED, CLAIMER, 'diagnose');
  await engine.answers.keep(KEYED, CLAIMER, aKept());
  await makePostgresKeys({ database: engine.database }).create(CALLBACK_KEY);
  await engine.callbacks.set(CALLBACK_KEY.id, CALLBACKS);
  await engine.jobs.receive(DONE_JOB, inPieces(SOUND));
  await engine.jobs.queue(DONE_JOB.id, JOB_REQUEST);
  await engine.jobs.claim(CLAIMER, 1);
  await engine.jobs.finish(DONE_JOB.id, CLAIMER, JOB_RESULT);
  await engine.jobs.receive(OPEN_JOB, inPieces(SOUND));
  await engine.jobs.queue(OPEN_JOB.id, JOB_REQUEST);
  const lease = await taken(engine.ledger);
  const revision = await engine.ledger.freeze(lease, PLACE, aRevision([aWrite(PLACE)]));
  const identity = revision.writes[0]?.identity.value ?? '';
  await engine.ledger.storeFindings(SITE, [identity], [{ site: SITE, kind: 'missing', identity, references: [] }]);
  await makePostgresPeople(engine).create(PERSON);
  await engine.accounts.setSecondFactor(PERSON.id, Uint8Array.from(SECOND_FACTOR));
  await engine.attempts.begin(ATTEMPT);
  await engine.charts.open(OPENED_CHART);
  await engine.audit.append({ action: 'site.pause', actor: 'operator', site: SITE });
  return { run, revision, identity };
}

async function expectReadable(engine: TestEngine, { run, revision, identity }: Awaited<ReturnType<typeof fill>>) {
  expect((await engine.runs.find(run, 'all'))?.trigger.eventId).toBe(EVENT);
  expect(await engine.runs.events(run)).toMatchObject([{ eventId: EVENT }]);
  expect(await engine.runs.results(run)).toHaveProperty('transcribe');
  expect(Buffer.compare(await readRecording(engine.recordings, RECORDING.id), SOUND)).toBe(0);
  const stream = await claimed(engine.streams, STREAM.id);
  expect(stream.clinicalHistory).toBe('Cough.');
  const [attachment] = stream.attachments;
  expect(attachment && Buffer.compare(await readAll(attachment), SOUND)).toBe(0);
  await stream.release();
  expect(await engine.answers.claim(KEYED, CLAIMER, 'diagnose')).toEqual({ kind: 'answered', kept: aKept() });
  expect(await engine.callbacks.find(CALLBACK_KEY.id)).toEqual(CALLBACKS);
  expect((await engine.jobs.find(DONE_JOB.id, DONE_JOB.caller))?.result).toEqual(JOB_RESULT);
  const [job] = await engine.jobs.claim(CLAIMER, 1);
  expect(job?.request).toEqual(JOB_REQUEST);
  expect(job && Buffer.compare(Buffer.concat(await Array.fromAsync(job.open())), SOUND)).toBe(0);
  await engine.jobs.release(OPEN_JOB.id, CLAIMER);
  expect(await engine.ledger.read(PLACE)).toEqual([revision]);
  expect(await engine.ledger.openFindings([SITE])).toMatchObject([{ identity }]);
  expect([...(await engine.ledger.knownIdentities(SITE, [identity]))]).toEqual([identity]);
  expect([...((await engine.accounts.secondFactorOf(PERSON.id))?.secret ?? [])]).toEqual(SECOND_FACTOR);
  expect(await engine.attempts.take(ATTEMPT.kind, ATTEMPT.stateDigest, ATTEMPT.browserDigest)).toEqual(ATTEMPT.details);
  await engine.attempts.begin(ATTEMPT);
  expect((await engine.charts.list({ scope: 'all', limit: 1 })).charts).toMatchObject([
    { reason: OPENED_CHART.reason },
  ]);
  expect(await engine.audit.verify()).toMatchObject({ isWhole: true, entries: 1 });
}

async function rotated(engine: TestEngine): Promise<void> {
  await engine.rotation.rotate();
  while (await engine.seal());
}

/** How many values of each column are sealed under this data key. */
async function valuesUnder(number: number): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { table, column } of SEALED_COLUMNS) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}
      where substring(${sql.ref(column)} from 1 for 8) = ${markOf(number)}`.execute(test.database.db);
    counts[`${table}.${column}`] = rows[0]?.count ?? 0;
  }
  return counts;
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);

describe('A master key that is replaced', () => {
  it('has all values sealed anew, and they are read as before by another engine', async () => {
    const one = await anEngine(OLD, NEXT);
    const other = await anEngine(OLD, NEXT);
    const stored = await fill(one);
    const before = await valuesUnder(1);
    expect(Object.values(before).every((count) => count > 0)).toBe(true);
    await other.ring.refresh();
    const rotating = one.rotation.rotate();
    const refreshing = setInterval(() => void other.ring.refresh(), 20);
    const progress = await rotating.finally(() => clearInterval(refreshing));
    expect(progress).toMatchObject({ done: 0, total: sum(before) });
    await other.ring.refresh();
    while (await one.seal());
    expect(await one.rotation.progress()).toMatchObject({ done: sum(before), endedAt: expect.any(Date) });
    expect(sum(await valuesUnder(1))).toBe(0);
    expect(await valuesUnder(2)).toEqual(before);
    for (const engine of [one, other, await anEngine(NEXT)]) await expectReadable(engine, stored);
  });

  it('opens nothing in the database any more, and an engine that has only the old one is refused with the date', async () => {
    const engine = await anEngine(OLD, NEXT);
    await fill(engine);
    await rotated(engine);
    const { rows } = await sql<Parameters<typeof openStoredKey>[0]>`
      select purpose, number, sealed from stored_keys`.execute(test.database.db);
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expect(() => openStoredKey(row, OLD)).toThrow();
    const today = new Date().toISOString().slice(0, 10);
    await expect(anEngine(OLD)).rejects.toMatchObject({
      code: 'notConfigured',
      message: expect.stringMatching(new RegExp(`^This master key was replaced on ${today} `)),
    });
    await expect(anEngine(THIRD)).rejects.toThrow(/begun with another MASTER_KEY/);
  });

  it('is followed by values under the new data key at once, while older ones are still read', async () => {
    const engine = await anEngine(OLD, NEXT);
    const stored = await fill(engine);
    await engine.rotation.rotate();
    await expectReadable(engine, stored);
    await accepted(subjectOf(engine), 'Encounter/2', { key: 'id:2', content: 'two', eventId: 'event-2' });
    expect(await valuesUnder(2)).toMatchObject({ 'inbox.event': 1, 'runs.trigger_event': 1 });
  });

  it('has its sealing continued by another engine after one stopped in the middle', async () => {
    const one = await anEngine(OLD, NEXT);
    const stored = await fill(one);
    await one.rotation.rotate();
    const stopping = new AbortController();
    const dying = one.seal(stopping.signal);
    await untilSealed();
    stopping.abort();
    await dying;
    const { done, total } = (await one.rotation.progress()) ?? { done: 0, total: 0 };
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(total);
    await one.ring.close();
    const other = await anEngine(NEXT);
    while (await other.seal());
    expect(await other.rotation.progress()).toMatchObject({ done: total, total, endedAt: expect.any(Date) });
    expect(sum(await valuesUnder(1))).toBe(0);
    await expectReadable(other, stored);
  });

  it('still recognizes an event and a document from before as the same', async () => {
    const engine = await anEngine(OLD, NEXT);
    const { run, identity } = await fill(engine);
    await rotated(engine);
    const again = { key: 'id:1', content: 'one', eventId: EVENT };
    expect(await accepted(subjectOf(engine), 'Encounter/1', again).catch(() => run)).toBe(run);
    const lease = await taken(engine.ledger, `${SITE}/Patient/2`);
    const other = aPlace();
    const twice = { ...aWrite(other), identity: { system: `urn:chartwright:${SITE}`, value: identity } };
    await expect(engine.ledger.freeze(lease, other, aRevision([twice]))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('can be replaced again, but not by a key that was in force before', async () => {
    const engine = await anEngine(OLD, NEXT);
    const stored = await fill(engine);
    await rotated(engine);
    await engine.ring.close();
    const later = await anEngine(NEXT, THIRD);
    await rotated(later);
    await expectReadable(await anEngine(THIRD), stored);
    await later.ring.close();
    await expect((await anEngine(THIRD, OLD)).rotation.rotate()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/was replaced before/),
    });
  });

  it('leaves a damaged value as it is and says how many there are', async () => {
    const engine = await anEngine(OLD, NEXT);
    await fill(engine);
    await sql`update inbox set body = set_bit(body, 200, 1 - get_bit(body, 200)) where body is not null`.execute(
      test.database.db,
    );
    await rotated(engine);
    expect(engine.damaged).toEqual([1]);
    expect((await engine.rotation.progress())?.endedAt).toBeDefined();
    expect(sum(await valuesUnder(1))).toBe(1);
  });
});

describe('The replacement of a master key', () => {
  it('changes nothing while an engine does not have the new key, and names it', async () => {
    const one = await anEngine(OLD, NEXT);
    const without = await anEngine(OLD);
    const stored = await fill(one);
    await expect(one.rotation.rotate()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`Without it: ${without.name}.`),
    });
    expect(await one.rotation.progress()).toBeUndefined();
    await without.ring.refresh();
    await expectReadable(without, stored);
    expect((await test.database.pool.query('select 1 from stored_keys where is_announced')).rows).toEqual([]);
    await without.ring.close();
    await rotated(one);
    await expectReadable(one, stored);
  });

  it('does not wait for an engine that has died', async () => {
    const one = await anEngine(OLD, NEXT);
    await anEngine(OLD);
    await sql`update engine_keys set seen_at = seen_at - interval '11 seconds'`.execute(test.database.db);
    await one.rotation.rotate();
  });

  it('happens once if two engines begin it at the same moment', async () => {
    const pair = [await anEngine(OLD, NEXT), await anEngine(OLD, NEXT)];
    const results = await Promise.allSettled(pair.map(({ rotation }) => rotation.rotate()));
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    const { rows } = await test.database.pool.query('select number from key_rotations');
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(rows).toEqual([{ number: 2 }]);
    for (const { ring } of pair) await ring.refresh();
    await anEngine(NEXT);
  });

  it('is refused while values are still sealed anew, and with the key that is in force', async () => {
    const engine = await anEngine(OLD, NEXT);
    await fill(engine);
    await engine.rotation.rotate();
    await engine.ring.close();
    const again = await anEngine(NEXT, THIRD);
    await expect(again.rotation.rotate()).rejects.toThrow(/still being sealed anew .*\(0 of \d+\)/);
    while (await again.seal());
    await again.ring.close();
    await expect((await anEngine(NEXT)).rotation.rotate()).rejects.toThrow(/in force already/);
  });

  it('locks an engine that was suspended without the new key: it stores and opens nothing', async () => {
    const one = await anEngine(OLD, NEXT);
    const suspended = await anEngine(OLD);
    const { run } = await fill(one);
    await sql`update engine_keys set seen_at = seen_at - interval '11 seconds' where name = ${suspended.name}`.execute(
      test.database.db,
    );
    await one.rotation.rotate();
    await expect(suspended.ring.refresh()).rejects.toMatchObject({ code: 'notConfigured' });
    expect(suspended.rotation.isLocked()).toBe(true);
    await expect(suspended.runs.find(run, 'all')).rejects.toMatchObject({ code: 'overloaded' });
    await expect(accepted(subjectOf(suspended), 'Encounter/9', { eventId: 'event-9' })).rejects.toMatchObject({
      code: 'overloaded',
    });
  });

  it('goes on after its end if an engine that was suspended sealed with the older key', async () => {
    const one = await anEngine(OLD, NEXT);
    const suspended = await anEngine(OLD, NEXT);
    await fill(one);
    await suspended.ring.refresh();
    await sql`update engine_keys set seen_at = seen_at - interval '11 seconds' where name = ${suspended.name}`.execute(
      test.database.db,
    );
    await rotated(one);
    const run = await accepted(subjectOf(suspended), 'Encounter/9', { eventId: 'event-9' });
    expect(sum(await valuesUnder(1))).toBe(2);
    await suspended.ring.refresh();
    expect((await one.rotation.progress())?.endedAt).toBeUndefined();
    while (await one.seal());
    expect(sum(await valuesUnder(1))).toBe(0);
    expect((await one.rotation.progress())?.endedAt).toBeDefined();
    expect((await one.runs.find(run, 'all'))?.trigger.eventId).toBe('event-9');
  });
});

describe('The first master key of a database that version 0.2.0 began', () => {
  it('opens none of its values once they are sealed anew, while all are read as before', async () => {
    const older = await makeOlderDatabase(3);
    try {
      const { connectionString } = older;
      const one = await anEngine(OLDER_KEY, NEXT, connectionString);
      const stored = async ({ ledger, runs, recordings, inbox, audit }: TestEngine) => ({
        writes: await ledger.read(OLDER_PLACE),
        run: await runs.find(OLDER_RUN, 'all'),
        results: await runs.results(OLDER_RUN),
        recording: await recordings.find(OLDER_RECORDING),
        again: await inbox.accept(OLDER_ORDER),
        trail: await audit.verify(),
      });
      const before = await stored(one);
      expect(before).toMatchObject({ again: { kind: 'repeated' }, trail: { isWhole: true } });
      const isUnmarked = sql`substring(body from 1 for 8) <> ${markOf(1)}`;
      const { rows: unmarked } = await sql<{ body: Buffer }>`select body from chart_writes where ${isUnmarked}`.execute(
        one.database.db,
      );
      expect(unmarked).toHaveLength(3);
      await rotated(one);
      expect(await stored(one)).toEqual(before);
      await one.ring.close();
      const other = await anEngine(NEXT, undefined, connectionString);
      expect(await stored(other)).toEqual(before);
      expect([...other.ring.keys().data.keys()]).toEqual([1, 2]);
      const { rows: unsealed } =
        await sql`select 1 from chart_writes where substring(body from 1 for 8) <> ${markOf(2)}`.execute(
          other.database.db,
        );
      expect(unsealed).toEqual([]);
      await expect(anEngine(OLDER_KEY, undefined, connectionString)).rejects.toThrow(/was replaced on/);
    } finally {
      for (const close of closings.splice(0)) await close();
      await older.drop();
    }
  });
});

it('the list of columns with encrypted values has every column of bytes that is no hash and no stored key', async () => {
  const { rows } = await test.database.pool.query<{ name: string }>(`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name !~ '(hash|digest)$' and table_name <> 'stored_keys'`);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

/** Resolves once a first batch is sealed under the new key. */
async function untilSealed(): Promise<void> {
  while (sum(await valuesUnder(2)) === 0) await new Promise((resolve) => setImmediate(resolve));
}
