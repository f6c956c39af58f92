// One engine that is killed with -9 while several visits are each held at a moment of their own: what is left of them is what a crash at
// that moment leaves, and one start later all of them must be in the chart as if nothing had been.
import type { Engine } from './engine.ts';
import { chartShape, eventually, untilRun } from './journey-runs.ts';
import type { Gate, Hold, Moment, PassedRequest } from './run-crash-proxy.ts';
import type { Visit, World } from './run-world.ts';

export const MOMENTS = ['before', 'after'] as const satisfies readonly Moment[];

export type CrashPoint = {
  /** For people. */
  readonly name: string;
  readonly gate: Gate;
  /** Absent: the first of the world. */
  readonly site?: string;
  readonly hold: (visit: Visit) => Hold;
};

/** As many runs as are held. */
export const MANY_AT_ONCE = { WORKERS: '60', MAX_SPEECH_CALLS: '60', MAX_REASONER_CALLS: '60' } as const;

export function mentions({ id }: Visit): (request: PassedRequest) => boolean {
  const names = new RegExp(`(?:e|p|audio)-${id}\\b`);
  return ({ path, body }) => names.test(path) || names.test(body.toString('latin1'));
}

/** Searches of the engine would resolve encounters again at unpredictable moments. */
export function withoutSearches(world: World): void {
  for (const site of world.sites) world.gateOf(site).block(({ path }) => path.includes('_lastUpdated='));
}

/** How much one more visit, without accidents, asks of the EHR until its encounter is read again before the write, and from then on. */
export async function countRequests(
  world: World,
  engine: Engine,
  gate: Gate,
): Promise<{ readonly reading: number; readonly writing: number }> {
  const visit = world.admit({ id: 'counted' });
  await world.tell(visit);
  await untilRun(engine, visit.encounter);
  const requests = gate.asked.filter(mentions(visit));
  const reading = requests.findLastIndex(({ path }) => path.endsWith(visit.encounter));
  return { reading, writing: requests.length - reading };
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
  // An event that finds its recording held must not find the next one's.
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

/** Points after which the chart is not the one that is wanted. */
export function unlike(world: World, { visits }: Crashed, wanted: readonly string[]): readonly string[] {
  return visits
    .filter(({ visit }) => chartShape(world, visit.encounter).join() !== wanted.join())
    .map(({ point, visit }) => `${point}: ${chartShape(world, visit.encounter).join(', ')}`);
}
