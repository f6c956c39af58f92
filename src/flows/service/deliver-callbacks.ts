// Delivers the call-backs that are due: at least once each, with one id in all tries, which grow rarer over a day. They hold no clinical content.
import { isAllowedCallback, pauseAfterTries } from '../../domain/access/callback.ts';
import { jobPath } from '../../domain/access/job.ts';
import type { CallbackOutcome, Callbacks, DueCallback, SendCallback } from '../../ports/callbacks.ts';
import type { Runtime } from '../../ports/runtime.ts';

type DeliverParts = {
  readonly callbacks: Callbacks;
  readonly sendCallback: SendCallback;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly publicUrl: string;
};

/** Resolves with true if there may be more. */
export type DeliverCallbacks = (signal: AbortSignal) => Promise<boolean>;

const AT_ONCE = 10;

export function makeDeliverCallbacks({ callbacks, sendCallback, runtime, publicUrl }: DeliverParts): DeliverCallbacks {
  async function outcomeOf(call: DueCallback, signal: AbortSignal): Promise<CallbackOutcome> {
    const settings = await callbacks.find(call.keyId);
    // The operator took the origin back.
    if (settings === undefined || !isAllowedCallback(call.url, settings.origins)) return { state: 'given-up' };
    const { jobId, status, url } = call;
    const at = runtime.now();
    const data = { id: jobId, status, url: new URL(jobPath(jobId), publicUrl).href };
    const body = JSON.stringify({ type: 'job.ended', timestamp: at.toISOString(), data });
    const answer = await sendCallback({ url, id: `job_${jobId}`, body, secret: settings.secret, at }, signal);
    if (answer === 'delivered') return { state: 'delivered' };
    const inMs = answer === 'gone' ? undefined : pauseAfterTries(call.tries);
    return inMs === undefined ? { state: 'given-up' } : { state: 'due', inMs };
  }

  return async (signal) => {
    const due = await callbacks.claim(AT_ONCE);
    await Promise.all(due.map(async (call) => callbacks.settle(call, await outcomeOf(call, signal))));
    return due.length === AT_ONCE;
  };
}
