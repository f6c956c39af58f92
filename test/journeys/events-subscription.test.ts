// The EHR's own Subscriptions, end to end: the engine makes one, the EHR notifies it of encounters with a signature, the engine finds by itself
// what it missed while it was down, and a Subscription that was switched off or deleted is made again.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

/** Waits for an active Subscription with the address of this start of the engine. */
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
  it(
    'an EHR notifies the engine of an encounter with a signature, and the note is in the chart',
    async () => {
      const subscription = await untilActive();
      expect(subscription).toMatchObject({ channel: { type: 'rest-hook' } });
      // The engine must also be notified of encounters that are cancelled later.
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

  it(
    'repeated notifications of an EHR about updates of an encounter make no second note',
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

  it(
    'an engine finds the encounters that ended while it was down, and makes a Subscription active again that was switched off',
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

  it(
    'an engine makes another Subscription for one that was deleted',
    async () => {
      const old = await untilActive();
      await world.kill(engine);
      world.ehr.store.remove(`Subscription/${old.id}`);
      engine = await world.start();
      expect((await untilActive()).id).not.toBe(old.id);
    },
    LIMIT_MS,
  );

  it('a notification with a wrong signature is 401', async () => {
    const visit = world.admit({ status: 'in-progress' });
    const url = `${engine.url}/ehr/${visit.site}/events`;
    const body = JSON.stringify(world.ehr.store.get(visit.encounter));
    const headers = { 'content-type': 'application/fhir+json', 'x-signature': 'f'.repeat(64) };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
  });
});
