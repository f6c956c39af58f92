// How often a run sends a request: to the EHR, to speech recognition and to the model. Each one costs time at every hospital.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartShape, untilRun } from '../support/journey-runs.ts';
import type { PassedRequest } from '../support/run-crash-proxy.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { mentions, withoutSearches } from '../support/run-world-crashes.ts';

const LIMIT_MS = 150_000;
const MOST_OF_AN_EVENT = 12;
const MOST_OF_A_WRITE = 6;

let world: World;
let engine: Engine;

beforeAll(async () => {
  world = await startWorld({ hasGates: true });
  // Searches of the engine would resolve an encounter once more at an unpredictable moment.
  withoutSearches(world);
  engine = await world.start('a');
}, LIMIT_MS);
afterAll(() => world?.close());

/** The requests of the run of one more visit. */
async function document(): Promise<{ readonly ehr: readonly string[]; readonly all: number }> {
  const ofVendors = () => world.model.requests.length + world.speech.requests.length;
  const before = ofVendors();
  const visit = world.admit();
  await world.tell(visit);
  await untilRun(engine, visit.encounter);
  expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
  const ehr = world.gateOf(visit.site).asked.filter(mentions(visit)).map(kindOf);
  return { ehr, all: ehr.length + ofVendors() - before };
}

function kindOf({ method, path, body }: PassedRequest): string {
  if (body.includes('"type":"batch"')) return 'batch of reads';
  if (body.includes('"type":"transaction"')) return 'transaction';
  return `${method} ${/R4\/([A-Za-z]+)/.exec(path)?.[1]}`;
}

it(
  `an event needs at most ${MOST_OF_AN_EVENT} requests, at most ${MOST_OF_A_WRITE} of them for the write, once the EHR is proven to answer batches`,
  async () => {
    await document();
    const { ehr, all } = await document();
    expect(ehr).toEqual([
      'GET Encounter',
      'GET Patient',
      // The recordings with the Consents, and then the facts of the chart.
      'batch of reads',
      'batch of reads',
      'GET Binary',
      // Encounter, patient, Consents and the documents before the write; the documents after it.
      'batch of reads',
      'transaction',
      'batch of reads',
    ]);
    expect(all).toBeLessThanOrEqual(MOST_OF_AN_EVENT);
    expect(ehr.slice(ehr.indexOf('GET Binary') + 1).length).toBeLessThanOrEqual(MOST_OF_A_WRITE);
  },
  LIMIT_MS,
);
