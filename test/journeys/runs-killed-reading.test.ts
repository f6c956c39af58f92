// kill -9 of a whole engine, before and after everything that it asks outside until it begins to write: each of the EHR's answers, and each
// of the vendors'. Started again on its folder it brings all of them to the chart, once, as if nothing had been.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { runsOf } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import {
  type CrashPoint,
  countRequests,
  crashAt,
  MANY_AT_ONCE,
  MOMENTS,
  mentions,
  unlike,
  withoutSearches,
} from '../support/run-world-crashes.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;

let world: World;
let engine: Engine;
/** Of one run, until it begins to write. */
let reading = 0;

beforeAll(async () => {
  world = await startWorld({ hasGates: true });
  withoutSearches(world);
  engine = await world.start('a', MANY_AT_ONCE);
  ({ reading } = await countRequests(world, engine, world.gateOf(world.sites[0] ?? '')));
});
afterAll(() => world?.close());

const killAt = async (points: readonly CrashPoint[]): Promise<readonly string[]> => {
  const crashed = await crashAt(world, engine, points);
  ({ engine } = crashed);
  return [...unlike(world, crashed, WHOLE_CHART), ...(await whatIsWrong(world, engine, { compared: 500 }))];
};

describe('an engine that is killed', () => {
  test.each(MOMENTS)(
    '%s any answer of the EHR reads on after its start',
    async (moment) => {
      const gate = world.gateOf(world.sites[0] ?? '');
      const points = Array.from({ length: reading }, (_, index) => ({
        name: `${moment} request ${index + 1} to the EHR`,
        gate,
        hold: (visit) => ({ moment, nth: index + 1, fits: mentions(visit) }),
      })) satisfies CrashPoint[];
      expect(points.length).toBeGreaterThan(10);
      expect(await killAt(points)).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'before or after any answer of a vendor asks again, or goes on with what it has',
    async () => {
      const asks =
        (schema: string) =>
        ({ body }: { readonly body: Buffer }) =>
          body.includes(`"${schema}"`);
      const points = MOMENTS.flatMap((moment): readonly CrashPoint[] => [
        { name: `${moment} the transcript`, gate: world.speechGate, hold: () => ({ moment }) },
        { name: `${moment} the note`, gate: world.modelGate, hold: () => ({ moment, fits: asks('clinical_note') }) },
        {
          name: `${moment} the diagnosis`,
          gate: world.modelGate,
          hold: () => ({ moment, fits: asks('differential_diagnosis') }),
        },
      ]);
      const asked = world.speech.requests.length;
      expect(await killAt(points)).toEqual([]);
      // Two died while they listened, one of them before the vendor had heard of it; nobody else listens twice.
      expect(world.speech.requests.length - asked).toBe(points.length + 1);
    },
    LIMIT_MS,
  );

  test('counts each as the one crash that it was', async () => {
    const runs = await runsOf(engine);
    expect(runs.every(({ crashes, tries }) => crashes <= 1 && tries === 0)).toBe(true);
    expect(runs.filter(({ crashes }) => crashes === 1)).toHaveLength(2 * reading + 6);
  });
});
