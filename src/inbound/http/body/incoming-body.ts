// Reads the bytes of a request chunk by chunk, with limits for size, time and minimum rate. Unread bytes stay in the client's
// socket. Every failure is an AppError that `next` throws; no failure is an unhandled event.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { continueBody } from '../server/expect-continue.ts';
import { BodyPace, type MinimumRate } from './body-pace.ts';
import { mebibytes } from './sizes.ts';

export type BodyLimits = {
  readonly maxBytes: number;
  /** The time limit for the whole body, from the construction on. */
  readonly deadlineMs: number;
  readonly minimumRate?: MinimumRate;
};

const RATE_CHECKS_PER_WINDOW = 10;

export class IncomingBody {
  readonly #req: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #signal: AbortSignal;
  readonly #deadlineAtMs: number;
  readonly #pace: BodyPace | undefined;
  readonly #queue: Uint8Array[] = [];
  #receivedBytes = 0;
  #isComplete = false;
  #failure: AppError | undefined;
  #wake: (() => void) | undefined;

  /** Throws `payloadTooLarge` if the Content-Length is too large. */
  constructor(req: IncomingMessage, limits: BodyLimits, signal: AbortSignal) {
    this.#req = req;
    this.#limits = limits;
    this.#signal = signal;
    this.#deadlineAtMs = performance.now() + limits.deadlineMs;
    this.#pace = limits.minimumRate && new BodyPace(limits.minimumRate);
    if (Number(req.headers['content-length'] ?? 0) > limits.maxBytes) throw this.#tooLarge();
    if (req.destroyed) this.#failure = gone();
    if (signal.aborted) this.#failure = reasonOf(signal);
    req.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onClose);
    req.pause();
    signal.addEventListener('abort', this.#onAbort);
  }

  /** Resolves with the next bytes, or undefined when the body is complete. It must not be called concurrently. */
  async next(): Promise<Uint8Array | undefined> {
    continueBody(this.#req);
    while (this.#queue.length === 0 && !this.#isComplete && this.#failure === undefined) await this.#waitForClient();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#queue.shift();
  }

  /** Stops reading; a pending `next` throws `cancelled`. A second call does nothing. */
  release(): void {
    this.#fail(gone());
    this.#req.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', this.#onClose);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  async #waitForClient(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const startedMs = performance.now();
    const checks = this.#limits.minimumRate && setInterval(this.#check, this.#checkIntervalMs(), startedMs);
    const deadline = setTimeout(() => this.#fail(tooSlow()), Math.max(0, this.#deadlineAtMs - startedMs));
    this.#wake = resolve;
    this.#req.resume();
    try {
      await promise;
    } finally {
      clearInterval(checks);
      clearTimeout(deadline);
      this.#wake = undefined;
      this.#pace?.waited(performance.now() - startedMs);
    }
    // A client that sends single bytes never makes a wait long enough for the interval check.
    if (this.#pace?.isTooSlow() === true && !this.#isComplete) this.#fail(tooSlow());
  }

  #checkIntervalMs(): number {
    return (this.#limits.minimumRate?.windowMs ?? 0) / RATE_CHECKS_PER_WINDOW;
  }

  readonly #check = (startedMs: number): void => {
    if (this.#pace?.isTooSlow(performance.now() - startedMs) === true) this.#fail(tooSlow());
  };

  readonly #onData = (bytes: Uint8Array): void => {
    this.#req.pause();
    this.#receivedBytes += bytes.length;
    this.#pace?.received(bytes.length);
    if (this.#receivedBytes > this.#limits.maxBytes) {
      this.#fail(this.#tooLarge());
    } else {
      this.#queue.push(bytes);
      this.#wake?.();
    }
  };

  readonly #onEnd = (): void => {
    this.#isComplete = true;
    this.#wake?.();
  };

  readonly #onClose = (): void => {
    if (!this.#isComplete) this.#fail(gone());
  };

  readonly #onAbort = (): void => this.#fail(reasonOf(this.#signal));

  #fail(failure: AppError): void {
    this.#failure ??= failure;
    this.#req.pause();
    this.#wake?.();
  }

  #tooLarge(): AppError {
    return new AppError('payloadTooLarge', `The request body is larger than ${mebibytes(this.#limits.maxBytes)}`);
  }
}

function gone(): AppError {
  return new AppError('cancelled', 'The client closed the connection before its request was complete');
}

function tooSlow(): AppError {
  return new AppError('slowRequest', 'The request body came too slowly');
}

function reasonOf(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError ? signal.reason : gone();
}
