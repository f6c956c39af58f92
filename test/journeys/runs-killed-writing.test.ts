// kill -9 of a whole engine before and after each request with which it writes a chart, from the last check of the patient to the count of
// the resources. Another engine, or the same one again, finds out what was stored. No chart has a resource twice, and none lacks a resource.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartOf } from '../support/journey-runs.ts';
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
/** The requests for a Device: a search, a create, and a search. */
const DEVICE_REQUESTS = 3;

let world: World;
let engine: Engine;
let reading = 0;
let writing = 0;

beforeAll(async () => {
  world = await startWorld({ hasGates: true, sites: 1 + DEVICE_REQUESTS * MOMENTS.length, maxConcurrentWrites: 60 });
  withoutSearches(world);
  engine = await world.start('a', MANY_AT_ONCE);
  ({ reading, writing } = await countRequests(world, engine, world.gateOf(world.sites[0] ?? '')));
});
afterAll(() => world?.close());

/** The crash points at sites that have no Device yet. */
function devicePoints(): readonly CrashPoint[] {
  const isDevice = ({ path, body }: { readonly path: string; readonly body: Buffer }) =>
    path.includes('/Device?') || body.includes('"resourceType":"Device"');
  return MOMENTS.flatMap((moment, index) =>
    Array.from({ length: DEVICE_REQUESTS }, (_, nth) => {
      const site = world.sites[1 + index * DEVICE_REQUESTS + nth] ?? '';
      return {
        name: `${moment} request ${nth + 1} for the Device`,
        site,
        gate: world.gateOf(site),
        hold: () => ({ moment, nth: nth + 1, fits: isDevice }),
      };
    }),
  );
}

describe('an engine that is killed while it writes', () => {
  it(
    'an engine that is killed at any request of a write leaves only runs that are finished later, each written once',
    async () => {
      const gate = world.gateOf(world.sites[0] ?? '');
      expect(writing).toBeGreaterThan(10);
      const points = MOMENTS.flatMap((moment) =>
        Array.from(
          { length: writing },
          (_, index) =>
            ({
              name: `${moment} request ${index + 1} of the write`,
              gate,
              hold: (visit) => ({ moment, nth: reading + index + 1, fits: mentions(visit) }),
            }) satisfies CrashPoint,
        ),
      );
      const crashed = await crashAt(world, engine, [...points, ...devicePoints()]);
      ({ engine } = crashed);
      expect(unlike(world, crashed, WHOLE_CHART)).toEqual([]);
      expect(await whatIsWrong(world, engine, { compared: 500 })).toEqual([]);
    },
    LIMIT_MS,
  );

  it('an engine that is killed at requests for the Device has made one Device at each site in the end', () => {
    const devices = chartOf(world).filter(({ resource }) => resource['resourceType'] === 'Device');
    expect(devices.map(({ site }) => site).toSorted()).toEqual(world.sites.toSorted());
  });

  it('an engine that was killed repeats a write only with the same bytes', () => {
    const sent = world.gateOf(world.sites[0] ?? '').asked.filter(({ method }) => method === 'POST');
    const visits = Map.groupBy(sent, ({ body }) => /"Encounter\/e-([^"]+)"/.exec(body.toString())?.[1]);
    const repeated = [...visits.values()].filter((bodies) => bodies.length > 1);
    expect(repeated.length).toBeGreaterThan(0);
    expect(repeated.every((bodies) => new Set(bodies.map(({ body }) => body.toString())).size === 1)).toBe(true);
  });
});
