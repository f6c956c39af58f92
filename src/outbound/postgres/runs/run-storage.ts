// Shared by all files that store runs: the database, its clock, and the encryption key.
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import type { Database } from '../database.ts';
import { errorCode, guarded } from '../errors.ts';
import type { Sealing, Secrets } from '../secrets/secrets.ts';
import { asRun, type RunRow } from './run-rows.ts';

export type RunParts = {
  readonly database: Database;
  readonly secrets: Secrets;
  /** For tests only. The default is the database's clock: the clock of a process must never decide which process has a run. */
  readonly now?: () => Date;
  /** The trace of the work at hand. Absent: none. */
  readonly tracing?: RunTracing;
};

type RunTracing = Pick<Tracing, 'inSpan' | 'traceparent'>;

export type RunStorage = {
  readonly db: Database['db'];
  /** Of the results of steps. */
  readonly results: Sealing;
  /** Of the ids of events, which are texts of their senders. */
  readonly events: Sealing;
  readonly asRun: (row: RunRow) => Run;
  /** The time in whole milliseconds, the same in all of a statement: a value that is read equals the stored one. */
  readonly at: () => RawBuilder<Date>;
  /** The trace that a run continues that is made now. */
  readonly traceparent: () => string | null;
};

export function makeRunStorage({ database, secrets, now, tracing }: RunParts): RunStorage {
  const events = secrets.sealing('event-ids');
  return {
    traceparent: () => tracing?.traceparent() ?? null,
    db: database.db,
    results: secrets.sealing('run-results'),
    events,
    asRun: (row) => asRun(events, row),
    at: () =>
      now === undefined
        ? // In a subquery it is evaluated once, and can be compared with an index.
          sql<Date>`(select date_trunc('milliseconds', clock_timestamp()))`
        : sql<Date>`${now()}::timestamptz`,
  };
}

/** A row exists already; a referenced row was purged at this moment; two transactions waited for each other. */
const OTHERS_CAME = new Set(['23505', '23503', '40P01']);
const MOST_TIMES = 6;

/** Runs database work that a concurrent change can break: it is repeated and then sees that change. */
export async function settled<T>(work: (time: number) => Promise<T>): Promise<T> {
  return guarded(async () => {
    for (let time = 1; ; time += 1) {
      try {
        return await work(time);
      } catch (error) {
        if (!OTHERS_CAME.has(errorCode(error)) || time === MOST_TIMES) throw error;
      }
    }
  });
}

export function notOurs(): AppError {
  return new AppError('inUse', 'This run is no longer ours: another process has it, or it has ended');
}

export function noSuchRun(): AppError {
  return new AppError('notFound', 'There is no such run');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The database would refuse to compare other texts with ids. */
export function isRunId(id: string): boolean {
  return UUID.test(id);
}

/** Replaces NUL, the one character that the database cannot store: the id of an event may hold anything. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
