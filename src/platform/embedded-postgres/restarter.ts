// Starts the embedded PostgreSQL again when it has ended by itself, a few times only: then the engine ends, so that its supervisor and a
// person see it. A start that fails counts like an end.
import { nextRestart, type RestartLimits } from '../../domain/restarts.ts';
import type { LogFields, Logger } from '../logger.ts';

export type Restarter = {
  /** Call it when the server has ended by itself. The reason is a signal or an exit code. */
  readonly hasEnded: (reason: string) => void;
  /** A sentence for people about what is being done; undefined while the server runs. */
  readonly outage: () => string | undefined;
  /** Ends a pause or a start under way, and starts nothing more. */
  readonly stop: () => Promise<void>;
};

type RestarterParts = {
  /** Rejects if the server does not start, and with the signal's reason if that ends the start. */
  readonly startAgain: (signal: AbortSignal) => Promise<void>;
  readonly runtime: {
    readonly monotonicMs: () => number;
    readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  };
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** The server is not started again. Called once. */
  readonly onGivenUp: () => void;
};

const WITHIN_MINUTES = 10;
const LIMITS: RestartLimits = { most: 3, withinMs: WITHIN_MINUTES * 60_000, pause: { firstMs: 500 } };
const LOOK = 'look at postgres.log in DATA_DIR';

type End = { readonly what: 'exited' | 'did not start'; readonly reason?: string; readonly thrown?: unknown };

export function makeRestarter({ startAgain, runtime, logger, onGivenUp }: RestarterParts): Restarter {
  const stopping = new AbortController();
  const { signal } = stopping;
  let recentMs: readonly number[] = [];
  let outage: string | undefined;
  let work = Promise.resolve();

  async function bringBack(first: End): Promise<void> {
    let end: End | undefined = first;
    while (end !== undefined && !signal.aborted) {
      const { what, ...fields }: End = end;
      const restart = nextRestart(recentMs, runtime.monotonicMs(), LIMITS);
      if (restart === undefined) return giveUp(fields);
      recentMs = restart.recentMs;
      const { number, pauseMs } = restart;
      const last = number === LIMITS.most ? '; if it exits once more, the engine shuts down' : '';
      const count = `time ${number} of ${LIMITS.most} within ${WITHIN_MINUTES} minutes${last}`;
      outage = `The embedded database ${what} and is being started again (${count}). Requests are refused and runs wait until it answers; ${LOOK}.`;
      logger.warn(`embedded database ${what}, starting it again in ${pauseMs / 1000} s (${count}): ${LOOK}`, fields);
      end = await startOnce(pauseMs);
    }
  }

  function giveUp(fields: LogFields): void {
    const why = `it was started again ${LIMITS.most} times within ${WITHIN_MINUTES} minutes`;
    outage = `The embedded database exited, and the engine shuts down: ${why}; ${LOOK}.`;
    logger.error(`embedded database exited, shutting down: ${why}, ${LOOK}`, fields);
    onGivenUp();
  }

  /** Returns how it failed; undefined if the server runs. */
  async function startOnce(pauseMs: number): Promise<End | undefined> {
    try {
      await runtime.pause(pauseMs, signal);
      await startAgain(signal);
    } catch (thrown) {
      return { what: 'did not start', thrown };
    }
    outage = undefined;
    logger.info('embedded database started again');
    return undefined;
  }

  return {
    hasEnded: (reason) => {
      work = work.then(() => bringBack({ what: 'exited', reason }));
    },
    outage: () => outage,
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await work;
    },
  };
}
