// When the embedded database is started again, how often, and what is said about it. The starts are played; journeys have real ones.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeRestarter, type Restarter } from '../../src/platform/embedded-postgres/restarter.ts';
import { type FakeRuntime, makeFakeRuntime } from '../fakes/runtime.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;

let runtime: FakeRuntime;
let restarter: Restarter;
let log: string[];
let givenUp: number;
/** How the next starts end; without one, they succeed. */
let failures: Error[];
let starts: number;
/** What was said for /readyz during each start. */
let said: (string | undefined)[];

beforeEach(() => {
  runtime = makeFakeRuntime();
  log = [];
  givenUp = 0;
  failures = [];
  starts = 0;
  said = [];
  const note = (level: string) => (message: string) => void log.push(`${level} ${message}`);
  restarter = makeRestarter({
    startAgain: async () => {
      starts += 1;
      said.push(restarter.outage());
      const failure = failures.shift();
      if (failure) throw failure;
    },
    runtime,
    logger: { info: note('info'), warn: note('warn'), error: note('error') },
    onGivenUp: () => {
      givenUp += 1;
    },
  });
});

async function endOnce(): Promise<void> {
  const before = starts;
  restarter.hasEnded('SIGKILL');
  await until(() => starts > before && restarter.outage() === undefined);
}

describe('an embedded database that ends by itself', () => {
  it('an embedded database is started again three times within ten minutes after growing pauses; the fourth end is given up', async () => {
    for (let time = 1; time <= 3; time += 1) await endOnce();
    restarter.hasEnded('SIGKILL');
    await until(() => givenUp > 0);
    expect({ starts, givenUp, pauses: runtime.pauses }).toEqual({ starts: 3, givenUp: 1, pauses: [500, 1_000, 2_000] });
    expect(log.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringContaining('exited, starting it again in 0.5 s (time 1 of 3 within 10 minutes): '),
      expect.stringContaining('exited, starting it again in 1 s (time 2 of 3 within 10 minutes): '),
      expect.stringContaining(
        'exited, starting it again in 2 s (time 3 of 3 within 10 minutes; if it exits once more, the engine shuts down): ',
      ),
    ]);
    expect(log.at(-1)).toMatch(/^error embedded database exited, shutting down: it was started again 3 times/);
    expect(restarter.outage()).toMatch(/exited, and the engine shuts down/);
  });

  it('an embedded database that ends now and then is started again each time', async () => {
    for (let time = 1; time <= 12; time += 1) {
      await endOnce();
      runtime.advance(4 * MINUTE_MS);
    }
    expect({ starts, givenUp }).toEqual({ starts: 12, givenUp: 0 });
  });

  it('a start that fails counts like an end, and the next one follows', async () => {
    failures = [new Error('no space left'), new Error('no space left')];
    await endOnce();
    expect({ starts, givenUp, pauses: runtime.pauses }).toEqual({ starts: 3, givenUp: 0, pauses: [500, 1_000, 2_000] });
    expect(log.filter((line) => line.includes('did not start'))).toHaveLength(2);
    expect(log.join()).not.toContain('no space left');
    failures = [new Error('no space left')];
    restarter.hasEnded('exit code 1');
    await until(() => givenUp === 1);
    expect(starts).toBe(3);
  });

  it('the restarter says what is being done until the database runs again', async () => {
    expect(restarter.outage()).toBeUndefined();
    failures = [new Error('no space left')];
    await endOnce();
    expect(said).toEqual([
      expect.stringContaining('exited and is being started again (time 1 of 3 within 10 minutes)'),
      expect.stringContaining('did not start and is being started again (time 2 of 3 within 10 minutes)'),
    ]);
    expect(restarter.outage()).toBeUndefined();
    expect(log.at(-1)).toBe('info embedded database started again');
  });

  it('a stop ends a start under way, and a database that ends afterwards is not started again', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const stuck = makeRestarter({
      startAgain: (signal) => {
        begun.resolve(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      runtime,
      logger: { info: () => undefined, warn: (message) => void log.push(message), error: () => undefined },
      onGivenUp: () => {
        givenUp += 1;
      },
    });
    stuck.hasEnded('SIGKILL');
    expect((await begun.promise).aborted).toBe(false);
    await stuck.stop();
    stuck.hasEnded('SIGKILL');
    await stuck.stop();
    expect({ givenUp, warnings: log.length }).toEqual({ givenUp: 0, warnings: 1 });
  });
});
