// The broker is missing, starts, dies and starts again; the database drops every connection several times during the work. The engine
// continues to serve, reports its state, and loses nothing.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Engine } from '../support/engine.ts';
import { eventually, runsOf, untilRun } from '../support/journey-runs.ts';
import { connectRabbit, type RabbitClient } from '../support/rabbit-client.ts';
import { startBroker, type TestBroker } from '../support/rabbitmq.ts';
import { startWorld, type Visit, type World } from '../support/run-world.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;
const LISTENER = 'somebody-who-listens';

let world: World;
let broker: TestBroker;
let engine: Engine;

beforeAll(async () => {
  broker = await startBroker({ isStarted: false });
  world = await startWorld({ amqpUrl: broker.url, isBrokerSteady: false });
  engine = await world.start();
});
afterAll(async () => {
  await world?.close();
  await broker?.close();
});

type Component = { readonly name: string; readonly status: string; readonly detail: string };

async function component(name: string): Promise<Component | undefined> {
  const { components } = (await (await fetch(`${engine.url}/readyz`)).json()) as {
    readonly components: readonly Component[];
  };
  return components.find((one) => one.name === name);
}

const untilBroker = (status: string) =>
  eventually(async () => ((await component('broker'))?.status === status ? true : undefined), {
    what: `a broker that is ${status}`,
  });

const startByHand = (visit: Visit) => engine.ops('POST', '/runs', { site: visit.site, encounter: visit.encounter });

/** Publishes an event like an EHR, on a connection of its own. */
async function tellAtBroker(rabbit: RabbitClient, visit: Visit): Promise<void> {
  const eventId = `told-${visit.id}`;
  const body = JSON.stringify({ eventId, encounter: visit.encounter, status: 'finished' });
  await eventually(async () =>
    (await rabbit.look(`chartwright.${visit.site}.encounters`))?.consumers === 1 ? true : undefined,
  );
  await rabbit.send(world.exchange, `encounter.${visit.site}.finished`, body, { messageId: eventId });
  world.noteTold(eventId, visit);
}

describe('an engine without its broker', () => {
  it(
    'an engine whose broker is missing is ready, reports the missing broker, and writes the charts of runs from other sources',
    async () => {
      const ready = await fetch(`${engine.url}/readyz`);
      expect([ready.status, ((await ready.json()) as { readonly status: string }).status]).toEqual([200, 'degraded']);
      expect(await component('broker')).toMatchObject({
        status: 'degraded',
        detail: expect.stringContaining('cannot be reached'),
      });
      const visit = world.admit();
      await startByHand(visit);
      expect(await untilRun(engine, visit.encounter)).toMatchObject({ trigger: { source: 'operator' } });
    },
    LIMIT_MS,
  );

  it(
    'an engine receives events as soon as its broker has started',
    async () => {
      await broker.start();
      await untilBroker('ok');
      const rabbit = await connectRabbit(broker.url);
      const visit = world.admit();
      await tellAtBroker(rabbit, visit);
      await untilRun(engine, visit.encounter);
      await rabbit.work(async (channel) => {
        await channel.assertQueue(LISTENER, { durable: true });
        await channel.bindQueue(LISTENER, 'chartwright.events', '#');
      });
      await rabbit.close();
    },
    LIMIT_MS,
  );

  it(
    'an engine continues after its broker was killed and started again, and then publishes the outcome events of the meantime',
    async () => {
      await broker.kill();
      await untilBroker('degraded');
      const meanwhile = world.admit();
      await startByHand(meanwhile);
      await untilRun(engine, meanwhile.encounter);
      await broker.start();
      await untilBroker('ok');
      const rabbit = await connectRabbit(broker.url);
      const visit = world.admit();
      await tellAtBroker(rabbit, visit);
      await untilRun(engine, visit.encounter);
      const told = new Set<unknown>();
      await eventually(async () => {
        const { content, fields } = await rabbit.take(LISTENER);
        if (fields.routingKey.endsWith('.documented')) told.add(JSON.parse(content.toString()).encounter);
        return told.has(meanwhile.encounter) && told.has(visit.encounter) ? true : undefined;
      });
      await rabbit.close();
      expect(await whatIsWrong(world, engine)).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('an engine whose database drops connections', () => {
  it(
    'an engine whose database drops every connection does all its work, and nothing of it twice',
    async () => {
      const rabbit = await connectRabbit(broker.url);
      const before = notes();
      const visits = Array.from({ length: 30 }, () => world.admit());
      for (const visit of visits) await tellAtBroker(rabbit, visit);
      for (const share of [3, 10, 18, 25]) {
        await eventually(() => (notes() >= before + share ? true : undefined));
        await dropConnections();
      }
      // A request to the engine at such a moment is answered with an error.
      await eventually(() => runsOf(engine, { status: 'written' }).then(isAll, () => undefined));
      await rabbit.close();
      expect(await whatIsWrong(world, engine)).toEqual([]);
      expect(engine.output().stderr).not.toContain('uncaught exception');
    },
    LIMIT_MS,
  );
});

const notes = () => world.ehr.store.counts()['Composition'] ?? 0;

const isAll = ({ length }: { readonly length: number }) => (length === notes() && length > 30 ? true : undefined);

/** Drops all connections except its own. */
async function dropConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: world.connectionString });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}
