// A process that dies, is stopped or sleeps at any moment between an event and the chart: other processes continue, nothing is lost and nothing
// is done twice.
import { describe, expect, it } from '@jest/globals';
import { BLOCKING_STATUSES } from '../../src/domain/run/run.ts';
import type { Claim, FinishedStep } from '../../src/ports/queue.ts';
import type { FakeEhr } from '../fakes/ehr.ts';
import { isRetired } from '../support/chart-invariants.ts';
import { whatIsWrong } from '../support/run-invariants.ts';
import { makePuppet } from '../support/run-model-puppet.ts';
import { type Accident, liveThrough, momentsOf, type RunScenario, SCENARIOS } from '../support/run-model-scenarios.ts';
import { aWatchedTestbed, drain, VISITS } from '../support/run-model-testbed.ts';
import { type RunTestbed, WHOLE_CHART } from '../support/run-testbed.ts';
import { until } from '../support/until.ts';

const names = Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[];
const AT_WORK: readonly string[] = BLOCKING_STATUSES;
const ENDINGS = ['dies-before', 'dies-after', 'is-stopped'] as const;

/** At each of its moments; all that is otherwise than without it. */
async function atEachMoment(scenario: RunScenario, accidentAt: (at: number) => Accident): Promise<readonly unknown[]> {
  const moments = await momentsOf(scenario);
  const { problems, end } = await liveThrough(scenario);
  expect(problems).toEqual([]);
  const found: unknown[] = [];
  for (const [index, moment] of moments.entries()) {
    const lived = await liveThrough(scenario, accidentAt(index + 1));
    const isSame = JSON.stringify(lived.end) === JSON.stringify(end);
    if (lived.problems.length === 0 && isSame) continue;
    found.push({ at: index + 1, moment, problems: lived.problems, ...(!isSame && { end: diff(lived.end, end) }) });
  }
  return found;
}

function diff(here: readonly string[], there: readonly string[]): readonly string[] {
  return [
    ...here.filter((line) => !there.includes(line)).map((line) => `+ ${line}`),
    ...there.filter((line) => !here.includes(line)).map((line) => `- ${line}`),
  ];
}

describe.each(names)('%s', (name) => {
  it.each(ENDINGS)('a run ends the same if a process %s at any moment', async (how) => {
    expect(await atEachMoment(SCENARIOS[name], (at) => ({ at, how }))).toEqual([]);
  });

  it('a run ends the same if a process sleeps at any moment and wakes after another has taken over', async () => {
    const asleep = (at: number) =>
      ({ at, how: 'freezes-before', asleepMs: 25_000, wakesAt: 1 + ((at * 7) % 40) }) as const;
    expect(await atEachMoment(SCENARIOS[name], asleep)).toEqual([]);
  });

  it('a run ends the same if a process sleeps for 90 s at any moment and wakes when all is done', async () => {
    expect(await atEachMoment(SCENARIOS[name], (at) => ({ at, how: 'freezes-after', asleepMs: 90_000 }))).toEqual([]);
  });
});

describe('an event that crashes the process', () => {
  it('a run is parked after three crashes; the runs beside it and after it are written', async () => {
    const { testbed, watch } = aWatchedTestbed();
    for (const { id } of VISITS) await accept(testbed, id);
    const deaths = await liveAndDie(testbed, (name, [claim]) => {
      return name === 'identify' && (claim as Claim).run.encounter === 'Encounter/e-1';
    });
    expect(deaths).toBe(3);
    const runs = await testbed.allRuns();
    const told = runs.map(({ encounter, status, reason = '' }) => `${encounter} ${status} ${reason}`.trim());
    expect(told.toSorted()).toEqual(['Encounter/e-1 parked crashes', 'Encounter/e-2 written', 'Encounter/e-3 written']);
    const [parked] = runs.filter(({ status }) => status === 'parked');
    expect(parked?.message).toContain('3 times');
    expect(parked?.advice).toContain('document by hand');
    expect(await whatIsWrong(testbed, watch)).toEqual([]);
  });

  it('a crash after the encounter was resolved has the same effect', async () => {
    const { testbed, watch } = aWatchedTestbed();
    for (const { id } of VISITS) await accept(testbed, id);
    const deaths = await liveAndDie(testbed, (name, [claim, done]) => {
      const isNote = name === 'finishStep' && (done as FinishedStep).name === 'write-note';
      return isNote && (claim as Claim).run.encounter === 'Encounter/e-1';
    });
    expect(deaths).toBe(3);
    expect((await testbed.statuses()).toSorted()).toEqual(['parked', 'written', 'written']);
    expect(await whatIsWrong(testbed, watch)).toEqual([]);
  });
});

describe('an engine that is stopped for 90 s', () => {
  it.each([1, 10, 25, 40, 60, 80, 100, 120, 150])(
    'a worker that stops after %d of its calls is fenced off, and each run is written once',
    async (calls) => {
      const { testbed, watch } = aWatchedTestbed();
      for (const { id } of VISITS) await accept(testbed, id);
      let [count, meanwhile] = [0, 0];
      const sleeper = makePuppet(() => {
        count += 1;
        if (count === calls) sleeper.sleep();
        return false;
      });
      const other = makePuppet(() => {
        meanwhile += 1;
        if (meanwhile === 20 + ((calls * 7) % 200)) sleeper.wake();
        return false;
      });
      const first = testbed.startEngine(sleeper).startWorking(4);
      await until(() => count >= calls);
      testbed.runtime.advance(90_000);
      const second = testbed.startEngine(other).startWorking(4);
      await until(async () => (await testbed.statuses()).join() === 'written,written,written');
      sleeper.wake();
      await Promise.all([first.stop(), second.stop()]);
      expect(await whatIsWrong(testbed, watch)).toEqual([]);
      expect(testbed.troubles).toEqual([]);
    },
  );
});

describe('decisions of a person that a crash or a replay must not undo', () => {
  /** Its process dies at this call, the person does that, and another engine goes on. */
  const dieAt = async (testbed: RunTestbed, kills: Parameters<typeof makePuppet>[0], then: () => Promise<unknown>) => {
    const puppet = makePuppet(kills);
    void testbed.startEngine(puppet).work();
    await until(() => puppet.isDead());
    await then();
  };
  const keeps = (step: string) => (name: string, args: readonly unknown[]) =>
    name === 'finishStep' && (args[1] as FinishedStep).name === step;
  /** The result of the write is stored together with the end. */
  const keepsEnd = (name: string) => name === 'leave';

  it('a cancelled run of a dead process is not continued', async () => {
    const world = aWatchedTestbed();
    const { testbed, watch } = world;
    await accept(testbed, 'e-1');
    await dieAt(testbed, keeps('map'), async () => testbed.runs.cancel((await testbed.onlyRun()).id));
    await drain(world, testbed.startEngine());
    expect(await testbed.statuses()).toEqual(['cancelled']);
    expect(testbed.chart()).toEqual([]);
    expect(await whatIsWrong(testbed, watch)).toEqual([]);
  });

  it('a run that is cancelled during its write is written and says so', async () => {
    const world = aWatchedTestbed();
    const { testbed, watch } = world;
    await accept(testbed, 'e-1');
    await dieAt(testbed, keepsEnd, async () => testbed.runs.cancel((await testbed.onlyRun()).id));
    await drain(world, testbed.startEngine());
    expect(await testbed.statuses()).toEqual(['written']);
    expect(testbed.chart()).toEqual(WHOLE_CHART);
    expect(testbed.kinds()).toEqual(['documented']);
    expect(await whatIsWrong(testbed, watch)).toEqual([]);
  });

  it('a run that is cancelled while a living process writes it is written and says so', async () => {
    const { testbed } = aWatchedTestbed();
    await accept(testbed, 'e-1');
    const { id } = await testbed.onlyRun();
    testbed.ehr.misbehave({ on: 'transact', nth: 2, before: () => void testbed.runs.cancel(id) });
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'written' });
    expect((await testbed.onlyRun()).resources).not.toEqual([]);
  });

  it('a dry replay from write-chart writes nothing and shows the differences', async () => {
    const world = aWatchedTestbed();
    const { testbed } = world;
    await accept(testbed, 'e-1');
    await drain(world, testbed.startEngine());
    const before = testbed.ehr.sent.length;
    for (const from of ['write-chart', 'publish'] as const) {
      const dry = await testbed.runs.replay({ id: (await testbed.allRuns())[0]?.id ?? '', from, isDry: true });
      await drain(world, testbed.startEngine());
      expect(await testbed.runs.find(dry.id, 'all')).toMatchObject({ status: 'skipped', reason: 'dry-run' });
      expect((await testbed.runs.results(dry.id)).map?.differences?.map(({ change }) => change)).toEqual(
        Array.from({ length: 5 }, () => 'same'),
      );
    }
    expect(testbed.ehr.sent).toHaveLength(before);
  });

  it('a draft that waits for a clinician still waits after a replay from write-chart', async () => {
    const world = aWatchedTestbed();
    const { testbed } = world;
    testbed.change({ write: { ...testbed.site.settings.write, review: 'hold' } }, '1');
    await accept(testbed, 'e-1');
    await drain(world, testbed.startEngine());
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'write-chart', isDry: false });
    await drain(world, testbed.startEngine());
    expect(await testbed.statuses()).toEqual(['held', 'held']);
    expect(testbed.chart()).toEqual([]);
  });

  it('a cancelled encounter retracts documents that only a replay has written', async () => {
    const world = aWatchedTestbed();
    const { testbed, watch } = world;
    testbed.change({ mode: 'shadow' });
    await accept(testbed, 'e-1');
    await drain(world, testbed.startEngine());
    testbed.change({ mode: 'live' }, '3');
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'map', isDry: false });
    await drain(world, testbed.startEngine());
    expect(await testbed.statuses()).toEqual(['skipped', 'written']);
    testbed.putEncounter({ status: 'cancelled' });
    await accept(testbed, 'e-1');
    await drain(world, testbed.startEngine());
    expect(await testbed.statuses()).toEqual(['skipped', 'retracted']);
    expect(testbed.hospital.written('Composition').every(isRetired)).toBe(true);
    expect(await whatIsWrong(testbed, watch)).toEqual([]);
  });

  it('a cancelled encounter retracts documents that were written before their run was cancelled', async () => {
    const world = aWatchedTestbed();
    const { testbed } = world;
    await accept(testbed, 'e-1');
    const breaksOff = (ehr: FakeEhr) => ehr.misbehave({ on: 'find', does: 'throw-unavailable' });
    testbed.ehr.misbehave(
      { on: 'transact', nth: 2, before: breaksOff },
      { on: 'transact', nth: 2, does: 'commit-unknown' },
    );
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', step: 'write-chart' });
    expect(testbed.hospital.written('Composition')).toHaveLength(1);
    testbed.ehr.behave();
    expect(await testbed.runs.cancel((await testbed.onlyRun()).id)).toBe('cancelled');
    testbed.putEncounter({ status: 'cancelled' });
    await accept(testbed, 'e-1');
    await drain(world, testbed.startEngine());
    expect(testbed.hospital.written('Composition').every(isRetired)).toBe(true);
  });
});

async function accept(testbed: RunTestbed, id: string): Promise<void> {
  await testbed.accept({ content: id, encounters: [{ encounter: `Encounter/${id}`, isUrgent: false }] });
}

/** Starts the engine again whenever it has died; how often it did. */
async function liveAndDie(testbed: RunTestbed, kills: Parameters<typeof makePuppet>[0]): Promise<number> {
  for (let deaths = 0; deaths < 10; deaths += 1) {
    const puppet = makePuppet(kills);
    const engine = testbed.startEngine(puppet, 'testbed-1');
    await testbed.queue.reclaim('testbed-1');
    const worker = engine.startWorking(4);
    const isQuiet = async () => !(await testbed.statuses()).some((status) => AT_WORK.includes(status));
    await until(async () => puppet.isDead() || (await isQuiet()));
    if (puppet.isDead()) continue;
    await worker.stop();
    return deaths;
  }
  throw new Error('it dies and dies');
}
