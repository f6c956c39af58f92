// Lets one of several requests with the same Idempotency-Key do the work, and the others wait for its answer. An engine that dies loses its claim
// after 30 seconds, and the next request with the key is worked on anew.
import type { Operation } from '../../domain/access/usage.ts';
import { AppError } from '../../domain/errors.ts';
import type { KeptAnswer, KeyedAnswers, KeyedPlace } from '../../ports/keyed-answers.ts';
import type { Runtime } from '../../ports/runtime.ts';

const RENEW_EVERY_MS = 10_000;
const LOOK_AGAIN_MS = { first: 50, most: 1_000 } as const;
/** Longer than any one answer takes; a client that waits longer has to ask again. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** A longer answer is given but not kept. */
const MOST_KEPT_CHARACTERS = 8 * 1_048_576;

type AnswerOnceParts = {
  readonly keyedAnswers: KeyedAnswers;
  readonly runtime: Pick<Runtime, 'pause' | 'monotonicMs' | 'makeUuid'>;
  /** The claim could not be renewed, or the answer could not be kept: the request itself goes on. */
  readonly onStorageFailed: (thrown: unknown) => void;
};

export type Turn =
  | { readonly kind: 'answered'; readonly kept: KeptAnswer }
  /** The caller does the work, and must call one of the two at its end. Neither throws. */
  | {
      readonly kind: 'mine';
      /** False if the answer was not kept. */
      readonly keep: (kept: Omit<KeptAnswer, 'operation'>) => Promise<boolean>;
      readonly release: () => Promise<void>;
    };

export type AnswerOnce = (
  request: { readonly place: KeyedPlace; readonly operation: Operation },
  signal: AbortSignal,
) => Promise<Turn>;

/** Throws `overloaded` if the request before takes too long, and the signal's reason. */
export function makeAnswerOnce({ keyedAnswers, runtime, onStorageFailed }: AnswerOnceParts): AnswerOnce {
  async function attempt<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (thrown) {
      onStorageFailed(thrown);
      return undefined;
    }
  }

  /** Returns what ends the renewals. */
  function holdOn(place: KeyedPlace, holder: string): () => void {
    const ending = new AbortController();
    const renew = async (): Promise<void> => {
      for (;;) {
        await runtime.pause(RENEW_EVERY_MS, ending.signal);
        await attempt(() => keyedAnswers.renew(place, holder));
      }
    };
    renew().catch(() => undefined);
    return () => ending.abort(new Error('the work has ended'));
  }

  return async ({ place, operation }, signal) => {
    const holder = runtime.makeUuid();
    const endMs = runtime.monotonicMs() + LONGEST_WAIT_MS;
    for (let waitMs: number = LOOK_AGAIN_MS.first; ; waitMs = Math.min(2 * waitMs, LOOK_AGAIN_MS.most)) {
      const claim = await keyedAnswers.claim(place, holder, operation);
      if (claim.kind === 'answered') return claim;
      if (claim.kind === 'mine') break;
      if (runtime.monotonicMs() >= endMs) throw tooLong();
      await runtime.pause(waitMs, signal);
    }
    const letGo = holdOn(place, holder);
    const release = async (): Promise<void> => {
      letGo();
      await attempt(() => keyedAnswers.release(place, holder));
    };
    return {
      kind: 'mine',
      release,
      keep: async (kept) => {
        if (kept.answer.length > MOST_KEPT_CHARACTERS) {
          await release();
          return false;
        }
        letGo();
        return (await attempt(() => keyedAnswers.keep(place, holder, { ...kept, operation }))) ?? false;
      },
    };
  };
}

function tooLong(): AppError {
  return new AppError('overloaded', 'The first request with this Idempotency-Key is still being worked on', {
    retryAfterSeconds: 30,
  });
}
