// What all who keep runs share: the database, its clock, and the key of what is kept encrypted.
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import { deriveKey } from '../../../platform/crypto.ts';
import type { Database } from '../database.ts';
import { errorCode, guarded } from '../errors.ts';

export type RunParts = {
  readonly database: Database;
  readonly masterKey: Uint8Array;
  /** For tests: a clock that they move. Otherwise the database's: a process's clock must never decide who has a run. */
  readonly now?: () => Date;
};

export type RunStorage = {
  readonly db: Database['db'];
  readonly key: Uint8Array;
  /** The time, the same for all of a statement, in whole milliseconds: what was read is what stands there. */
  readonly at: () => RawBuilder<Date>;
};

export function makeRunStorage({ database, masterKey, now }: RunParts): RunStorage {
  return {
    db: database.db,
    key: deriveKey(masterKey, 'run-results'),
    at: () =>
      now === undefined
        ? // In a subquery it is asked once, and may be compared with an index.
          sql<Date>`(select date_trunc('milliseconds', clock_timestamp()))`
        : sql<Date>`${now()}::timestamptz`,
  };
}

/** Another one is there already; what is pointed at was purged at this moment; both waited for each other. */
const OTHERS_CAME = new Set(['23505', '23503', '40P01']);
const MOST_TIMES = 6;

/** Database work that whoever came at the same moment may have made impossible: done again, it sees what they did. */
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
  return new AppError('inUse', 'This run is no longer ours: somebody else has it, or it has ended');
}

export function noSuchRun(): AppError {
  return new AppError('notFound', 'There is no such run');
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Other texts name no run; the database would refuse to compare them. */
export function isRunId(id: string): boolean {
  return UUID.test(id);
}

/** What a sender calls its event may hold anything; a NUL is the one thing that the database cannot keep. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
