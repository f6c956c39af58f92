// How often a run sends a request: to the EHR, to speech recognition and to the model. Each one costs time at every hospital.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartShape, untilRun } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';

const LIMIT_MS = 150_000;
const MOST_OF_AN_EVENT = 12;
const MOST_OF_A_WRITE = 6;

let world: World;
let engine: Engine;

beforeAll(async () => {
  world = await startWorld();
  engine = await world.start('a');
}, LIMIT_MS);
afterAll(() => world?.close());

/** The requests of the run of one more visit. */
async function document(): Promise<{ readonly ehr: readonly string[]; readonly all: number }> {
  const count = () => world.model.requests.length + world.speech.requests.length;
  const [before, asked] = [count(), world.ehr.faults.seen.length];
  const visit = world.admit();
  await world.tell(visit);
  await untilRun(engine, visit.encounter);
  expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
  const ehr = world.ehr.faults.seen.slice(asked).map(({ method, url, isReadBatch, isTransaction }) => {
    if (isReadBatch) return 'batch of reads';
    return isTransaction ? 'transaction' : `${method} ${url.split(/[/?]/)[0]}`;
  });
  return { ehr, all: ehr.length + count() - before };
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
