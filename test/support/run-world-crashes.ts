// One engine that is killed with -9 while several visits are each held at a moment of their own. Each is left in the state of a crash at that
// moment, and after the next start all of them must be in the chart as if nothing had happened.
import type { Engine } from './engine.ts';
import { chartShape, eventually, untilRun } from './journey-runs.ts';
import type { Gate, Hold, Moment, PassedRequest } from './run-crash-proxy.ts';
import type { Visit, World } from './run-world.ts';

export const MOMENTS = ['before', 'after'] as const satisfies readonly Moment[];

export type CrashPoint = {
  /** The name in messages of the test. */
  readonly name: string;
  readonly gate: Gate;
  /** Absent: the first site of the world. */
  readonly site?: string;
  readonly hold: (visit: Visit) => Hold;
};

/** Allows as many runs at once as a test holds. */
export const MANY_AT_ONCE = { WORKERS: '60', MAX_SPEECH_CALLS: '60', MAX_REASONER_CALLS: '60' } as const;

export function mentions({ id }: Pick<Visit, 'id'>): (request: PassedRequest) => boolean {
  const names = new RegExp(`(?:e|p|audio)-${id}\\b`);
  return ({ path, body }) => names.test(path) || names.test(body.toString('latin1'));
}

/** Searches of the engine would resolve encounters again at unpredictable moments. */
export function withoutSearches(world: World): void {
  for (const site of world.sites) world.gateOf(site).block(({ path }) => path.includes('_lastUpdated='));
}

/**
 * Counts the requests of one more visit without crashes: until its encounter is read again before the write, and from then on. With the
 * visit before it the EHR has proved whether it answers batches of reads.
 */
export async function countRequests(
  world: World,
  engine: Engine,
  site = world.sites[0] ?? '',
): Promise<{ readonly reading: number; readonly writing: number }> {
  for (const id of [`first-${site}`, `counted-${site}`]) {
    const visit = world.admit({ id, site });
    await world.tell(visit);
    await untilRun(engine, visit.encounter);
  }
  const requests = world.gateOf(site).asked.filter(mentions({ id: `counted-${site}` }));
  const encounter = `Encounter/e-counted-${site}`;
  const readsEncounter = ({ path, body }: PassedRequest) =>
    path.endsWith(encounter) || body.includes(`"method":"GET","url":"${encounter}"`);
  const reading = requests.findLastIndex(readsEncounter);
  return { reading, writing: requests.length - reading };
}

/** The site's EHR refuses batches, so that each read is a request of its own. */
export function withoutBatches(world: World, site: string): void {
  world.ehrOf(site).faults.set([{ mode: 'wrong-batches', how: 'refused' }]);
}

export type Crashed = {
  readonly engine: Engine;
  readonly visits: readonly { readonly point: string; readonly visit: Visit }[];
};

/** Brings a visit to each of the points, kills the engine, starts it on the same folder, and waits until all are written. */
export async function crashAt(world: World, engine: Engine, points: readonly CrashPoint[]): Promise<Crashed> {
  const visits = points.map((point) => {
    const visit = world.admit(point.site === undefined ? {} : { site: point.site });
    return { point: point.name, visit, held: point.gate.hold(point.hold(visit)) };
  });
  // The runs of events that wait for a held recording must not be found by later events.
  for (const { visit } of visits) await world.tell(visit);
  for (const { point, held } of visits) {
    const passed: { reached?: true } = {};
    void held.reached.then(() => {
      passed.reached = true;
    });
    await eventually(() => passed.reached, { what: `the moment ${point}` });
  }
  await world.kill(engine);
  const next = await world.start('a', MANY_AT_ONCE);
  for (const { visit } of visits) await untilRun(next, visit.encounter);
  return { engine: next, visits };
}

/** Returns the points after which the chart differs from the expected one. */
export function unlike(world: World, { visits }: Crashed, wanted: readonly string[]): readonly string[] {
  return visits
    .filter(({ visit }) => chartShape(world, visit.encounter).join() !== wanted.join())
    .map(({ point, visit }) => `${point}: ${chartShape(world, visit.encounter).join(', ')}`);
}
