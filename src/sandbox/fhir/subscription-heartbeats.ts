// Schedules heartbeats: a Subscription with a heartbeat period gets a notice at least that often. Each notice of any kind restarts the period;
// an ended Subscription gets no heartbeats.
import { type After, makeWaits } from '../faults/waits.ts';
import { isObject, type Json, valuesAt } from './resource-values.ts';
import { BACKPORT } from './subscription-notices.ts';

export type Heartbeats = {
  /** The Subscription was changed or deleted. */
  readonly look: (id: string) => void;
  /** A notice is sent, so the period restarts. */
  readonly restart: (id: string) => void;
  /** Ends the heartbeats of all Subscriptions. */
  readonly clear: () => void;
  /** Ends all heartbeats; none are started later. */
  readonly close: () => void;
};

type Parts = {
  /** Returns the current Subscription; undefined if it gets no notices. */
  readonly served: (id: string) => Json | undefined;
  /** Resolves when the notice was delivered or given up. */
  readonly beat: (id: string) => Promise<unknown>;
  readonly after?: After | undefined;
};

type Planned = { readonly periodMs: number; readonly callOff: () => void };

const MIN_SECONDS = 1;
const MAX_SECONDS = 86_400;
/** Used if the requested period is not a number. */
const DEFAULT_SECONDS = 60;

export function makeHeartbeats({ served, beat, after }: Parts): Heartbeats {
  const planned = new Map<string, Planned>();
  const underWay = new Set<string>();
  let isClosed = false;

  const callOff = (id: string): void => {
    planned.get(id)?.callOff();
    planned.delete(id);
  };
  const begin = (id: string): void => {
    callOff(id);
    const periodMs = isClosed ? undefined : heartbeatPeriodMs(served(id));
    if (periodMs === undefined) return;
    planned.set(id, { periodMs, callOff: later(periodMs, () => fallDue(id), after) });
  };
  const fallDue = (id: string): void => {
    begin(id);
    // The next one is scheduled after the delivery, so that undelivered heartbeats do not accumulate.
    if (!planned.has(id) || underWay.has(id)) return;
    underWay.add(id);
    void beat(id).finally(() => underWay.delete(id));
  };
  const clear = (): void => {
    for (const id of [...planned.keys()]) callOff(id);
  };

  return {
    look: (id) => {
      // A change of the Subscription does not restart the period.
      if (planned.get(id)?.periodMs !== heartbeatPeriodMs(served(id))) begin(id);
    },
    restart: begin,
    clear,
    close: () => {
      isClosed = true;
      clear();
    },
  };
}

/** Returns undefined without a requested period. The period is limited to what a timer can handle, and is never too short. */
function heartbeatPeriodMs(subscription: Json | undefined): number | undefined {
  const extension = valuesAt(subscription, 'channel.extension').find(
    (one) => isObject(one) && one['url'] === `${BACKPORT}/backport-heartbeat-period`,
  );
  if (!isObject(extension)) return undefined;
  const requested = extension['valueUnsignedInt'];
  const seconds = typeof requested === 'number' && !Number.isNaN(requested) ? requested : DEFAULT_SECONDS;
  return Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS) * 1000;
}

/** Returns a function that cancels the timer. */
function later(ms: number, work: () => void, after: After | undefined): () => void {
  const waits = makeWaits(after);
  let isCalledOff = false;
  void waits.wait(ms).then(() => {
    if (!isCalledOff) work();
  });
  return () => {
    isCalledOff = true;
    waits.release();
  };
}
