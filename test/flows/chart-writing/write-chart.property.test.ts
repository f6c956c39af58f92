// Whatever happens during a write, each document ends in the chart once, or the outcome has the reason. Each of four safety measures is
// needed for that: without it, a scenario that breaks the rule is found.
import { describe, expect, it } from '@jest/globals';
import { liveThrough, momentsOf, type Step, type Task } from '../../support/chart-histories.ts';
import { SABOTAGES } from '../../support/chart-sabotage.ts';
import { aHistory } from '../../support/chart-scenarios.ts';
import { fc } from '../../support/fast-check.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 400);
const SEED = Number(process.env['FC_SEED'] ?? 20_261_121);

const FIRST: Task = { result: 0 };
const WORK: readonly [string, readonly Task[], Task][] = [
  ['a first write', [], FIRST],
  ['a changed note', [FIRST], { result: 1 }],
  ['changed diseases', [FIRST], { result: 2 }],
  ['a disease that comes back', [FIRST, { result: 3 }], { result: 0 }],
  ['a retraction', [FIRST], { result: 'retract' }],
];
const asSteps = (tasks: readonly Task[]) => tasks.map((task): Step => ({ kind: 'work', ...task }));

describe('a process that ends at any moment of', () => {
  it.each(WORK)('%s leaves nothing twice and nothing lost after a later try', async (_, before, task) => {
    const moments = await momentsOf([...before, task]);
    expect(moments.length).toBeGreaterThan(15);
    for (const how of ['dies-before', 'dies-after', 'is-stopped'] as const) {
      for (const [index, moment] of moments.entries()) {
        const last: Step = { kind: 'work', ...task, fate: { at: index + 1, how } };
        const told = await liveThrough({ steps: [...asSteps(before), last] });
        expect({ how, moment, at: index + 1, told }).toEqual({ how, moment, at: index + 1, told: [] });
      }
    }
  });
});

describe('a process that sleeps at any moment of', () => {
  it.each(WORK)('%s and wakes when another has taken over does no harm', async (_, before, task) => {
    const moments = await momentsOf([...before, task]);
    for (const how of ['freezes-before', 'freezes-after'] as const) {
      for (const [index, moment] of moments.entries()) {
        const fate = { at: index + 1, how };
        const last: Step = { kind: 'zombie', ...task, fate, asleepMs: 31_000, wakesAt: 1 + ((index * 7) % 30) };
        const told = await liveThrough({ steps: [...asSteps(before), last] });
        expect({ how, moment, at: index + 1, told }).toEqual({ how, moment, at: index + 1, told: [] });
      }
    }
  });
});

describe('any scenario of writes, tries, crashes, sleeping processes, faults and people', () => {
  it('ends with each document in the chart at most once, and exactly once if the outcome is written', async () => {
    await fc.assert(
      fc.asyncProperty(aHistory, async (history) => {
        expect(await liveThrough(history)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

describe('a scenario with duplicates or changed bytes is found', () => {
  it.each(Object.entries(SABOTAGES))('without %s', async (_, { sabotage, breaks }) => {
    const outcome = await fc.check(
      fc.asyncProperty(aHistory, async (history) => {
        const told = await liveThrough({ ...history, sabotage });
        expect(told.filter((sentence) => breaks.test(sentence))).toEqual([]);
      }),
      { numRuns: 1_000, seed: SEED, endOnFailure: true },
    );
    expect(outcome.failed).toBe(true);
  });
});
