// Events as they come in real life: the same event ten times, in any order, by the broker and by HTTP, and among them a message that is no
// event. Each event makes one run, no event is lost, and the message that is no event is quarantined.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartShape, eventually, runsOf, untilRun, viewOf } from '../support/journey-runs.ts';
import { sharedBroker } from '../support/rabbitmq.ts';
import { type BrokerGate, startBrokerGate } from '../support/run-crash-proxy.ts';
import { startWorld, type Visit, WHOLE_CHART, type World } from '../support/run-world.ts';
import { untilQuiet, whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 120_000;
const SECRET = 'made-up-secret-of-the-interface-engine';
const EVENTS = 30;
const TIMES = 10;
const POISON = Buffer.from([0x00, 0xff, 0x13, 0x37, 0xfe, 0x00]);

let world: World;
let engine: Engine;
let gate: BrokerGate;

beforeAll(async () => {
  gate = await startBrokerGate((await sharedBroker()).port);
  world = await startWorld();
  const [site = ''] = world.sites;
  await world.writeSite(
    site,
    `events:\n  amqp: { exchange: ${world.exchange}, bindings: ["encounter.${site}.#"] }\n  push: { secret: "${SECRET}" }`,
  );
  engine = await world.start('a', { AMQP_URL: gate.url });
});
afterAll(async () => {
  await world?.close();
  await gate?.close();
});

const bodyOf = (eventId: string, { encounter }: Visit) => JSON.stringify({ eventId, encounter, status: 'finished' });

async function push(eventId: string, visit: Visit): Promise<number> {
  const body = bodyOf(eventId, visit);
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-signature': signature };
  const response = await fetch(`${engine.url}/ehr/${visit.site}/events`, { method: 'POST', headers, body });
  await response.body?.cancel();
  return response.status;
}

const publish = (eventId: string, visit: Visit) =>
  world.rabbit.send(world.exchange, `encounter.${visit.site}.finished`, bodyOf(eventId, visit));

/** The order is the same in every run. */
function shuffled<T>(values: readonly T[]): readonly T[] {
  let seed = 7;
  const chance = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  return values
    .map((value) => [chance(), value] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, value]) => value);
}

type Aside = { readonly deliveries: readonly Readonly<Record<string, unknown>>[] };

describe('duplicate events', () => {
  it(
    'thirty events that arrive ten times each, in disorder and over two feeds beside an unreadable message, make one run each',
    async () => {
      const visits = Array.from({ length: EVENTS }, (_, index) => ({ visit: world.admit(), eventId: `adt-${index}` }));
      const deliveries = shuffled(
        visits.flatMap((one) => Array.from({ length: TIMES }, (_, time) => ({ ...one, time }))),
      );
      const [site = ''] = world.sites;
      for (const [index, { visit, eventId, time }] of deliveries.entries()) {
        if (index === 150) await world.rabbit.send(world.exchange, `encounter.${site}.finished`, POISON);
        if (time % 2 === 0) await publish(eventId, visit);
        else expect(await push(eventId, visit)).toBe(200);
      }
      for (const { eventId, visit } of visits) world.noteTold(eventId, visit);
      await untilQuiet(world, engine);
      // Repeated deliveries of the broker may still be in the queue.
      const queue = `chartwright.${site}.encounters`;
      await eventually(async () => ((await world.rabbit.look(queue))?.messages === 0 ? true : undefined));
      expect(await whatIsWrong(world, engine, { compared: 500 })).toEqual([]);
      const runs = await runsOf(engine);
      expect(runs.map(({ encounter }) => encounter).toSorted()).toEqual(
        visits.map(({ visit }) => visit.encounter).toSorted(),
      );
      expect(visits.filter(({ visit }) => chartShape(world, visit.encounter).join() !== WHOLE_CHART.join())).toEqual(
        [],
      );
      for (const { id, trigger } of runs) {
        const { events } = await viewOf(engine, id);
        const told = events.filter(({ eventId }) => eventId?.startsWith('adt-'));
        expect(told).toEqual([expect.objectContaining({ repeats: TIMES - 1 })]);
        expect(trigger.receivedAt).toBeDefined();
      }
    },
    LIMIT_MS,
  );

  it('an unreadable message is unchanged in the dead-letter queue and is listed with its reason', async () => {
    const [site = ''] = world.sites;
    const letter = await world.rabbit.take(`chartwright.${site}.dead`);
    expect(letter.content.equals(POISON)).toBe(true);
    expect(letter.properties.headers).toMatchObject({ 'x-chartwright-site': site });
    const { deliveries } = (await engine.ops('GET', `/aside?site=${site}`)) as Aside;
    expect(deliveries).toEqual([
      expect.objectContaining({ site, source: 'amqp', outcome: 'not-understood', why: expect.any(String) }),
    ]);
    expect((await world.rabbit.look(`chartwright.${site}.dead`))?.messages).toBe(0);
  });

  it('a sender with a wrong secret gets 401 and makes no run', async () => {
    const visit = world.admit();
    const body = bodyOf('adt-forged', visit);
    const headers = {
      'content-type': 'application/json',
      'x-signature': createHmac('sha256', 'a guess').update(body).digest('hex'),
    };
    const response = await fetch(`${engine.url}/ehr/${visit.site}/events`, { method: 'POST', headers, body });
    expect(response.status).toBe(401);
    expect(await runsOf(engine, { encounter: visit.encounter })).toEqual([]);
  });

  it('an event id that is used again for another encounter is quarantined and makes no run', async () => {
    const [first, second] = [world.admit(), world.admit()];
    await world.tell(first, 'adt-reused');
    await untilRun(engine, first.encounter);
    expect(await push('adt-reused', second)).toBe(422);
    const { deliveries } = (await engine.ops('GET', '/aside')) as Aside;
    expect(deliveries).toContainEqual(expect.objectContaining({ outcome: 'id-reused', source: 'push' }));
  });

  it(
    'an event that the broker delivers again because its acknowledgement was lost when the engine died makes no second run',
    async () => {
      const visit = world.admit();
      gate.withhold();
      const eventId = await world.tell(visit);
      const run = await untilRun(engine, visit.encounter);
      await world.kill(engine);
      engine = await world.start('a');
      await eventually(async () => {
        const { events } = await viewOf(engine, run.id);
        return events.some((one) => one.eventId === eventId && one.repeats === 1) ? true : undefined;
      });
      expect(await runsOf(engine, { encounter: visit.encounter })).toHaveLength(1);
      expect(await whatIsWrong(world, engine)).toEqual([]);
    },
    LIMIT_MS,
  );
});
