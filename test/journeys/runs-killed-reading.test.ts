// kill -9 of a whole engine before and after each of its requests until it begins to write: each answer of the EHR, and each answer of a
// vendor. After a start on the same folder, all runs are in the chart once, as if nothing had happened.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
/** The number of requests of one run until it begins to write. */
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

describe('an engine that is killed before it writes', () => {
  it.each(MOMENTS)(
    'an engine that is killed %s an answer of the EHR continues to read after its start',
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

  it(
    'an engine that is killed before or after an answer of a vendor repeats the call, or continues with the stored answer',
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
      // Two runs were killed at their transcription, one of them before the vendor got the request. No other recording is sent twice.
      expect(world.speech.requests.length - asked).toBe(points.length + 1);
    },
    LIMIT_MS,
  );

  it('each killed run counts one crash and no try', async () => {
    const runs = await runsOf(engine);
    expect(runs.every(({ crashes, tries }) => crashes <= 1 && tries === 0)).toBe(true);
    expect(runs.filter(({ crashes }) => crashes === 1)).toHaveLength(2 * reading + 6);
  });
});
