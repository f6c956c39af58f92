// The Subscriptions of the sandbox's EHR: their notices and the faults of notices.
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Bundle, Encounter, Parameters, Subscription } from '@medplum/fhirtypes';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import type { SubscriptionOptions } from '../../src/sandbox/fhir/subscriptions.ts';
import { type LocalServers, makeLocalServers } from '../support/local-servers.ts';
import { until } from '../support/until.ts';
import { type Call, callsTo } from './fhir-calls.ts';

type ReceivedNotice = {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly json: unknown;
};

let ehr: SandboxEhr | undefined;
let servers: LocalServers | undefined;
afterEach(async () => {
  await ehr?.close();
  await servers?.close();
});

/** A subscriber with the given answers in order; the last one is repeated. */
async function aListener(options: SubscriptionOptions = {}, answers: readonly number[] = [200]) {
  const told: ReceivedNotice[] = [];
  const waits: number[] = [];
  servers = makeLocalServers();
  const endpoint = await servers.serve(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    told.push({ headers: request.headers, text, json: JSON.parse(text) });
    response.writeHead(answers[Math.min(told.length, answers.length) - 1] ?? 200).end();
  });
  const after: SubscriptionOptions['after'] = (ms, end) => {
    waits.push(ms);
    const handle = setImmediate(end);
    return () => clearImmediate(handle);
  };
  ehr = await openSandboxEhr({ subscriptions: { after, ...options } });
  return { ehr, endpoint, told, waits, call: callsTo(ehr.baseUrl) as Call };
}

function aHook(endpoint: string, changes: Partial<Subscription> = {}): Subscription {
  return {
    resourceType: 'Subscription',
    status: 'active',
    reason: 'a test',
    criteria: 'Encounter?status=finished,cancelled',
    channel: { type: 'rest-hook', endpoint },
    ...changes,
  };
}

const TOPIC = 'http://example.org/SubscriptionTopic/encounters';
const aTopic = (endpoint: string, changes: Partial<Subscription> = {}) =>
  aHook(endpoint, { status: 'requested', criteria: TOPIC, ...changes });

const anEncounter = (id: string, status: Encounter['status'] = 'finished'): Encounter => ({
  resourceType: 'Encounter',
  id,
  status,
  class: { code: 'AMB' },
});

describe('a Subscription with a search as its criteria', () => {
  it('gets a notice of each create, update and delete of a matching resource, and no others', async () => {
    const { ehr, endpoint, told } = await aListener();
    const { id } = ehr.store.put(aHook(endpoint));
    ehr.store.put(anEncounter('busy', 'in-progress'));
    ehr.store.put(anEncounter('e-1'));
    await until(() => told.length === 1);
    ehr.store.put({ ...anEncounter('e-1'), priority: { text: 'changed' } });
    await until(() => told.length === 2);
    ehr.store.remove('Encounter/e-1');
    await until(() => told.length === 3);
    expect(told.map(({ headers }) => headers['x-medplum-interaction'])).toEqual(['create', 'update', 'delete']);
    expect(told[0]?.json).toMatchObject({ resourceType: 'Encounter', id: 'e-1', meta: { versionId: '1' } });
    expect(told[2]).toMatchObject({
      text: '{}',
      headers: { 'x-medplum-deleted-resource': 'Encounter/e-1', 'x-medplum-subscription': id },
    });
  });

  it('gets a signature over the bytes, and its own headers up to the second colon', async () => {
    const { ehr, endpoint, told } = await aListener();
    const url = 'https://www.medplum.com/fhir/StructureDefinition/subscription-secret';
    const header = ['Authorization: Bearer abc', 'X-Time: 10:30'];
    ehr.store.put({
      ...aHook(endpoint, { channel: { type: 'rest-hook', endpoint, header } }),
      extension: [{ url, valueString: 'hush' }],
    });
    ehr.store.put(anEncounter('e-1'));
    await until(() => told.length === 1);
    const [first] = told;
    expect(first?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'x-time': '10',
      'x-signature': createHmac('sha256', 'hush')
        .update(first?.text ?? '')
        .digest('hex'),
    });
  });

  it('gets no notices while it is requested or off', async () => {
    const { ehr, endpoint, told } = await aListener();
    ehr.store.put(aHook(endpoint, { status: 'requested' }));
    ehr.store.put(aHook(endpoint, { status: 'off' }));
    ehr.store.put(anEncounter('e-1'));
    await ehr.subscriptions.settled();
    expect(told).toEqual([]);
  });

  it('gets retries after 1.2, 3.4 and 7.5 s and no more', async () => {
    const { ehr, endpoint, told, waits } = await aListener({}, [500]);
    ehr.store.put(aHook(endpoint));
    ehr.store.put(anEncounter('e-1'));
    await ehr.subscriptions.settled();
    expect(waits).toEqual([1200, 2200, 4100]);
    expect(told).toHaveLength(4);
    expect(ehr.subscriptions.sent()).toMatchObject([{ answers: [500, 500, 500, 500] }]);
  });

  it('gets one retry after a failed answer and none after a good one', async () => {
    const { ehr, endpoint, told } = await aListener({}, [500, 200]);
    ehr.store.put(aHook(endpoint));
    ehr.store.put(anEncounter('e-1'));
    await ehr.subscriptions.settled();
    expect(told).toHaveLength(2);
  });

  it('gets no notice of a transaction that was undone', async () => {
    const { ehr, endpoint, told, call } = await aListener();
    ehr.store.put(aHook(endpoint));
    const entry = (resource: object) => ({ request: { method: 'POST', url: 'Encounter' }, resource });
    const good = { ...anEncounter('x'), id: undefined };
    const transaction = (...entries: object[]) => ({ resourceType: 'Bundle', type: 'transaction', entry: entries });
    const bad = await call('POST', '', { body: transaction(entry(good), entry({ resourceType: 'Encounter' })) });
    expect(bad.status).toBe(400);
    await call('POST', '', { body: transaction(entry(good), entry(good)) });
    await until(() => told.length === 2);
    await ehr.subscriptions.settled();
    expect(told).toHaveLength(2);
  });

  it('sends nothing to another machine', async () => {
    const { ehr } = await aListener();
    ehr.store.put(aHook('http://ehr.example.org/events'));
    ehr.store.put(anEncounter('e-1'));
    await ehr.subscriptions.settled();
    expect(ehr.subscriptions.sent()).toMatchObject([{ answers: [0, 0, 0, 0] }]);
  });

  it('has a limited list of sent notices', async () => {
    const { ehr } = await aListener();
    ehr.store.put(aHook('http://ehr.example.org/events'));
    for (let index = 0; index <= 2_000; index += 1) ehr.store.put(anEncounter(`e-${index}`));
    const sent = ehr.subscriptions.sent();
    expect(sent).toHaveLength(2_000);
    expect(sent.map(({ body }) => (JSON.parse(body) as Encounter).id)).not.toContain('e-0');
    expect(sent.at(-1)?.body).toContain('"e-2000"');
    await ehr.subscriptions.settled();
  });

  it('can have notices that are lost, doubled, held, or released in another order', async () => {
    const { ehr, endpoint, told } = await aListener();
    const { subscriptions, store } = ehr;
    store.put(aHook(endpoint));
    subscriptions.dropNext();
    store.put(anEncounter('lost'));
    subscriptions.sendTwice();
    store.put(anEncounter('twice'));
    await until(() => told.length === 2);
    subscriptions.keepBack();
    store.put(anEncounter('first'));
    store.put(anEncounter('second'));
    await subscriptions.settled();
    expect(told).toHaveLength(2);
    subscriptions.letGo('reversed');
    await until(() => told.length === 4);
    const sent = subscriptions.sent().map(({ body }) => (JSON.parse(body) as Encounter).id);
    expect(sent).toEqual(['twice', 'twice', 'second', 'first']);
  });
});

describe('a Subscription to a topic', () => {
  const statusOf = (told: ReceivedNotice | undefined) => {
    const parameters = (told?.json as Bundle | undefined)?.entry?.[0]?.resource as Parameters | undefined;
    return Object.fromEntries(
      (parameters?.parameter ?? []).map(({ name, valueCode, valueString }) => [name, valueCode ?? valueString]),
    );
  };

  it('is active after the handshake and gets numbered notices', async () => {
    const { ehr, endpoint, told } = await aListener({ hasTopics: true });
    const { id } = ehr.store.put(aTopic(endpoint));
    await until(() => (ehr.store.get(`Subscription/${id}`) as Subscription).status === 'active');
    ehr.store.put(anEncounter('e-1'));
    ehr.store.put(anEncounter('e-2'));
    await until(() => told.length === 3);
    await ehr.subscriptions.beat();
    expect(told.map(statusOf)).toMatchObject([
      { type: 'handshake', 'events-since-subscription-start': '0' },
      { type: 'event-notification' },
      { type: 'event-notification' },
      { type: 'heartbeat', 'events-since-subscription-start': '2' },
    ]);
    const foci = told.flatMap(({ json }) => (json as Bundle).entry?.slice(1).map(({ fullUrl }) => fullUrl));
    expect(foci.toSorted()).toEqual([`${ehr.baseUrl}/Encounter/e-1`, `${ehr.baseUrl}/Encounter/e-2`]);
  });

  it('is in error if the handshake was refused', async () => {
    const { ehr, endpoint } = await aListener({ hasTopics: true }, [403]);
    const { id } = ehr.store.put(aTopic(endpoint));
    await until(() => (ehr.store.get(`Subscription/${id}`) as Subscription).status === 'error');
  });

  it('gets notices without content if it wants empty ones', async () => {
    const { ehr, endpoint, told } = await aListener({ hasTopics: true });
    const url = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-payload-content';
    const _payload = { extension: [{ url, valueCode: 'empty' }] };
    const channel = { type: 'rest-hook', endpoint, _payload } as Subscription['channel'];
    ehr.store.put(aTopic(endpoint, { status: 'active', channel }));
    ehr.store.put(anEncounter('e-1'));
    await until(() => told.length === 1);
    expect(told[0]?.text).not.toContain('Encounter/e-1');
  });

  it('answers with its status and its stored events', async () => {
    const { ehr, endpoint, call } = await aListener({ hasTopics: true, keptEvents: 2 });
    const { id } = ehr.store.put(aTopic(endpoint, { status: 'active' }));
    for (const each of ['e-1', 'e-2', 'e-3']) ehr.store.put(anEncounter(each));
    const status = await call('GET', `Subscription/${id}/$status`);
    expect([status.status, status.text.includes('"valueString":"3"')]).toEqual([200, true]);
    const events = await call('GET', `Subscription/${id}/$events?eventsSinceNumber=1&eventsUntilNumber=2`);
    expect(events.json.entry?.slice(1).map(({ fullUrl }) => fullUrl)).toEqual([`${ehr.baseUrl}/Encounter/e-2`]);
  });

  it('answers no operation that is not supported', async () => {
    const { ehr, endpoint, call } = await aListener({ hasTopics: true, answers: ['$status'] });
    const { id } = ehr.store.put(aTopic(endpoint, { status: 'active' }));
    expect((await call('GET', `Subscription/${id}/$events`)).status).toBe(404);
    const { id: hook } = ehr.store.put(aHook(endpoint));
    expect((await call('GET', `Subscription/${hook}/$status`)).status).toBe(404);
  });
});

it('a server with limited statuses refuses a Subscription with another one', async () => {
  const { endpoint, call } = await aListener({ refusedStatuses: ['active'] });
  expect((await call('POST', 'Subscription', { body: aHook(endpoint) })).status).toBe(422);
  expect((await call('POST', 'Subscription', { body: aHook(endpoint, { status: 'requested' }) })).status).toBe(201);
});
