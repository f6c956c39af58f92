// Whatever happens to a hospital and its engines, in any order: nothing is lost, nothing is done twice, and each recording is documented.
// And each of the four things that make it so is needed: without it, a scenario that breaks the promise is found.
import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/fast-check.ts';
import { aWorld, endWell, RUN_COMMANDS } from '../support/run-commands.ts';
import { RUN_SABOTAGES } from '../support/run-model-sabotage.ts';
import { liveThrough, momentsOf, SCENARIOS } from '../support/run-model-scenarios.ts';
import type { RunSabotage } from '../support/run-model-testbed.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 150);
const SEED = Number(process.env['FC_SEED'] ?? 20_261_122);

/** As long as the other one works. */
const NEVER = 1_000;

const scenarios = fc.commands([...RUN_COMMANDS], { maxCommands: 30, size: 'max' });

describe('any sequence of events, crashes, failures and decisions', () => {
  it('each recording is documented once, or has a reason why not', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (commands) => {
        const { model, real } = aWorld();
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await endWell(model, real);
      }),
      { numRuns: RUNS, seed: SEED },
    );
    expect(RUNS).toBeGreaterThan(0);
  });
});

/** In scenarios in which one process sleeps while another works. */
async function findBySleepers(breaks: RegExp, sabotage: () => RunSabotage): Promise<boolean> {
  const scenario = SCENARIOS['a run from its event to the chart'];
  const moments = [...(await momentsOf(scenario)).keys()];
  for (const [wakesAt, at] of [11, 45, NEVER].flatMap((wakes) =>
    moments.map((moment) => [wakes, moment + 1] as const),
  )) {
    const accident = { at, how: 'freezes-before', asleepMs: 25_000, wakesAt } as const;
    const { problems } = await liveThrough(scenario, accident, sabotage());
    if (problems.some((problem) => breaks.test(problem))) return true;
  }
  return false;
}

async function findByAny(breaks: RegExp, sabotage: () => RunSabotage): Promise<boolean> {
  const outcome = await fc.check(
    fc.asyncProperty(scenarios, async (commands) => {
      const { model, real } = aWorld(sabotage());
      const told = await fc
        .asyncModelRun(() => ({ model, real }), commands)
        .then(() => endWell(model, real))
        .then(
          () => '',
          (thrown: unknown) => String(thrown),
        );
      expect(told.split('\n').filter((line) => breaks.test(line.replace('Error: ', '')))).toEqual([]);
    }),
    { numRuns: 300, seed: SEED, endOnFailure: true },
  );
  return outcome.failed;
}

describe('the model test detects an engine', () => {
  it.each(Object.entries(RUN_SABOTAGES))('without %s', async (_, { breaks, sabotage, shownBy }) => {
    const find = shownBy === 'sleepers' ? findBySleepers : findByAny;
    expect(await find(breaks, sabotage)).toBe(true);
  });
});
