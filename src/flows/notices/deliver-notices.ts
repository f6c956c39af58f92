// Delivers the notices that are due: each until its channel has taken it, for a day at most, at ever longer intervals.
import { type AppError, asAppError, type ErrorCode } from '../../domain/errors.ts';
import { retryWithinDay } from '../../domain/retry-within-day.ts';
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
    const when = { waiting: notice, now: runtime.now(), chance: runtime.chance() };
    const retryAt = FOR_GOOD.has(why.code) ? undefined : retryWithinDay(when);
    await notices.failed(notice.id, retryAt);
    onFailed({ notice, why, isGivenUp: retryAt === undefined });
  }

  return async (signal) => {
    const due = await notices.claim(AT_ONCE, LEASE_MS);
    await Promise.all(due.map((notice) => deliver(notice, signal)));
    return due.length === AT_ONCE;
  };
}
