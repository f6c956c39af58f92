// The public state of the engine: enough to know that it works, without patient data, and cheap for any number of requests.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { RUN_STEPS } from '../../../src/domain/run/run.ts';
import { makeShowEngineHealth } from '../../../src/flows/operations/show-engine-health.ts';
import type { ComponentHealth, HealthCheck } from '../../../src/ports/health.ts';
import type { Runs } from '../../../src/ports/runs.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { aKeptRun, aQueuedRun, WRITTEN } from '../../support/stored-runs.ts';

const well = (name: string): HealthCheck => says({ name, status: 'ok', detail: `${name} is well.` });
const says = (health: ComponentHealth) => async () => health;

/** Time passes where a test says so, and a wait is over where it says so. */
function aClock() {
  const waiting: (() => void)[] = [];
  let ms = 0;
  return {
    pass: (moreMs: number) => {
      ms += moreMs;
    },
    endWaits: () => {
      for (const end of waiting.splice(0)) end();
    },
    runtime: {
      monotonicMs: () => ms,
      pause: (_: number, signal: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          waiting.push(resolve);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    },
  };
}

function aTestbed({
  healthChecks = [well('database')],
  runs,
}: Partial<Parameters<typeof makeShowEngineHealth>[0]> = {}) {
  const stores = makeFakeRuns();
  const clock = aClock();
  const kept = { lists: 0 };
  const counted: Pick<Runs, 'list' | 'steps'> = {
    list: (query) => {
      kept.lists += 1;
      return (runs ?? stores.runs).list(query);
    },
    steps: (id) => (runs ?? stores.runs).steps(id),
  };
  const showEngineHealth = makeShowEngineHealth({ healthChecks, runs: counted, runtime: clock.runtime });
  return { showEngineHealth, stores, clock, kept };
}

/** What is under way goes on. */
const aMoment = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<never>(() => undefined);

describe('the public list of runs', () => {
  it('it has the site, the state, the source and the nine steps of each run, and nothing else', async () => {
    const { showEngineHealth, stores } = aTestbed();
    const run = await aKeptRun(stores, { session: 's-1', eventId: 'event-7', end: WRITTEN });
    const { runs } = await showEngineHealth();
    const { id, site, createdAt } = run;
    expect(runs).toEqual([{ id, site, status: 'written', createdAt, source: 'amqp', steps: expect.any(Array) }]);
    expect(runs?.[0]?.steps).toEqual(RUN_STEPS.map((name) => ({ name, status: expect.any(String) })));
    expect(JSON.stringify(runs)).not.toMatch(/Patient|Encounter|p-1|e-1|s-1|event-7|Composition|DocumentReference/);
  });

  it('it has the ten newest runs, the newest first', async () => {
    const { showEngineHealth, stores } = aTestbed();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push(await aQueuedRun(stores, { encounter: `Encounter/${n}` }));
    const { runs } = await showEngineHealth();
    expect(runs?.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 10));
  });

  it('it omits a run that is deleted meanwhile', async () => {
    const stores = makeFakeRuns();
    const gone = await aQueuedRun(stores, { encounter: 'Encounter/1' });
    const stays = await aQueuedRun(stores, { encounter: 'Encounter/2' });
    const steps = async (id: string) => {
      if (id === gone) throw new AppError('notFound', 'There is no such run');
      return stores.runs.steps(id);
    };
    const { showEngineHealth } = aTestbed({ runs: { ...stores.runs, steps } });
    expect((await showEngineHealth()).runs?.map(({ id }) => id)).toEqual([stays]);
  });

  it.each(['list', 'steps'] as const)(
    'it is absent if the database is down (%s), and the components are present',
    async (what) => {
      const stores = makeFakeRuns();
      await aQueuedRun(stores);
      const away = async () => {
        throw new AppError('overloaded', 'The database is away');
      };
      const { showEngineHealth } = aTestbed({ runs: { ...stores.runs, [what]: away } });
      const testbed = await showEngineHealth();
      expect(testbed.runs).toBeUndefined();
      expect(testbed.parts).toHaveLength(1);
    },
  );
});

describe('the load of many requests', () => {
  it('the runs are read once a second', async () => {
    const { showEngineHealth, stores, clock, kept } = aTestbed();
    await Promise.all([showEngineHealth(), showEngineHealth(), showEngineHealth()]);
    clock.pass(999);
    await aQueuedRun(stores);
    expect((await showEngineHealth()).runs).toEqual([]);
    expect(kept.lists).toBe(1);
    clock.pass(1);
    expect((await showEngineHealth()).runs).toHaveLength(1);
    expect(kept.lists).toBe(2);
  });

  it('the components are checked once a second', async () => {
    const state = { asked: 0 };
    const check: HealthCheck = async () => {
      state.asked += 1;
      return { name: 'database', status: 'ok', detail: '' };
    };
    const { showEngineHealth, clock } = aTestbed({ healthChecks: [check] });
    await Promise.all([showEngineHealth(), showEngineHealth()]);
    expect(state.asked).toBe(1);
    clock.pass(1_000);
    await showEngineHealth();
    expect(state.asked).toBe(2);
  });

  it('a database that does not answer is not called again for half a minute, and no request waits for it', async () => {
    const { showEngineHealth, clock, kept } = aTestbed({ runs: { list: never, steps: never } });
    for (const passedMs of [0, 2_500, 27_499]) {
      clock.pass(passedMs);
      const looking = showEngineHealth();
      await aMoment();
      clock.endWaits();
      expect((await looking).runs).toBeUndefined();
    }
    expect(kept.lists).toBe(1);
    clock.pass(1);
    const looking = showEngineHealth();
    await aMoment();
    clock.endWaits();
    await looking;
    expect(kept.lists).toBe(2);
  });
});

describe('the public list of components', () => {
  it('components that do not answer in time or fail are counted', async () => {
    const failing = async () => {
      throw new Error('it cannot say how it is');
    };
    const { showEngineHealth, clock } = aTestbed({ healthChecks: [well('database'), never, failing] });
    const looking = showEngineHealth();
    await aMoment();
    clock.endWaits();
    expect(await looking).toMatchObject({ parts: [{ name: 'database' }], silentParts: 2 });
  });

  it.each([
    ['database', 'down', true],
    ['speech', 'degraded', true],
    ['broker', 'ok', true],
    ['broker', 'degraded', false],
    ['events', 'degraded', false],
    ['a part that came later', 'ok', false],
  ] as const)('%s, which is %s, has a detail: %s', async (name, status, isSaid) => {
    const { showEngineHealth } = aTestbed({
      healthChecks: [says({ name, status, detail: 'connect to 10.0.0.7:5672' })],
    });
    const { parts } = await showEngineHealth();
    expect(parts).toEqual([{ name, status, ...(isSaid && { detail: 'connect to 10.0.0.7:5672' }) }]);
  });
});
