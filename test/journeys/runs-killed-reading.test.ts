// kill -9 of a whole engine before and after each of its requests until it begins to write: each answer of the EHR, and each answer of a
// vendor. After a start on the same folder, all runs are in the chart once, as if nothing had happened.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { runsOf } from '../support/journey-runs.ts';
import { startWorld, type Visit, WHOLE_CHART, type World } from '../support/run-world.ts';
import {
  type CrashPoint,
  countRequests,
  crashAt,
  MANY_AT_ONCE,
  MOMENTS,
  mentions,
  unlike,
  withoutBatches,
  withoutSearches,
} from '../support/run-world-crashes.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;

let world: World;
let engine: Engine;
/** The numbers of requests of one run until it begins to write: at an EHR that answers batches, and at one that refuses them. */
let readings: readonly number[] = [];

beforeAll(async () => {
  world = await startWorld({ hasGates: true, sites: 2 });
  withoutSearches(world);
  withoutBatches(world, world.sites[1] ?? '');
  engine = await world.start('a', MANY_AT_ONCE);
  const counts = await Promise.all(world.sites.map((site) => countRequests(world, engine, site)));
  readings = counts.map(({ reading }) => reading);
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
      // Encounter, patient, recordings, facts and the recording itself; without batches each search is a request of its own.
      expect(readings).toEqual([5, expect.any(Number)]);
      expect(readings[1]).toBeGreaterThan(10);
      const points = world.sites.flatMap((site, of) =>
        Array.from({ length: readings[of] ?? 0 }, (_, index): CrashPoint => {
          const hold = (visit: Visit) => ({ moment, nth: index + 1, fits: mentions(visit) });
          return { name: `${moment} request ${index + 1} to the EHR of ${site}`, site, gate: world.gateOf(site), hold };
        }),
      );
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
    expect(runs.filter(({ crashes }) => crashes === 1)).toHaveLength(
      2 * (readings[0] ?? 0) + 2 * (readings[1] ?? 0) + 6,
    );
  });
});
