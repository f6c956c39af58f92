// A process that dies, is stopped or sleeps at any moment between an event and the chart: other processes continue, nothing is lost and nothing
// is done twice.
import { describe, expect, it } from '@jest/globals';
import { BLOCKING_STATUSES } from '../../src/domain/run/run.ts';
import type { Claim, FinishedStep } from '../../src/ports/queue.ts';
import type { FakeEhr } from '../fakes/ehr.ts';
import { isRetired } from '../support/chart-invariants.ts';
import { type RunHouse, WHOLE_CHART } from '../support/run-house.ts';
import { whatIsWrong } from '../support/run-invariants.ts';
import { aWatchedHouse, drain, VISITS } from '../support/run-model-house.ts';
import { makePuppet } from '../support/run-model-puppet.ts';
import { type Accident, liveThrough, momentsOf, type RunStory, STORIES } from '../support/run-model-scenarios.ts';
import { until } from '../support/until.ts';

const names = Object.keys(STORIES) as (keyof typeof STORIES)[];
const AT_WORK: readonly string[] = BLOCKING_STATUSES;
const ENDINGS = ['dies-before', 'dies-after', 'is-stopped'] as const;

/** At each of its moments; all that is otherwise than without it. */
async function atEachMoment(story: RunStory, accidentAt: (at: number) => Accident): Promise<readonly unknown[]> {
  const moments = await momentsOf(story);
  const { problems, end } = await liveThrough(story);
  expect(problems).toEqual([]);
  const found: unknown[] = [];
  for (const [index, moment] of moments.entries()) {
    const lived = await liveThrough(story, accidentAt(index + 1));
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
    expect(await atEachMoment(STORIES[name], (at) => ({ at, how }))).toEqual([]);
  });

  it('a run ends the same if a process sleeps at any moment and wakes after another has taken over', async () => {
    const asleep = (at: number) =>
      ({ at, how: 'freezes-before', asleepMs: 25_000, wakesAt: 1 + ((at * 7) % 40) }) as const;
    expect(await atEachMoment(STORIES[name], asleep)).toEqual([]);
  });

  it('a run ends the same if a process sleeps for 90 s at any moment and wakes when all is done', async () => {
    expect(await atEachMoment(STORIES[name], (at) => ({ at, how: 'freezes-after', asleepMs: 90_000 }))).toEqual([]);
  });
});

describe('an event that crashes the process', () => {
  it('a run is parked after three crashes; the runs beside it and after it are written', async () => {
    const { house, watch } = aWatchedHouse();
    for (const { id } of VISITS) await accept(house, id);
    const deaths = await liveAndDie(house, (name, [claim]) => {
      return name === 'identify' && (claim as Claim).run.encounter === 'Encounter/e-1';
    });
    expect(deaths).toBe(3);
    const runs = await house.allRuns();
    const told = runs.map(({ encounter, status, reason = '' }) => `${encounter} ${status} ${reason}`.trim());
    expect(told.toSorted()).toEqual(['Encounter/e-1 parked crashes', 'Encounter/e-2 written', 'Encounter/e-3 written']);
    const [parked] = runs.filter(({ status }) => status === 'parked');
    expect(parked?.message).toContain('3 times');
    expect(parked?.advice).toContain('document by hand');
    expect(await whatIsWrong(house, watch)).toEqual([]);
  });

  it('a crash after the encounter was resolved has the same effect', async () => {
    const { house, watch } = aWatchedHouse();
    for (const { id } of VISITS) await accept(house, id);
    const deaths = await liveAndDie(house, (name, [claim, done]) => {
      const isNote = name === 'finishStep' && (done as FinishedStep).name === 'write-note';
      return isNote && (claim as Claim).run.encounter === 'Encounter/e-1';
    });
    expect(deaths).toBe(3);
    expect((await house.statuses()).toSorted()).toEqual(['parked', 'written', 'written']);
    expect(await whatIsWrong(house, watch)).toEqual([]);
  });
});

describe('an engine that is stopped for 90 s', () => {
  it.each([1, 10, 25, 40, 60, 80, 100, 120, 150])(
    'a worker that stops after %d of its calls is fenced off, and each run is written once',
    async (calls) => {
      const { house, watch } = aWatchedHouse();
      for (const { id } of VISITS) await accept(house, id);
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
      const first = house.startEngine(sleeper).startWorking(4);
      await until(() => count >= calls);
      house.runtime.advance(90_000);
      const second = house.startEngine(other).startWorking(4);
      await until(async () => (await house.statuses()).join() === 'written,written,written');
      sleeper.wake();
      await Promise.all([first.stop(), second.stop()]);
      expect(await whatIsWrong(house, watch)).toEqual([]);
      expect(house.troubles).toEqual([]);
    },
  );
});

describe('decisions of a person that a crash or a replay must not undo', () => {
  /** Its process dies at this call, the person does that, and another engine goes on. */
  const dieAt = async (house: RunHouse, kills: Parameters<typeof makePuppet>[0], then: () => Promise<unknown>) => {
    const puppet = makePuppet(kills);
    void house.startEngine(puppet).work();
    await until(() => puppet.isDead());
    await then();
  };
  const keeps = (step: string) => (name: string, args: readonly unknown[]) =>
    name === 'finishStep' && (args[1] as FinishedStep).name === step;

  it('a cancelled run of a dead process is not continued', async () => {
    const world = aWatchedHouse();
    const { house, watch } = world;
    await accept(house, 'e-1');
    await dieAt(house, keeps('map'), async () => house.runs.cancel((await house.onlyRun()).id));
    await drain(world, house.startEngine());
    expect(await house.statuses()).toEqual(['cancelled']);
    expect(house.chart()).toEqual([]);
    expect(await whatIsWrong(house, watch)).toEqual([]);
  });

  it('a run that is cancelled during its write is written and says so', async () => {
    const world = aWatchedHouse();
    const { house, watch } = world;
    await accept(house, 'e-1');
    await dieAt(house, keeps('write-chart'), async () => house.runs.cancel((await house.onlyRun()).id));
    await drain(world, house.startEngine());
    expect(await house.statuses()).toEqual(['written']);
    expect(house.chart()).toEqual(WHOLE_CHART);
    expect(house.kinds()).toEqual(['documented']);
    expect(await whatIsWrong(house, watch)).toEqual([]);
  });

  it('a run that is cancelled while a living process writes it is written and says so', async () => {
    const { house } = aWatchedHouse();
    await accept(house, 'e-1');
    const { id } = await house.onlyRun();
    house.ehr.misbehave({ on: 'transact', nth: 2, before: () => void house.runs.cancel(id) });
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'written' });
    expect((await house.onlyRun()).resources).not.toEqual([]);
  });

  it('a dry replay from write-chart writes nothing and shows the differences', async () => {
    const world = aWatchedHouse();
    const { house } = world;
    await accept(house, 'e-1');
    await drain(world, house.startEngine());
    const before = house.ehr.sent.length;
    for (const from of ['write-chart', 'publish'] as const) {
      const dry = await house.runs.replay({ id: (await house.allRuns())[0]?.id ?? '', from, isDry: true });
      await drain(world, house.startEngine());
      expect(await house.runs.find(dry.id)).toMatchObject({ status: 'skipped', reason: 'dry-run' });
      expect((await house.runs.results(dry.id)).map?.differences?.map(({ change }) => change)).toEqual(
        Array.from({ length: 5 }, () => 'same'),
      );
    }
    expect(house.ehr.sent).toHaveLength(before);
  });

  it('a draft that waits for a clinician still waits after a replay from write-chart', async () => {
    const world = aWatchedHouse();
    const { house } = world;
    house.change({ write: { ...house.site.settings.write, review: 'hold' } }, '1');
    await accept(house, 'e-1');
    await drain(world, house.startEngine());
    await house.runs.replay({ id: (await house.onlyRun()).id, from: 'write-chart', isDry: false });
    await drain(world, house.startEngine());
    expect(await house.statuses()).toEqual(['held', 'held']);
    expect(house.chart()).toEqual([]);
  });

  it('a cancelled encounter retracts documents that only a replay has written', async () => {
    const world = aWatchedHouse();
    const { house, watch } = world;
    house.change({ mode: 'shadow' });
    await accept(house, 'e-1');
    await drain(world, house.startEngine());
    house.change({ mode: 'live' }, '3');
    await house.runs.replay({ id: (await house.onlyRun()).id, from: 'map', isDry: false });
    await drain(world, house.startEngine());
    expect(await house.statuses()).toEqual(['skipped', 'written']);
    house.putEncounter({ status: 'cancelled' });
    await accept(house, 'e-1');
    await drain(world, house.startEngine());
    expect(await house.statuses()).toEqual(['skipped', 'retracted']);
    expect(house.hospital.written('Composition').every(isRetired)).toBe(true);
    expect(await whatIsWrong(house, watch)).toEqual([]);
  });

  it('a cancelled encounter retracts documents that were written before their run was cancelled', async () => {
    const world = aWatchedHouse();
    const { house } = world;
    await accept(house, 'e-1');
    const breaksOff = (ehr: FakeEhr) => ehr.misbehave({ on: 'find', does: 'throw-unavailable' });
    house.ehr.misbehave(
      { on: 'transact', nth: 2, before: breaksOff },
      { on: 'transact', nth: 2, does: 'commit-unknown' },
    );
    await house.work();
    expect(await house.onlyRun()).toMatchObject({ status: 'waiting', step: 'write-chart' });
    expect(house.hospital.written('Composition')).toHaveLength(1);
    house.ehr.behave();
    expect(await house.runs.cancel((await house.onlyRun()).id)).toBe('cancelled');
    house.putEncounter({ status: 'cancelled' });
    await accept(house, 'e-1');
    await drain(world, house.startEngine());
    expect(house.hospital.written('Composition').every(isRetired)).toBe(true);
  });
});

async function accept(house: RunHouse, id: string): Promise<void> {
  await house.accept({ content: id, encounters: [{ encounter: `Encounter/${id}`, isUrgent: false }] });
}

/** Starts the engine again whenever it has died; how often it did. */
async function liveAndDie(house: RunHouse, kills: Parameters<typeof makePuppet>[0]): Promise<number> {
  for (let deaths = 0; deaths < 10; deaths += 1) {
    const puppet = makePuppet(kills);
    const engine = house.startEngine(puppet, 'house-1');
    await house.queue.reclaim('house-1');
    const worker = engine.startWorking(4);
    const isQuiet = async () => !(await house.statuses()).some((status) => AT_WORK.includes(status));
    await until(async () => puppet.isDead() || (await isQuiet()));
    if (puppet.isDead()) continue;
    await worker.stop();
    return deaths;
  }
  throw new Error('it dies and dies');
}
