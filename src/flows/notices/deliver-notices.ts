// Delivers the notices that are due: each until its channel has taken it, for a day at most, at ever longer intervals.
import { backoffMs } from '../../domain/backoff.ts';
import { type AppError, asAppError, type ErrorCode } from '../../domain/errors.ts';
import type { Notice, Notices, SendNotice } from '../../ports/notices.ts';
import type { Runtime } from '../../ports/runtime.ts';

type DeliverParts = {
  readonly notices: Pick<Notices, 'claim' | 'sent' | 'failed'>;
  readonly sendNotice: SendNotice;
  readonly runtime: Pick<Runtime, 'now' | 'chance'>;
  /** For the log: after each try. */
  readonly onFailed: (failure: {
    readonly notice: Notice;
    readonly why: AppError;
    readonly isGivenUp: boolean;
  }) => void;
};

/** Resolves with true if there may be more. Throws what the store throws. */
export type DeliverNotices = (signal: AbortSignal) => Promise<boolean>;

const AT_ONCE = 10;
/** Longer than a channel may take. */
const LEASE_MS = 120_000;
const DAY_MS = 86_400_000;
const PAUSES = { firstMs: 30_000, longestMs: 7_200_000, spread: [0.8, 1.2] } as const;
/** Another try would end in the same way. */
const FOR_GOOD: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['vendorRejected', 'notConfigured']);

export function makeDeliverNotices({ notices, sendNotice, runtime, onFailed }: DeliverParts): DeliverNotices {
  async function deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    try {
      await sendNotice(notice, signal);
    } catch (thrown) {
      // The engine stops: another one takes the notice when the lease has ended.
      if (signal.aborted) return;
      await fail(notice, asAppError(thrown));
      return;
    }
    await notices.sent(notice.id);
  }

  async function fail(notice: Notice, why: AppError): Promise<void> {
    const pauseMs = backoffMs(notice.tries - 1, PAUSES, runtime.chance());
    const retryAt = new Date(runtime.now().getTime() + pauseMs);
    const isOver = retryAt.getTime() >= notice.createdAt.getTime() + DAY_MS;
    const isGivenUp = isOver || FOR_GOOD.has(why.code);
    await notices.failed(notice.id, isGivenUp ? undefined : retryAt);
    onFailed({ notice, why, isGivenUp });
  }

  return async (signal) => {
    const due = await notices.claim(AT_ONCE, LEASE_MS);
    await Promise.all(due.map((notice) => deliver(notice, signal)));
    return due.length === AT_ONCE;
  };
}
