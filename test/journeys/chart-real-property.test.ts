// Any scenario of writes, changed writes, retractions, people, stopped engines and faults, on the real parts: each document is in the chart
// at most once, exactly once if the outcome is written, and what a person has changed stays as that person left it.
import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/fast-check.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';
import { aScenario, liveThrough } from '../support/real-scenarios.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 100);
const SEED = Number(process.env['FC_SEED'] ?? 20_261_122);
/** The limit on a slow machine; more runs take longer in proportion. */
const PATIENCE_MS = 90_000 + RUNS * 2_000;

const testbed = openedForFile(openRealTestbed);

describe('any scenario of a chart on the real parts', () => {
  it(
    'any scenario ends with each document in the chart at most once, and exactly once if the outcome is written',
    async () => {
      await fc.assert(
        fc.asyncProperty(aScenario, async (scenario) => {
          expect(await liveThrough(testbed, scenario)).toEqual([]);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    },
    PATIENCE_MS,
  );
});
