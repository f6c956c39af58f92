// The EHR's own Subscriptions, end to end: the engine makes one, the EHR tells it of encounters, signed; what it missed while it was down it
// finds by itself; and a Subscription that was switched off or deleted is there again.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { eventually, untilRun, viewOf } from '../support/journey-runs.ts';
import { startWorld, type World } from '../support/run-world.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 120_000;
const SECRET = 'made-up-secret-of-the-hook';
const SETTINGS = `events:\n  subscription: { kind: rest-hook, criteria: "Encounter?status=finished", secret: "${SECRET}" }`;

let world: World;
let engine: Engine;

beforeAll(async () => {
  world = await startWorld({ settings: SETTINGS });
  engine = await world.start();
});
afterAll(() => world?.close());

/** With where this start of the engine can be reached. */
const untilActive = () =>
  eventually(
    () => {
      const [only, ...others] = world.ehr.store.all('Subscription');
      const isOurs = only?.status === 'active' && only.channel.endpoint?.startsWith(`${engine.url}/ehr/`) === true;
      return isOurs && others.length === 0 ? only : undefined;
    },
    { what: 'an active Subscription' },
  );

async function sourcesOf(encounter: string): Promise<readonly string[]> {
  const { id } = await untilRun(engine, encounter);
  return (await viewOf(engine, id)).events.map(({ source }) => source);
}

describe('an EHR with Subscriptions', () => {
  test(
    'tells the engine of an encounter, signed, and its note is in the chart',
    async () => {
      const subscription = await untilActive();
      expect(subscription).toMatchObject({ channel: { type: 'rest-hook' } });
      // Those that are cancelled later it must hear of, too.
      expect(subscription.criteria).toBe('Encounter?status=finished,cancelled,entered-in-error');
      const visit = world.admit();
      await untilRun(engine, visit.encounter);
      await world.ehr.subscriptions.settled();
      const sent = world.ehr.subscriptions.sent();
      expect(sent.at(-1)).toMatchObject({ answers: [200] });
      expect(Object.keys(sent.at(-1)?.headers ?? {}).map((name) => name.toLowerCase())).toContain('x-signature');
      await eventually(async () => ((await sourcesOf(visit.encounter)).includes('subscription') ? true : undefined));
    },
    LIMIT_MS,
  );

  test(
    'tells it again at each later update, and makes no second note',
    async () => {
      const visit = world.admit();
      await untilRun(engine, visit.encounter);
      const encounter = world.ehr.store.get(visit.encounter);
      if (encounter?.resourceType !== 'Encounter') throw new Error('the encounter is gone');
      for (const text of ['seen', 'billed', 'archived']) {
        world.ehr.store.put({ ...encounter, type: [{ text }] });
        await world.ehr.subscriptions.settled();
      }
      expect(await whatIsWrong(world, engine)).toEqual([]);
      const { runs } = (await engine.ops('GET', `/runs?encounter=${visit.encounter}`)) as {
        readonly runs: readonly unknown[];
      };
      expect(runs).toHaveLength(1);
    },
    LIMIT_MS,
  );

  test(
    'loses no encounter that ended while the engine was down, nor its Subscription, which somebody switched off',
    async () => {
      engine.signal('SIGTERM');
      await engine.exited;
      const [subscription] = world.ehr.store.all('Subscription');
      if (!subscription) throw new Error('there is no Subscription');
      world.ehr.store.put({ ...subscription, status: 'off' });
      const missed = world.admit();
      engine = await world.start();
      expect(new Set(await sourcesOf(missed.encounter))).toEqual(new Set(['catch-up']));
      await untilActive();
      const later = world.admit();
      await eventually(async () => ((await sourcesOf(later.encounter)).includes('subscription') ? true : undefined));
      expect(await whatIsWrong(world, engine)).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'gets another Subscription for one that somebody deleted',
    async () => {
      const old = await untilActive();
      await world.kill(engine);
      world.ehr.store.remove(`Subscription/${old.id}`);
      engine = await world.start();
      expect((await untilActive()).id).not.toBe(old.id);
    },
    LIMIT_MS,
  );

  test('is not believed without the secret', async () => {
    const visit = world.admit({ status: 'in-progress' });
    const url = `${engine.url}/ehr/${visit.site}/events`;
    const body = JSON.stringify(world.ehr.store.get(visit.encounter));
    const headers = { 'content-type': 'application/fhir+json', 'x-signature': 'f'.repeat(64) };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
  });
});
