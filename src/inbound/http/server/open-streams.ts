// The open streams of this process: limits their number, and ends those whose key was revoked.
import type { Caller } from '../../../domain/access/api-key.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Keys } from '../../../ports/keys.ts';

type OpenStreamsParts = {
  readonly keys: Pick<Keys, 'findEnded'>;
  readonly maxInAll: number;
  readonly maxPerOrganization: number;
  /** The streams of a revoked key end within twice this interval. */
  readonly watchIntervalMs: number;
  readonly onWatchFailed: (thrown: unknown) => void;
};

export type OpenStreams = {
  /** Throws `overloaded`. The caller must call the returned function when the stream has ended. */
  readonly enter: (caller: Caller, abort: (reason: AppError) => void) => () => void;
  readonly count: () => number;
  readonly abortAll: (reason: AppError) => void;
  readonly stop: () => void;
};

type Entry = { readonly caller: Caller; readonly abort: (reason: AppError) => void };

export function makeOpenStreams(parts: OpenStreamsParts): OpenStreams {
  const open = new Set<Entry>();
  let isChecking = false;

  async function endRevoked(): Promise<void> {
    if (isChecking || open.size === 0) return;
    isChecking = true;
    try {
      const ended = new Set(await parts.keys.findEnded([...new Set([...open].map(({ caller }) => caller.keyId))]));
      for (const entry of open) {
        if (ended.has(entry.caller.keyId))
          entry.abort(new AppError('unauthorized', 'The API key is not valid any more'));
      }
    } catch (thrown) {
      parts.onWatchFailed(thrown);
    } finally {
      isChecking = false;
    }
  }

  const timer = setInterval(() => void endRevoked(), parts.watchIntervalMs);

  return {
    enter(caller, abort) {
      const ofOrganization = [...open].filter((entry) => entry.caller.organization === caller.organization).length;
      if (open.size >= parts.maxInAll || ofOrganization >= parts.maxPerOrganization) {
        throw new AppError('overloaded', 'Too many streams are open; try again in a moment', { retryAfterSeconds: 5 });
      }
      const entry: Entry = { caller, abort };
      open.add(entry);
      return () => void open.delete(entry);
    },
    count: () => open.size,
    abortAll: (reason) => {
      for (const { abort } of open) abort(reason);
    },
    stop: () => clearInterval(timer),
  };
}
