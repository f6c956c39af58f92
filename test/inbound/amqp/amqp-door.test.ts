// Events from a real broker.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeFakeAccept } from '../../fakes/amqp-accept.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { connectRabbit, type RabbitClient } from '../../support/rabbit-client.ts';
import { type BrokerProxy, startBrokerProxy } from '../../support/rabbit-proxy.ts';
import { sharedBroker } from '../../support/rabbitmq.ts';
import { until } from '../../support/until.ts';
import { type DoorBench, freshName, openDoor, siteAtBroker } from './door-bench.ts';

let url: string;
let port: number;
let ehr: RabbitClient;
const opened: { readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  ({ url, port } = await sharedBroker());
  ehr = await connectRabbit(url);
});
afterEach(async () => {
  for (const bench of opened.splice(0).toReversed()) await bench.close();
});
afterAll(() => ehr.close());

const queueOf = (site: string) => `chartwright.${site}.encounters`;
const deadQueueOf = (site: string) => `chartwright.${site}.dead`;
const exchangeOf = (site: string) => `${site}.events`;

function open(
  parts: Partial<Parameters<typeof openDoor>[0]> & Pick<Parameters<typeof openDoor>[0], 'sites'>,
): DoorBench {
  const bench = openDoor({ url, ...parts });
  opened.push(bench);
  return bench;
}

async function untilConsumed(...sites: readonly string[]): Promise<void> {
  for (const site of sites) await until(async () => (await ehr.look(queueOf(site)))?.consumers === 1);
}

async function untilEmpty(queue: string): Promise<void> {
  await until(async () => (await ehr.look(queue))?.messages === 0);
}

/** A door with one site whose consumer is running. */
async function openSite(parts: Partial<Parameters<typeof openDoor>[0]> = {}) {
  const name = freshName();
  const bench = open({ sites: [siteAtBroker(name)], ...parts });
  await untilConsumed(name);
  const send = (body: string | Uint8Array, options = {}) =>
    ehr.send(exchangeOf(name), 'encounter.finished', body, options);
  return { name, bench, send, stored: () => bench.accept.stored().toSorted() };
}

describe('an event at the broker', () => {
  it('is accepted once with all its headers and leaves its queue', async () => {
    const { name, bench, send } = await openSite();
    await send('Encounter/1', {
      messageId: 'm-1',
      contentType: 'Application/FHIR+JSON; charset=utf-8',
      contentEncoding: 'UTF-8',
      headers: {
        'cloudEvents:specversion': '1.0',
        cloudEvents_id: 'e-1',
        'cloudEvents:time': { '!': 'timestamp', value: 1_772_445_600 },
        'X-Count': 3,
        nested: { not: 'a text' },
      },
    });
    await until(() => bench.accept.stored().length === 1);
    const [delivery] = bench.accept.came;
    expect(delivery).toMatchObject({
      source: 'amqp',
      contentType: 'application/fhir+json',
      messageId: 'm-1',
      headers: { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-time': '2026-03-02T10:00:00.000Z', 'x-count': '3' },
    });
    expect(Object.keys(delivery?.headers ?? {})).not.toContain('nested');
    await untilEmpty(queueOf(name));
  });

  it('waits in its queue until an engine starts', async () => {
    const { name, bench, send } = await openSite();
    await bench.close();
    await send('Encounter/2');
    expect(await ehr.look(queueOf(name))).toEqual({ messages: 1, consumers: 0 });
    const next = open({ sites: [siteAtBroker(name)] });
    await until(() => next.accept.stored().includes('Encounter/2'));
  });

  it('goes to the dead letters unchanged and with the reason if it is unreadable, and delays no other event', async () => {
    const { name, send, stored } = await openSite();
    const bytes = Buffer.from([0x62, 0x61, 0x64, 0x00, 0xff, 0xfe]);
    const good = Array.from({ length: 50 }, (_, count) => `Encounter/${count}`);
    for (const body of good.slice(0, 25)) await send(body);
    await send(bytes, { messageId: 'm-bad', contentType: 'application/json', headers: { 'x-sender': 'engine-7' } });
    for (const body of good.slice(25)) await send(body);
    const dead = await ehr.take(deadQueueOf(name));
    expect(dead.content).toEqual(bytes);
    expect(dead.properties).toMatchObject({ messageId: 'm-bad', contentType: 'application/json', deliveryMode: 2 });
    expect(dead.properties.headers).toMatchObject({
      'x-sender': 'engine-7',
      'x-chartwright-reason': 'It is not an event that is known',
      'x-chartwright-site': name,
      'x-chartwright-routing-key': 'encounter.finished',
    });
    await until(() => stored().length === 50);
    expect(stored()).toEqual(good.toSorted());
    await untilEmpty(queueOf(name));
  });

  it('goes only to the dead letters of its own site, whatever its headers contain', async () => {
    const [name, other] = [freshName(), freshName()];
    open({ sites: [siteAtBroker(name), siteAtBroker(other)] });
    await untilConsumed(name, other);
    const headers = { CC: [other], BCC: [other], 'x-sender': 'engine-7' };
    await ehr.send(exchangeOf(name), 'encounter.finished', 'bad', { headers });
    const dead = await ehr.take(deadQueueOf(name));
    expect(dead.properties.headers).toMatchObject({ 'x-sender': 'engine-7', 'x-chartwright-site': name });
    expect(await ehr.look(deadQueueOf(other))).toMatchObject({ messages: 0 });
  });

  it('without a body is a dead letter and is not delivered again', async () => {
    const { name, bench, send } = await openSite();
    await send('');
    expect((await ehr.take(deadQueueOf(name))).content).toHaveLength(0);
    await untilEmpty(queueOf(name));
    expect(bench.accept.came).toHaveLength(1);
  });

  it('of 17 MB is quarantined unread and without its bytes', async () => {
    const { name, bench, send } = await openSite();
    await send(Buffer.alloc(17 * 1_048_576, 'x'));
    const dead = await ehr.take(deadQueueOf(name));
    expect(dead.content).toHaveLength(0);
    expect(dead.properties.headers).toMatchObject({ 'x-chartwright-size': 17 * 1_048_576 });
    expect(bench.aside).toEqual([
      expect.objectContaining({ site: name, outcome: 'not-understood', why: expect.stringContaining('too large') }),
    ]);
    expect(bench.aside[0]).not.toHaveProperty('body');
    expect(bench.accept.came).toEqual([]);
    expect(bench.events).toEqual([{ source: 'amqp', outcome: 'not-understood' }]);
    await untilEmpty(queueOf(name));
  });

  it('in an unknown content-encoding is quarantined with its bytes', async () => {
    const { name, bench, send } = await openSite();
    await send('squeezed', { contentEncoding: 'gzip', contentType: 'application/json' });
    const dead = await ehr.take(deadQueueOf(name));
    expect(dead.content.toString()).toBe('squeezed');
    expect(dead.properties.contentEncoding).toBe('gzip');
    expect(bench.aside).toEqual([
      expect.objectContaining({ why: expect.stringContaining('content-encoding'), body: Buffer.from('squeezed') }),
    ]);
  });

  it('is one of at most twenty that are handled at once', async () => {
    const hold = Promise.withResolvers<void>();
    const accept = makeFakeAccept();
    accept.holdAfterStore(hold.promise);
    const { name, send } = await openSite({ accept });
    for (let count = 0; count < 60; count += 1) await send(`Encounter/${count}`);
    await until(() => accept.came.length === 20);
    expect((await ehr.look(queueOf(name)))?.messages).toBe(40);
    hold.resolve();
    await until(() => accept.stored().length === 60);
    expect(accept.mostAtOnce()).toBe(20);
  });

  it('is recognised as a repeat if the connection was cut between commit and acknowledgement', async () => {
    const proxy = await openProxy();
    const hold = Promise.withResolvers<void>();
    const accept = makeFakeAccept();
    accept.holdAfterStore(hold.promise);
    const { name, send } = await openSite({ accept, url: proxy.url });
    await send('Encounter/9', { messageId: 'm-9' });
    await until(() => accept.stored().length === 1);
    proxy.cut();
    hold.resolve();
    await until(() => accept.repeats() === 1);
    await untilEmpty(queueOf(name));
    expect(accept.stored()).toEqual(['Encounter/9']);
  });

  it('is retried after a pause if the engine failed, and other events pass it', async () => {
    const accept = makeFakeAccept();
    accept.fail('Encounter/poison', new Error('a bug'));
    const { bench, send, stored } = await openSite({ accept });
    await send('Encounter/poison');
    for (let count = 0; count < 40; count += 1) await send(`Encounter/${count}`);
    await until(() => stored().length === 40);
    await until(() => bench.events.filter(({ outcome }) => outcome === 'failed').length >= 2);
    expect(accept.came.filter(({ body }) => Buffer.from(body).toString() === 'Encounter/poison').length).toBeLessThan(
      6,
    );
  });
});

async function openProxy(): Promise<BrokerProxy> {
  const proxy = await startBrokerProxy(port);
  opened.push(proxy);
  return proxy;
}

describe('while the database is unavailable', () => {
  it('nothing is acknowledged or lost, and all events are accepted when it is back', async () => {
    const accept = makeFakeAccept();
    const { name, send, stored } = await openSite({ accept });
    accept.setAway(true);
    for (let count = 0; count < 30; count += 1) await send(`Encounter/${count}`);
    // The queue has no consumer meanwhile: the engine does not poll it.
    await until(async () => {
      const queue = await ehr.look(queueOf(name));
      return queue?.consumers === 0 && queue.messages === 30;
    });
    expect(stored()).toEqual([]);
    accept.setAway(false);
    await until(() => stored().length === 30);
    await untilEmpty(queueOf(name));
  });

  it('no message is consumed before the database answers', async () => {
    const feeds = makeFakeFeeds();
    let isAway = true;
    const note: typeof feeds.note = async (...order) => {
      if (isAway) throw new Error('the database is away');
      return feeds.note(...order);
    };
    const name = freshName();
    const bench = open({ sites: [siteAtBroker(name)], feeds: { ...feeds, note } });
    await until(() => bench.log.length > 0);
    expect(await ehr.look(queueOf(name))).toBeUndefined();
    isAway = false;
    await untilConsumed(name);
  });
});

describe('queues and exchanges that exist with other settings', () => {
  it('a fanout exchange raises an alarm with a message, and other sites go on', async () => {
    const name = freshName();
    await ehr.work((channel) => channel.assertExchange(exchangeOf(name), 'fanout'));
    const well = siteAtBroker();
    const bench = open({ sites: [siteAtBroker(name), well] });
    await until(async () => (await bench.alarmOf(name)) !== undefined);
    expect(await bench.alarmOf(name)).toBe(
      `The exchange ${exchangeOf(name)} is at the broker with another type (fanout) than a durable topic exchange has: ` +
        `delete it there, or name another one in events.amqp.exchange of mappings/${name}/site.yaml.`,
    );
    await untilConsumed(well.name);
    await ehr.send(exchangeOf(well.name), 'encounter.finished', 'Encounter/1');
    await until(() => bench.accept.stored().length === 1);
    expect(await bench.alarmOf(well.name)).toBeUndefined();
    expect(bench.session.state().kind).toBe('connected');
  });

  it('a classic queue raises an alarm with a message until it is deleted', async () => {
    const name = freshName();
    await ehr.work((channel) => channel.assertQueue(queueOf(name), { durable: true }));
    const bench = open({ sites: [siteAtBroker(name)] });
    await until(async () => (await bench.alarmOf(name))?.includes('x-queue-type') === true);
    await ehr.work((channel) => channel.deleteQueue(queueOf(name)));
    // The consumer retries every minute; a change of the settings makes it retry now.
    bench.setSites([siteAtBroker(name, { bindings: ['encounter.*'] })]);
    await untilConsumed(name);
    await until(async () => (await bench.alarmOf(name)) === undefined);
  });

  it('an existing exchange with other harmless settings is used as it is', async () => {
    const name = freshName();
    await ehr.work((channel) =>
      channel.assertExchange(exchangeOf(name), 'topic', { durable: true, alternateExchange: 'amq.fanout' }),
    );
    const bench = open({ sites: [siteAtBroker(name)] });
    await untilConsumed(name);
    expect(await bench.alarmOf(name)).toBeUndefined();
  });

  it('a wrong queue for dead letters does not stop the consumer', async () => {
    const name = freshName();
    await ehr.work((channel) => channel.assertQueue(deadQueueOf(name), { durable: true }));
    const bench = open({ sites: [siteAtBroker(name)] });
    await untilConsumed(name);
    await ehr.send(exchangeOf(name), 'encounter.finished', 'Encounter/1');
    await until(() => bench.accept.stored().length === 1);
    expect(await bench.alarmOf(name)).toContain(`The queue ${deadQueueOf(name)} is at the broker`);
  });
});

describe('a site whose settings change', () => {
  it('is consumed as soon as it exists and no more when it is removed', async () => {
    const first = siteAtBroker();
    const second = siteAtBroker();
    const bench = open({ sites: [first] });
    await untilConsumed(first.name);
    bench.setSites([first, second]);
    await untilConsumed(second.name);
    bench.setSites([second]);
    await until(async () => (await ehr.look(queueOf(first.name)))?.consumers === 0);
    await ehr.send(exchangeOf(first.name), 'encounter.finished', 'Encounter/later');
    expect((await ehr.look(queueOf(first.name)))?.messages).toBe(1);
  });

  it('gets the events of its new bindings and no more those of its old ones', async () => {
    const name = freshName();
    const bench = open({ sites: [siteAtBroker(name, { bindings: ['a.#', 'b.#'] })] });
    await untilConsumed(name);
    bench.setSites([siteAtBroker(name, { bindings: ['b.#', 'c.#'] })]);
    await untilRouted(name, 'c.1', true);
    await untilRouted(name, 'a.1', false);
    await ehr.send(exchangeOf(name), 'b.1', 'Encounter/b');
    await until(() => bench.accept.stored().includes('Encounter/b'));
  });

  it('gets its new bindings also if the settings changed while no engine ran', async () => {
    const name = freshName();
    const feeds = makeFakeFeeds();
    const before = open({ sites: [siteAtBroker(name, { bindings: ['a.#'] })], feeds });
    await untilConsumed(name);
    await before.close();
    open({ sites: [siteAtBroker(name, { bindings: ['c.#'] })], feeds });
    await untilRouted(name, 'c.1', true);
    await untilRouted(name, 'a.1', false);
  });
});

/** True if an event with this routing key reaches a queue. */
async function untilRouted(site: string, key: string, isRouted: boolean): Promise<void> {
  await until(async () => (await ehr.isRouted(exchangeOf(site), key)) === isRouted);
}

describe('the stop of the door', () => {
  it('completes and acknowledges events that are being stored and returns the others', async () => {
    const hold = Promise.withResolvers<void>();
    const accept = makeFakeAccept();
    accept.holdAfterStore(hold.promise);
    const { name, bench, send } = await openSite({ accept });
    for (let count = 0; count < 25; count += 1) await send(`Encounter/${count}`);
    await until(() => accept.came.length === 20);
    const stopped = bench.door.stop();
    hold.resolve();
    await stopped;
    const taken = accept.stored().length;
    expect(taken).toBeGreaterThanOrEqual(20);
    // The broker counts the messages again once it has seen that no consumer holds them.
    await until(async () => (await ehr.look(queueOf(name)))?.messages === 25 - taken);
  });

  it('does not wait for an event that hangs, which is delivered again', async () => {
    const accept = makeFakeAccept();
    accept.holdAfterStore(new Promise(() => undefined));
    const { name, bench, send } = await openSite({ accept });
    await send('Encounter/1');
    await until(() => accept.came.length === 1);
    await bench.door.stop();
    // The broker counts the message again once it has seen that no consumer holds it.
    await until(async () => (await ehr.look(queueOf(name)))?.messages === 1);
  });
});
