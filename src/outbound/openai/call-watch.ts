// Watches one call: how long the first byte and each further one may take, and whether the caller still wants it. Ends the
// call by aborting its signal; the reason of the abort is the AppError that the caller gets.
import { CallFailure } from '../../domain/call-cause.ts';
import { AppError } from '../../domain/errors.ts';

export type Timeouts = { readonly firstByteMs: number; readonly idleMs: number; readonly totalMs: number };

const SETTINGS = {
  firstByteMs: 'REASONER_FIRST_BYTE_SECONDS',
  idleMs: 'REASONER_IDLE_SECONDS',
  totalMs: 'REASONER_TOTAL_SECONDS',
} as const satisfies Record<keyof Timeouts, string>;

type WatchParts = { readonly timeouts: Timeouts; readonly signal: AbortSignal };

export class CallWatch {
  readonly #controller = new AbortController();
  readonly #timeouts: Timeouts;
  readonly #outer: AbortSignal;
  #timer: NodeJS.Timeout | undefined;

  constructor({ timeouts, signal }: WatchParts) {
    this.#timeouts = timeouts;
    this.#outer = signal;
    if (signal.aborted) this.#onOuterAbort();
    else signal.addEventListener('abort', this.#onOuterAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From now on something must come within this time. Counts anew at each call. */
  expect(within: keyof Timeouts): void {
    this.pause();
    const timeoutMs = this.#timeouts[within];
    this.#timer = setTimeout(() => {
      this.#controller.abort(tooSlow(timeoutMs, SETTINGS[within]));
    }, timeoutMs);
  }

  /** Nothing is expected of the other side for now. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Call it always: no timer, no listener and no connection is left. */
  stop(): void {
    this.pause();
    this.#outer.removeEventListener('abort', this.#onOuterAbort);
    this.#controller.abort(new AppError('cancelled', 'The call has ended'));
  }

  readonly #onOuterAbort = (): void => {
    this.#controller.abort(abortReason(this.#outer));
  };
}

/** What an aborted signal means to the caller: the AppError it was aborted with, else `cancelled`. */
export function abortReason(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError ? signal.reason : new AppError('cancelled', 'The request was cancelled');
}

function tooSlow(timeoutMs: number, setting: string): AppError {
  const cause = new CallFailure('timeout');
  return new AppError('vendorUnavailable', `The reasoner took longer than ${timeoutMs / 1000} s (${setting})`, {
    cause,
  });
}
