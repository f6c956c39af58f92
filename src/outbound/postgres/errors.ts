// Turns errors of the database into the engine's own. No text of the vendor's message goes into ours: it may hold values.
import { isNativeError } from 'node:util/types';
import { AppError } from '../../domain/errors.ts';

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Class 08: connection; 53: no connection, disk or memory left; 57: shut down, starting, or a statement that took too long. */
const UNREACHABLE_STATES = /^(08|53|57)/;
/** Deadlock, serialization, a server that became a read-only copy, a lock that was not given: it may work later. */
const BUSY_STATES = new Set(['40001', '40P01', '25006', '55P03', '25P03', '25P04']);
/** The driver throws these without a code. */
const UNREACHABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered|was closed)|Cannot use a pool after|Query read timeout)/;
/** A text that PostgreSQL cannot hold: it has a NUL in it. */
const UNSTORABLE_STATES = new Set(['22021', '22P05']);

/** A server that was killed and is started again is back after about this time; a caller that comes earlier only adds to its work. */
const RETRY_AFTER_SECONDS = 2;

/** The SQLSTATE of a second row with the same unique values. */
export const UNIQUE_VIOLATION = '23505';

/** Runs database work; every error becomes an AppError. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asDatabaseError(error);
  }
}

/** The same methods; every error of each becomes an AppError. */
export function guardedMethods<Methods extends object>(methods: Methods): Methods {
  const guard = ([name, method]: [string, (...args: readonly unknown[]) => Promise<unknown>]) => [
    name,
    (...args: readonly unknown[]) => guarded(() => method(...args)),
  ];
  return Object.fromEntries(Object.entries(methods).map(guard)) as Methods;
}

function asDatabaseError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = { cause: error };
  const code = errorCode(error);
  if (isUnreachable(error, code)) {
    return new AppError('overloaded', 'The database cannot be reached at this moment', {
      ...cause,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  if (UNSTORABLE_STATES.has(code)) return new AppError('invalidRequest', 'Text must not hold NUL characters', cause);
  return new AppError('internal', 'Internal server error', cause);
}

/** The SQLSTATE, or the system's code; empty where there is none. */
export function errorCode(error: unknown): string {
  return isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isUnreachable(error: unknown, code: string): boolean {
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_STATES.test(code) || BUSY_STATES.has(code)) return true;
  return isNativeError(error) && UNREACHABLE_MESSAGE.test(error.message);
}
