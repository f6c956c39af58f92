// The door with the real flow: one event makes one run, whatever happens to its delivery.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAcceptEvent } from '../../../src/flows/intake/accept-event.ts';
import { makeUnderstandEvent } from '../../../src/flows/intake/understand-event.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { type FakeAccept, makeFakeAccept } from '../../fakes/amqp-accept.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { makeFakeInbox } from '../../fakes/inbox.ts';
import { makeRunsMemory } from '../../fakes/runs-store.ts';
import { anAdt } from '../../support/event-samples.ts';
import { connectRabbit, type RabbitClient } from '../../support/rabbit-client.ts';
import { startBrokerProxy } from '../../support/rabbit-proxy.ts';
import { sharedBroker } from '../../support/rabbitmq.ts';
import { until } from '../../support/until.ts';
import { freshName, openDoor, siteAtBroker } from './door-bench.ts';

let broker: Awaited<ReturnType<typeof sharedBroker>>;
let ehr: RabbitClient;
const opened: { readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  broker = await sharedBroker();
  ehr = await connectRabbit(broker.url);
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});
afterAll(() => ehr.close());

/** `committed` is called when an event is stored and delays the answer to the door. */
async function openFlow(committed: () => Promise<void> = async () => undefined) {
  const name = freshName();
  const proxy = await startBrokerProxy(broker.port);
  opened.push(proxy);
  const memory = makeRunsMemory(systemRuntime.now);
  const outcomes: string[] = [];
  const { acceptEvent } = makeAcceptEvent({
    inbox: makeFakeInbox(memory),
    feeds: makeFakeFeeds(),
    understand: makeUnderstandEvent(),
    trackUpdate: async () => undefined,
    onAccepted: () => undefined,
    onEvent: ({ source, outcome }) => outcomes.push(`${source} ${outcome}`),
    runtime: systemRuntime,
  });
  const accept: FakeAccept = {
    ...makeFakeAccept(),
    acceptEvent: async (order) => {
      const answer = await acceptEvent(order);
      await committed();
      return answer;
    },
  };
  opened.push(openDoor({ url: proxy.url, sites: [siteAtBroker(name)], accept }));
  const queue = `chartwright.${name}.encounters`;
  await until(async () => (await ehr.look(queue))?.consumers === 1);
  return {
    name,
    proxy,
    outcomes,
    runs: () => [...memory.runs.values()].map(({ encounter }) => encounter),
    eventIds: () => [...memory.runs.values()].map(({ trigger }) => trigger.eventId),
    untilDone: () => until(async () => (await ehr.look(queue))?.messages === 0),
    send: (body: string, options = {}) => ehr.send(`${name}.events`, 'encounter.finished', body, options),
  };
}

const EVENT = JSON.stringify({ eventId: 'ev-1', encounter: 'Encounter/7', status: 'finished' });

describe('an encounter event at the broker', () => {
  it('makes one run, also if the connection is cut between commit and acknowledgement', async () => {
    const hold = Promise.withResolvers<void>();
    const { proxy, outcomes, runs, send, untilDone } = await openFlow(() => hold.promise);
    await send(EVENT, { contentType: 'application/json' });
    await until(() => outcomes.length === 1);
    proxy.cut();
    hold.resolve();
    await until(() => outcomes.length === 2);
    await untilDone();
    expect(runs()).toEqual(['Encounter/7']);
    expect(outcomes).toEqual(['amqp accepted', 'amqp repeated']);
  });

  it('makes one run if it is delivered ten times', async () => {
    const { outcomes, runs, send, untilDone } = await openFlow();
    for (let count = 0; count < 10; count += 1) await send(EVENT, { messageId: 'm-1' });
    await until(() => outcomes.length === 10);
    await untilDone();
    expect(runs()).toEqual(['Encounter/7']);
  });

  it.each(['cloudEvents:', 'cloudEvents_', 'ce_'])(
    'is read as a CloudEvent with its envelope in the headers %s…',
    async (prefix) => {
      const { outcomes, runs, eventIds, send } = await openFlow();
      const encounter = { resourceType: 'Encounter', id: '8', meta: { versionId: '2' }, status: 'finished' };
      const attributes = { specversion: '1.0', id: 'ce-1', source: '/ehr', type: 'encounter.finished' };
      const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [prefix + name, value]));
      await send(JSON.stringify(encounter), { contentType: 'application/json; charset=utf-8', headers });
      await until(() => outcomes.length === 1);
      expect([runs(), eventIds()]).toEqual([['Encounter/8'], ['ce-1']]);
    },
  );

  it('is read as a CloudEvent in its body if the content type says so, also if the headers repeat the envelope', async () => {
    const { outcomes, runs, eventIds, send } = await openFlow();
    const event = {
      specversion: '1.0',
      id: 'ce-2',
      source: '/ehr',
      type: 'encounter.finished',
      data: JSON.parse(EVENT),
    };
    await send(JSON.stringify(event), {
      contentType: 'application/cloudevents+json; charset=utf-8',
      headers: { cloudEvents_specversion: '1.0', cloudEvents_id: 'ce-2', cloudEvents_source: '/ehr' },
    });
    await until(() => outcomes.length === 1);
    expect([runs(), eventIds()]).toEqual([['Encounter/7'], ['ce-2']]);
  });

  it('makes a run of each message of an HL7 v2 batch; a batch with an unreadable message goes to the dead letters', async () => {
    const { name, outcomes, runs, send } = await openFlow();
    const messages = [anAdt({ controlId: 'm-1', visit: 'V-1' }), anAdt({ controlId: 'm-2', visit: '' })];
    const batch = ['BHS|^~\\&|ADT\r', ...messages, anAdt({ controlId: 'm-3', visit: 'V-3' }), 'BTS|3\r'].join('');
    await send(batch, { messageId: 'batch-1', contentType: 'application/hl7-v2' });
    const dead = await ehr.take(`chartwright.${name}.dead`);
    expect(dead.content.toString()).toBe(batch);
    expect(dead.properties.headers?.['x-chartwright-reason']).toBe(
      '1 of the 3 messages of the batch: It has no visit number that can be used (PV1-19)',
    );
    expect([runs(), outcomes]).toEqual([
      ['visit:V-1', 'visit:V-3'],
      ['amqp accepted', 'amqp not-understood', 'amqp accepted'],
    ]);
  });

  it('goes to the dead letters if its id was used for another encounter', async () => {
    const { name, outcomes, runs, send } = await openFlow();
    await send(EVENT, { messageId: 'm-1' });
    await until(() => outcomes.length === 1);
    await send(EVENT.replace('Encounter/7', 'Encounter/9'), { messageId: 'm-1' });
    const dead = await ehr.take(`chartwright.${name}.dead`);
    expect(dead.properties.headers?.['x-chartwright-reason']).toContain('id was used before');
    expect(runs()).toEqual(['Encounter/7']);
  });

  it('is not delayed by one unreadable event among a thousand', async () => {
    const { name, outcomes, runs, send, untilDone } = await openFlow();
    const sending = Array.from({ length: 1_000 }, (_, count) =>
      send(count === 500 ? '{"not": ' : JSON.stringify({ eventId: `ev-${count}`, encounter: `Encounter/${count}` })),
    );
    await Promise.all(sending);
    await until(() => outcomes.length === 1_000);
    await untilDone();
    expect(new Set(runs()).size).toBe(999);
    expect((await ehr.look(`chartwright.${name}.dead`))?.messages).toBe(1);
  });
});
