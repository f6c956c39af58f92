// Tests outcome events at a real broker.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAbsentEvents } from '../../../src/outbound/amqp/absent-events.ts';
import { makeAmqpEvents } from '../../../src/outbound/amqp/amqp-events.ts';
import { makeAmqpSession } from '../../../src/platform/amqp-session.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeTracing } from '../../../src/platform/tracing/tracing.ts';
import type { OutboxRow } from '../../../src/ports/outbox.ts';
import { type EventsSubject, eventsContract } from '../../contracts/events-contract.ts';
import { anOutcome, makeFakeEvents } from '../../fakes/events.ts';
import { connectRabbit, type RabbitClient } from '../../support/rabbit-client.ts';
import { type BrokerProxy, startBrokerProxy } from '../../support/rabbit-proxy.ts';
import { sharedBroker } from '../../support/rabbitmq.ts';
import { until } from '../../support/until.ts';

const EXCHANGE = 'chartwright.events';
const QUEUE = 'listener';
const { signal } = new AbortController();

let broker: Awaited<ReturnType<typeof sharedBroker>>;
let part: string;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  broker = await sharedBroker();
  part = makePart();
});
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

type Open = {
  readonly events: ReturnType<typeof makeAmqpEvents>;
  readonly listener: RabbitClient;
  readonly proxy: BrokerProxy;
};

/** Makes a virtual host of the broker for this suite, because the exchange always has the same name. */
function makePart(): string {
  const name = `part-${randomBytes(6).toString('hex')}`;
  broker.control('add_vhost', name);
  broker.control('set_permissions', '-p', name, 'guest', '.*', '.*', '.*');
  return name;
}

async function openEvents({ deadlineMs, prepare }: OpenParts = {}): Promise<Open> {
  const ownPart = prepare === undefined ? part : makePart();
  const listener = await connectRabbit(`${broker.url}/${ownPart}`);
  opened.push(listener.close);
  await prepare?.(listener);
  opened.push(() => listener.work((channel) => channel.deleteQueue(QUEUE)));
  const proxy = await startBrokerProxy(broker.port);
  opened.push(proxy.close);
  const session = makeAmqpSession({ url: `${proxy.url}/${ownPart}`, runtime: systemRuntime });
  opened.push(session.close);
  const events = makeAmqpEvents({
    session,
    runtime: systemRuntime,
    tracing: makeTracing(),
    ...(deadlineMs !== undefined && { deadlineMs }),
  });
  opened.push(events.stop);
  await untilOpen(events);
  return { events, listener, proxy };
}

type OpenParts = {
  readonly deadlineMs?: number;
  /** Changes the virtual host before the events are opened in it. */
  readonly prepare?: (listener: RabbitClient) => Promise<unknown>;
};

/** Publishes a probe without a receiver, or finds the reason why no event can be published. */
async function untilOpen(events: Open['events']): Promise<void> {
  await until(async () => {
    if (events.problem() !== undefined) return true;
    return events.publish(anOutcome({ site: 'nobody' }), signal).then(
      () => true,
      () => false,
    );
  });
}

async function listen({ work }: RabbitClient, key: string): Promise<void> {
  await work(async (channel) => {
    await channel.assertQueue(QUEUE, { durable: true });
    await channel.bindQueue(QUEUE, EXCHANGE, key);
  });
}

describe('At RabbitMQ', () => {
  eventsContract(async (): Promise<EventsSubject> => {
    const { events, listener, proxy } = await openEvents();
    return {
      events,
      listen: (site) => listen(listener, `${site}.#`),
      heard: async (count) => {
        const rows: Pick<OutboxRow, 'id' | 'event'>[] = [];
        while (rows.length < count) {
          const { properties, content } = await listener.take(QUEUE);
          rows.push({ id: properties.messageId, event: JSON.parse(content.toString()) });
        }
        return rows;
      },
      setAway: async (isAway) => {
        if (isAway) proxy.freeze();
        else proxy.thaw();
        proxy.cut();
        const isRefused = () =>
          events.publish(anOutcome({ site: 'nobody' }), signal).then(
            () => false,
            () => true,
          );
        await until(async () => (await isRefused()) === isAway);
      },
    };
  });

  it('an outcome has what a receiver needs to route it and to recognise a repeat', async () => {
    const { events, listener } = await openEvents();
    await listen(listener, 'mercy.encounter.held');
    const row = anOutcome({ kind: 'held' });
    await events.publish(row, signal);
    const { fields, properties, content } = await listener.take(QUEUE);
    expect(fields).toMatchObject({ exchange: EXCHANGE, routingKey: 'mercy.encounter.held' });
    expect(properties).toMatchObject({
      messageId: row.id,
      contentType: 'application/json',
      deliveryMode: 2,
      type: 'encounter.held',
      timestamp: 1_772_445_600,
    });
    expect(JSON.parse(content.toString())).toEqual(row.event);
  });

  it('an outcome is a CloudEvent in binary mode, in the trace of its run', async () => {
    const { events, listener } = await openEvents();
    await listen(listener, 'mercy.encounter.documented');
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const row = { ...anOutcome(), traceparent };
    await events.publish(row, signal);
    const { properties } = await listener.take(QUEUE);
    expect(properties.headers).toEqual({
      cloudEvents_specversion: '1.0',
      cloudEvents_id: row.id,
      cloudEvents_source: 'urn:chartwright:mercy',
      cloudEvents_type: 'chartwright.encounter.documented',
      cloudEvents_subject: 'Encounter/1',
      cloudEvents_time: '2026-03-02T10:00:00.000Z',
      cloudEvents_traceparent: traceparent,
      traceparent,
    });
  });

  it('a broker that does not answer is given up after the deadline', async () => {
    const { events, proxy } = await openEvents({ deadlineMs: 300 });
    proxy.freeze();
    await expect(events.publish(anOutcome(), signal)).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: 'RabbitMQ did not confirm in time that it has the message',
    });
  });

  it('the wait for a confirmation ends when the engine stops', async () => {
    const { events, proxy } = await openEvents();
    proxy.freeze();
    const stopping = new AbortController();
    const publishing = events.publish(anOutcome(), stopping.signal);
    stopping.abort(new Error('the engine is stopping'));
    await expect(publishing).rejects.toThrow('the engine is stopping');
  });

  it('an exchange with other settings is reported in a sentence', async () => {
    const { events } = await openEvents({
      prepare: ({ work }) => work((channel) => channel.assertExchange(EXCHANGE, 'direct')),
    });
    expect(events.problem()).toContain('The exchange chartwright.events is at the broker with another type (direct)');
    await expect(events.publish(anOutcome(), signal)).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: events.problem(),
    });
  });

  it('an exchange that was deleted is made again', async () => {
    const { events, listener } = await openEvents({ prepare: async () => undefined });
    await listener.work((channel) => channel.deleteExchange(EXCHANGE));
    await expect(events.publish(anOutcome(), signal)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    await untilOpen(events);
    expect(await events.publish(anOutcome(), signal)).toBe('unheard');
  });
});

describe('In memory', () => {
  eventsContract(async (): Promise<EventsSubject> => {
    const events = makeFakeEvents();
    events.setHeard(false);
    return {
      events,
      listen: async () => events.setHeard(true),
      heard: async (count) => events.published.slice(-count).map(({ id, event }) => ({ id, event })),
      setAway: async (isAway) => events.setAway(isAway),
    };
  });
});

it('an outcome is not published without a broker, and the result says so', async () => {
  expect(await makeAbsentEvents().publish(anOutcome(), signal)).toBe('no-broker');
});
