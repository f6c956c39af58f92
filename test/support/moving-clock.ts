// One clock for an engine, its database and the EHR that it writes to, which a test moves on. A pause returns at once and moves the clock
// of all of them. The time that the processor needs is added, so that the clock always runs.
import pg from 'pg';
import type { Runtime } from '../../src/ports/runtime.ts';

type ClockRuntime = Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance' | 'makeUuid'>;

export type MovingClock = ClockRuntime & {
  /** Moves the clock on, in the database too. */
  readonly pass: (ms: number) => Promise<void>;
  /** Calls back after this time by this clock; returns a function that cancels it. */
  readonly after: (ms: number, end: () => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Replaces the clock of the database. No other connection may be open while it is called. */
export async function startMovingClock(connectionString: string): Promise<MovingClock> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const name = new URL(connectionString).pathname.slice(1);
  await client.query('create table test_clock (moved interval not null)');
  await client.query("insert into test_clock values (interval '0')");
  await client.query(
    `create function clock_timestamp() returns timestamptz language sql volatile
     as 'select pg_catalog.clock_timestamp() + (select moved from public.test_clock)'`,
  );
  // The first schema in the search path wins over the server's own clock.
  await client.query(`alter database ${name} set search_path = public, pg_catalog`);
  let movedMs = 0;
  let count = 0;
  let state = 1;
  const waiting = new Set<{ readonly untilMs: number; readonly end: () => void }>();
  const pass = async (ms: number) => {
    movedMs += Math.max(0, ms);
    for (const each of [...waiting]) if (each.untilMs <= performance.now() + movedMs) each.end();
    await client.query('update test_clock set moved = moved + make_interval(secs => $1)', [Math.max(0, ms) / 1000]);
  };
  return {
    pass,
    after: (ms, end) => {
      const timer = setTimeout(end, ms).unref();
      const each = { untilMs: performance.now() + movedMs + ms, end };
      waiting.add(each);
      return () => {
        clearTimeout(timer);
        waiting.delete(each);
      };
    },
    close: () => client.end(),
    now: () => new Date(Date.now() + movedMs),
    monotonicMs: () => performance.now() + movedMs,
    pause: async (ms, signal) => {
      signal.throwIfAborted();
      await pass(ms);
      signal.throwIfAborted();
    },
    chance: () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    },
    makeUuid: () => {
      count += 1;
      return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
    },
  };
}
