// Two engines share one PostgreSQL and one broker. One of them is killed in the middle of its work, and the other one finishes all runs, each
// once.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartShape, eventually, runsOf } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { untilQuiet, whatIsWrong } from '../support/run-world-invariants.ts';

const RUNS = 200;
/** The result of a write that a killed engine had begun is uncertain for a minute and a half. */
const LIMIT_MS = 240_000;

let world: World;
let engines: readonly [Engine, Engine];

beforeAll(async () => {
  world = await startWorld({ maxConcurrentWrites: 8 });
  engines = await Promise.all([world.start('a'), world.start('b')]);
});
afterAll(() => world?.close());

const endedAt = (engine: Engine) => engine.output().stderr.split('"msg":"a run ended"').length - 1;

it(
  '200 runs are written once each although one of two engines is killed',
  async () => {
    const [killed, survivor] = engines;
    const visits = Array.from({ length: RUNS }, () => world.admit());
    await Promise.all(visits.map((visit) => world.tell(visit)));
    await eventually(() => (endedAt(killed) >= 20 && endedAt(survivor) >= 20 ? true : undefined));
    await world.kill(killed);
    const leftBehind = (await runsOf(survivor)).filter(({ status }) => status !== 'written').length;
    await untilQuiet(world, survivor);
    expect(await whatIsWrong(world, survivor)).toEqual([]);
    const runs = await runsOf(survivor);
    expect(runs.map(({ status }) => status)).toEqual(Array(RUNS).fill('written'));
    expect(visits.filter(({ encounter }) => chartShape(world, encounter).join() !== WHOLE_CHART.join())).toEqual([]);
    // The engine was killed in the middle of its work.
    expect(leftBehind).toBeGreaterThan(8);
    expect(runs.some(({ crashes }) => crashes === 1)).toBe(true);
    expect(Math.min(endedAt(killed), endedAt(survivor))).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
