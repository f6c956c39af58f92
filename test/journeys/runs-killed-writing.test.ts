// kill -9 of a whole engine before and after each request with which it writes a chart, from the last check of the patient to the count of
// the resources. Another engine, or the same one again, finds out what was stored. No chart has a resource twice, and none lacks a resource.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartOf } from '../support/journey-runs.ts';
import type { PassedRequest } from '../support/run-crash-proxy.ts';
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
/** The requests for a Device: a search, a create, and a search. */
const DEVICE_REQUESTS = 3;

let world: World;
let engine: Engine;
/** Of the site whose EHR answers batches, and of the one whose EHR refuses them. */
let sites: readonly string[] = [];
let counts: readonly Awaited<ReturnType<typeof countRequests>>[] = [];

beforeAll(async () => {
  const size = 2 + DEVICE_REQUESTS * MOMENTS.length;
  world = await startWorld({ hasGates: true, sites: size, maxConcurrentWrites: 60 });
  sites = world.sites.slice(0, 2);
  withoutSearches(world);
  withoutBatches(world, sites[1] ?? '');
  engine = await world.start('a', MANY_AT_ONCE);
  counts = await Promise.all(sites.map((site) => countRequests(world, engine, site)));
});
afterAll(() => world?.close());

/** The crash points at sites that have no Device yet. */
function devicePoints(): readonly CrashPoint[] {
  const isDevice = ({ path, body }: { readonly path: string; readonly body: Buffer }) =>
    path.includes('/Device?') || body.includes('"resourceType":"Device"');
  return MOMENTS.flatMap((moment, index) =>
    Array.from({ length: DEVICE_REQUESTS }, (_, nth) => {
      const site = world.sites[2 + index * DEVICE_REQUESTS + nth] ?? '';
      return {
        name: `${moment} request ${nth + 1} for the Device`,
        site,
        gate: world.gateOf(site),
        hold: () => ({ moment, nth: nth + 1, fits: isDevice }),
      };
    }),
  );
}

function writePoints(site: string, of: number): readonly CrashPoint[] {
  const { reading = 0, writing = 0 } = counts[of] ?? {};
  return MOMENTS.flatMap((moment) =>
    Array.from({ length: writing }, (_, index) => ({
      name: `${moment} request ${index + 1} of the write at ${site}`,
      site,
      gate: world.gateOf(site),
      hold: (visit: Visit) => ({ moment, nth: reading + index + 1, fits: mentions(visit) }),
    })),
  );
}

describe('an engine that is killed while it writes', () => {
  it(
    'an engine that is killed at any request of a write leaves only runs that are finished later, each written once',
    async () => {
      // Before the write, the transaction, and after it; without batches each search is a request of its own.
      expect(counts.map(({ writing }) => writing)).toEqual([3, expect.any(Number)]);
      expect(counts[1]?.writing).toBeGreaterThan(10);
      const crashed = await crashAt(world, engine, [...sites.flatMap(writePoints), ...devicePoints()]);
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
    const isWrite = ({ method, body }: PassedRequest) => method === 'POST' && !body.includes('"type":"batch"');
    const encounterOf = ({ body }: PassedRequest) => /"Encounter\/e-([^"]+)"/.exec(body.toString())?.[1];
    const repeated = sites.flatMap((site) => {
      const sent = Map.groupBy(world.gateOf(site).asked.filter(isWrite), encounterOf);
      return [...sent.values()].filter((bodies) => bodies.length > 1);
    });
    expect(repeated.length).toBeGreaterThan(0);
    expect(repeated.every((bodies) => new Set(bodies.map(({ body }) => body.toString())).size === 1)).toBe(true);
  });
});
