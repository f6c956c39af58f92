// A broker that is unavailable, is killed, or has no memory left. This suite has its own broker.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { makeAmqpHealth } from '../../../src/inbound/amqp/broker-health.ts';
import { type AmqpEvents, makeAmqpEvents } from '../../../src/outbound/amqp/amqp-events.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeTracing } from '../../../src/platform/tracing/tracing.ts';
import { makeFakeAccept } from '../../fakes/amqp-accept.ts';
import { anOutcome } from '../../fakes/events.ts';
import { connectRabbit, type RabbitClient } from '../../support/rabbit-client.ts';
import { startBroker, type TestBroker } from '../../support/rabbitmq.ts';
import { until } from '../../support/until.ts';
import { type DoorBench, freshName, openDoor, siteAtBroker } from './door-bench.ts';

/** A younger quorum queue may come back without a leader. */
const SETTLED_MS = 5_000;
/** A broker takes 6 to 9 seconds to start, and longer on a busy machine. */
const TEST_TIMEOUT_MS = 120_000;

let broker: TestBroker;
const opened: { readonly close: () => Promise<void> }[] = [];

beforeAll(async () => {
  broker = await startBroker({ isStarted: false });
});
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});
afterAll(() => broker.close());

type Testbed = { readonly bench: DoorBench; readonly events: AmqpEvents; readonly site: string };

function openTestbed(accept = makeFakeAccept()): Testbed {
  const site = freshName();
  const bench = openDoor({ url: broker.url, sites: [siteAtBroker(site)], accept });
  const events = makeAmqpEvents({ session: bench.session, runtime: systemRuntime, tracing: makeTracing() });
  opened.push(bench, { close: events.stop });
  return { bench, events, site };
}

async function openClient(): Promise<RabbitClient> {
  const client = await connectRabbit(broker.url);
  opened.push(client);
  return client;
}

const health = ({ bench, events }: Testbed) => makeAmqpHealth({ session: bench.session, problem: events.problem })();
const publish = ({ events, site }: Testbed) => events.publish(anOutcome({ site }), AbortSignal.timeout(60_000));

it(
  'an engine starts without its broker, reports it, and accepts events as soon as the broker is there',
  async () => {
    const testbed = openTestbed();
    const { bench, site } = testbed;
    await until(() => bench.session.state().reason !== undefined);
    expect(await health(testbed)).toEqual({
      name: 'broker',
      status: 'degraded',
      detail: expect.stringMatching(
        /^RabbitMQ cannot be reached since \S+ \S+ UTC \(nothing listens at the address in AMQP_URL\); events wait there; REST is served\.$/,
      ),
    });
    await expect(publish(testbed)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    await broker.start();
    const ehr = await openClient();
    await until(async () => (await ehr.look(`chartwright.${site}.encounters`))?.consumers === 1);
    await ehr.send(`${site}.events`, 'encounter.finished', 'Encounter/1');
    await until(() => bench.accept.stored().includes('Encounter/1'));
    await until(async () => (await health(testbed)).status === 'ok');
    await until(() =>
      publish(testbed).then(
        (end) => end === 'unheard',
        () => false,
      ),
    );
  },
  TEST_TIMEOUT_MS,
);

it(
  'a broker that was killed and is back has lost nothing and is used again',
  async () => {
    const hold = Promise.withResolvers<void>();
    const accept = makeFakeAccept();
    const testbed = openTestbed(accept);
    const { site } = testbed;
    const before = await openClient();
    await until(async () => (await before.look(`chartwright.${site}.encounters`))?.consumers === 1);
    const declaredMs = performance.now();
    await until(() => performance.now() - declaredMs > SETTLED_MS);
    accept.holdAfterStore(hold.promise);
    const bodies = Array.from({ length: 40 }, (_, count) => `Encounter/${count}`);
    for (const body of bodies) await before.send(`${site}.events`, 'encounter.finished', body, { messageId: body });
    await until(() => accept.came.length === 20);

    await broker.kill();
    hold.resolve();
    await until(async () => (await health(testbed)).status === 'degraded');
    await broker.start();

    await until(() => accept.stored().length === 40);
    expect(accept.stored().toSorted()).toEqual(bodies.toSorted());
    await until(async () => (await health(testbed)).status === 'ok');
    const after = await openClient();
    await until(async () => (await after.look(`chartwright.${site}.encounters`))?.messages === 0);
    // Those that were stored when the broker died came again, and were recognised.
    expect(accept.repeats()).toBe(20);
    await until(() =>
      publish(testbed).then(
        (end) => end === 'unheard',
        () => false,
      ),
    );
  },
  TEST_TIMEOUT_MS,
);

it(
  'a broker without memory accepts no messages, and its events are still accepted',
  async () => {
    const hold = Promise.withResolvers<void>();
    const accept = makeFakeAccept();
    accept.holdAfterStore(hold.promise);
    const testbed = openTestbed(accept);
    const { bench, site } = testbed;
    const ehr = await openClient();
    await until(async () => (await ehr.look(`chartwright.${site}.encounters`))?.consumers === 1);
    for (let count = 0; count < 60; count += 1)
      await ehr.send(`${site}.events`, 'encounter.finished', `Encounter/${count}`);
    await until(() => accept.came.length === 20);

    broker.setAlarm(true);
    // The broker blocks every sender.
    const first = publish(testbed);
    await until(() => bench.session.state().kind === 'blocked');
    expect(await health(testbed)).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('takes no messages'),
    });
    await expect(publish(testbed)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    hold.resolve();
    await until(() => accept.stored().length === 60);
    await until(async () => (await ehr.look(`chartwright.${site}.encounters`))?.messages === 0);

    broker.setAlarm(false);
    await until(() => bench.session.state().kind === 'connected');
    await until(() =>
      publish(testbed).then(
        (end) => end === 'unheard',
        () => false,
      ),
    );
    // What was under way went out after all, or was given up in time: then it comes again under the same name.
    await first.then(
      (end) => expect(end).toBe('unheard'),
      (thrown) => expect(thrown).toMatchObject({ code: 'vendorUnavailable' }),
    );
    expect(accept.repeats()).toBe(0);
  },
  TEST_TIMEOUT_MS,
);
