// Hostile and careless senders at the routes of a site, with the real flows and a real database.
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAcceptEvent } from '../../../../src/flows/intake/accept-event.ts';
import { makeTakeUpload } from '../../../../src/flows/intake/take-upload.ts';
import { makeUnderstandEvent } from '../../../../src/flows/intake/understand-event.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makePostgresRecordings } from '../../../../src/outbound/postgres/streams/recordings.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import { makeFakeEhr } from '../../../fakes/ehr.ts';
import { makeFakeFeeds } from '../../../fakes/feeds.ts';
import { makeAudio } from '../../../support/audio-samples.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { RawClient } from '../../../support/raw-http.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { until } from '../../../support/until.ts';
import { FORM_TYPE, field, file, formBytes, openPart } from '../body/form-bytes.ts';
import { type EhrDoor, HOOK_SECRET, openEhrDoor, signature, siteNamed } from './ehr-door.ts';

const PATH = '/ehr/mercy/events';
const BASE_URL = 'https://ehr.example.org/fhir/R4';
const UNKNOWN_SENDER = { statusCode: 401, message: 'The notification has no valid signature and no valid secret' };

let test: TestDatabase;
let door: EhrDoor;
let runs: ReturnType<typeof makePostgresRuns>;
/** Each message whose content was parsed. */
let read: Uint8Array[];
let searches: number;

beforeAll(async () => {
  test = await makeTestDatabase();
});
afterAll(() => test.drop());
afterEach(async () => {
  await door.close();
  await test.database.db.deleteFrom('inbox').execute();
  await test.database.db.deleteFrom('runs').execute();
});

async function open(): Promise<void> {
  const stores = { database: test.database, secrets: fixedSecrets() };
  const inbox = makePostgresInbox(stores);
  runs = makePostgresRuns(stores);
  read = [];
  searches = 0;
  const understand = makeUnderstandEvent();
  const { acceptEvent } = makeAcceptEvent({
    inbox,
    feeds: makeFakeFeeds(),
    understand: (site, delivery) => {
      read.push(delivery.body);
      return understand(site, delivery);
    },
    trackUpdate: async (_site, { mustSearch }) => {
      if (mustSearch) searches += 1;
    },
    onAccepted: () => undefined,
    onEvent: () => undefined,
    runtime: systemRuntime,
  });
  const ehr = makeFakeEhr({
    resources: [
      {
        resourceType: 'Encounter',
        id: 'e-1',
        status: 'finished',
        class: { code: 'AMB' },
        subject: { reference: 'Patient/p-1' },
      },
      { resourceType: 'Patient', id: 'p-1' },
    ],
  });
  door = await openEhrDoor({
    sites: [
      siteNamed('mercy', {
        organization: 'mercy-general',
        events: { subscription: { kind: 'topic', secret: HOOK_SECRET } },
      }),
    ],
    acceptEvent: (delivery, site) => acceptEvent({ site, delivery }),
    takeUpload: makeTakeUpload({
      recordings: makePostgresRecordings(stores),
      inbox,
      ehrs: ehr.ehrs,
      runtime: systemRuntime,
      onAccepted: () => undefined,
    }),
  });
}

function send(
  body: unknown,
  { contentType = 'application/fhir+json', headers = {} as Record<string, string>, method = 'POST', path = PATH } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return door.ask(path, {
    method,
    headers: { 'content-type': contentType, 'x-signature': signature(text), ...headers },
    body: text,
  });
}

const runCount = async () => (await runs.list({ scope: 'all', limit: 500 })).runs.length;

function anEncounter(changes: Record<string, unknown> = {}) {
  return {
    resourceType: 'Encounter',
    id: '1',
    meta: { versionId: '3' },
    status: 'finished',
    class: { code: 'AMB' },
    ...changes,
  };
}

/** A notification Bundle of the Subscriptions R5 Backport. */
function aNotification(kind: string, more: readonly unknown[] = []) {
  return {
    resourceType: 'Bundle',
    type: 'history',
    entry: [
      {
        resource: {
          resourceType: 'Parameters',
          parameter: [
            { name: 'subscription', valueReference: { reference: 'Subscription/7' } },
            { name: 'status', valueCode: 'active' },
            { name: 'type', valueCode: kind },
            ...more,
          ],
        },
      },
    ],
  };
}

describe('an unknown sender', () => {
  it.each<[string, string, string]>([
    ['a resource', 'application/fhir+json', JSON.stringify(anEncounter())],
    ['broken JSON', 'application/json', '{"a":'],
    ['JSON that is nested 100,000 deep', 'application/json', '['.repeat(100_000)],
    [
      'XML with an entity of its own',
      'application/xml',
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
    ],
    ['HL7', 'application/hl7-v2', 'MSH|^~\\&|A|B|C|D|20260302||ADT^A03|1|P|2.5'],
    ['an empty body', 'application/json', ''],
    [
      'a validation request of Event Grid',
      'application/json',
      '[{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"x"}}]',
    ],
  ])('does not have %s parsed', async (_title, contentType, body) => {
    await open();
    for (const headers of [{ 'x-signature': signature(body, 'guessed') }, { 'x-signature': signature(`${body}.`) }]) {
      const answer = await send(body, { contentType, headers });
      expect(answer.body).toEqual(UNKNOWN_SENDER);
    }
    expect(read).toEqual([]);
    expect(await runCount()).toBe(0);
  });

  it('does not have a compressed body parsed', async () => {
    await open();
    const packed = new Uint8Array(gzipSync(JSON.stringify(anEncounter())));
    const headers = {
      'content-encoding': 'gzip',
      'x-signature': signature('other'),
      'content-type': 'application/json',
    };
    expect((await door.ask(PATH, { method: 'POST', headers, body: packed })).body).toEqual(UNKNOWN_SENDER);
    expect(read).toEqual([]);
  });
});

describe('an authenticated sender', () => {
  it('gets one run for a notification that is repeated, even through another kind of events', async () => {
    await open();
    expect((await send(anEncounter())).body).toEqual({ outcome: 'accepted' });
    expect((await send(anEncounter())).body).toEqual({ outcome: 'repeated' });
    const put = await send(anEncounter({ extra: undefined, priority: { text: 'now' } }), {
      method: 'PUT',
      path: `${PATH}/Encounter/1`,
    });
    expect(put.body).toEqual({ outcome: 'repeated' });
    expect((await send(anEncounter({ meta: { versionId: '4' } }))).body).toEqual({ outcome: 'accepted' });
    expect(await runCount()).toBe(1);
  });

  it.each(['handshake', 'heartbeat'])('gets no run for a %s', async (kind) => {
    await open();
    const { status, body } = await send(aNotification(kind));
    expect([status, body]).toEqual([200, { outcome: 'nothing' }]);
    expect(await runCount()).toBe(0);
  });

  it('gets no run for a deleted resource, except the one that checks the encounter', async () => {
    await open();
    await send(anEncounter());
    const headers = { 'x-medplum-interaction': 'delete', 'x-medplum-deleted-resource': 'Encounter/1' };
    for (const order of [{ headers }, { method: 'DELETE', path: `${PATH}/Encounter/1` }]) {
      expect(
        (await send('{}', { ...order, headers: { ...order.headers, authorization: `Bearer ${HOOK_SECRET}` } })).status,
      ).toBe(200);
    }
    expect(await runCount()).toBe(1);
  });

  it('can send an empty body, and the EHR is searched', async () => {
    await open();
    const { body } = await door.ask(PATH, { method: 'POST', headers: { authorization: `Bearer ${HOOK_SECRET}` } });
    expect([body, searches, await runCount()]).toEqual([{ outcome: 'nothing' }, 1, 0]);
  });

  const circular = {
    resourceType: 'Encounter',
    id: '1',
    contained: [{ resourceType: 'Encounter', id: 'a', partOf: { reference: '#a' } }],
  };
  it.each<[string, string]>([
    ['a Patient in a Bundle of another type', JSON.stringify({ resourceType: 'Bundle', type: 'nonsense', entry: [] })],
    [
      'an encounter at the metadata address of a cloud',
      JSON.stringify({ encounter: 'http://169.254.169.254/Encounter/1' }),
    ],
    ['an encounter in a file', JSON.stringify({ encounter: 'file:///etc/Encounter/1' })],
    ['an encounter by gopher', JSON.stringify({ encounter: 'gopher://ehr/Encounter/1' })],
    [
      'an encounter at an address with the same beginning',
      JSON.stringify({ encounter: `${BASE_URL}.evil.io/Encounter/1` }),
    ],
    ['JSON that is nested deeper than any resource', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['a key that reaches prototypes', '{"__proto__":{"encounter":"Encounter/1"}}'],
    ['the same key twice', '{"encounter":"Encounter/1","encounter":"Encounter/2"}'],
    ['text', '"Encounter/1"'],
    ['broken JSON', '{"resourceType":"Encounter"'],
    ['a Bundle in a Bundle in a Bundle', JSON.stringify(nested(40))],
  ])('gets 422 for %s, which is quarantined without a request to any address', async (_title, body) => {
    await open();
    const answer = await send(body);
    expect([answer.status, answer.body.error]).toEqual([422, 'Unprocessable Entity']);
    expect(answer.text).not.toContain('169.254');
    expect(await runCount()).toBe(0);
  });

  it('may send resources that refer to themselves', async () => {
    await open();
    expect((await send(circular)).status).toBe(200);
    expect(await runCount()).toBe(1);
  });

  it('may send a script in a narrative, of which nothing is stored', async () => {
    await open();
    const text = {
      status: 'generated',
      div: '<div xmlns="http://www.w3.org/1999/xhtml"><script>canary()</script></div>',
    };
    expect((await send(anEncounter({ text }))).body).toEqual({ outcome: 'accepted' });
    expect(JSON.stringify(await runs.list({ scope: 'all', limit: 10 }))).not.toContain('canary');
    expect(door.logged.join('')).not.toContain('canary');
  });
});

describe('an uploaded recording', () => {
  const rowsLeft = async () => {
    const { db } = test.database;
    const [recordings, chunks] = await Promise.all([
      db.selectFrom('recordings').select('id').execute(),
      db.selectFrom('recording_chunks').select('recording_id').execute(),
    ]);
    return recordings.length + chunks.length;
  };
  const LARGE = makeAudio('wav', 3_000_000);

  it('leaves nothing in the database if its sender disconnects in the middle', async () => {
    await open();
    const key = await door.makeKey('mercy-general');
    const client = await RawClient.connect(door.port);
    client.write(
      `POST /ehr/mercy/encounters/e-1/recording HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: 9000000\r\n\r\n`,
    );
    client.write(openPart(field('patient', 'p-1')));
    client.write(openPart(file('file', 'visit.wav', LARGE)).subarray(0, -2));
    await until(async () => (await rowsLeft()) > 2);
    client.destroy();
    await until(async () => (await rowsLeft()) === 0);
    expect(await runCount()).toBe(0);
  });

  it('is stored once, encrypted, with one run, even if it is sent three times at once', async () => {
    await open();
    const key = await door.makeKey('mercy-general');
    const body = new Uint8Array(formBytes([file('file', 'visit.wav', LARGE), field('patient', 'p-1')]));
    const headers = { 'x-api-key': key, 'content-type': FORM_TYPE };
    const path = '/ehr/mercy/encounters/e-1/recording';
    const answers = await Promise.all([1, 2, 3].map(() => door.ask(path, { method: 'POST', headers, body })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body: { runId } }) => runId)).size).toBe(1);
    const { runs: made } = await runs.list({ scope: 'all', limit: 10 });
    expect(made).toHaveLength(1);
    const kept = await test.database.db.selectFrom('recordings').select('id').execute();
    expect(made[0]?.recordings).toEqual(kept.map(({ id }) => `upload:${id}`));
    const chunks = await test.database.db.selectFrom('recording_chunks').select('bytes').execute();
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).includes('WAVEfmt')).toBe(false);
    await test.database.db.deleteFrom('recordings').execute();
  });
});

function nested(depth: number): unknown {
  return depth === 0
    ? { resourceType: 'Encounter', id: '1' }
    : { resourceType: 'Bundle', type: 'collection', entry: [{ resource: nested(depth - 1) }] };
}
