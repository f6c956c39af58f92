// When heartbeats are due: whoever asked for a period hears something at least that often. Each notice, of whatever kind, begins the
// period anew; where nothing can be told any more, nothing is due.
import { type After, makeWaits } from '../faults/waits.ts';
import { isObject, type Json, valuesAt } from './resource-values.ts';
import { BACKPORT } from './subscription-notices.ts';

export type Heartbeats = {
  /** It may be another one than before, or gone. */
  readonly look: (id: string) => void;
  /** Something is sent to it. */
  readonly told: (id: string) => void;
  /** Nothing is due any more. */
  readonly clear: () => void;
  /** And never will be. */
  readonly close: () => void;
};

type Parts = {
  /** The Subscription as it is now; undefined: it is told nothing. */
  readonly served: (id: string) => Json | undefined;
  /** Resolves when it was taken, or given up. */
  readonly beat: (id: string) => Promise<unknown>;
  readonly after?: After | undefined;
};

type Planned = { readonly periodMs: number; readonly callOff: () => void };

const MIN_SECONDS = 1;
const MAX_SECONDS = 86_400;
/** Where what is asked for is no number. */
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
    // Where nobody takes them, they do not pile up.
    if (!planned.has(id) || underWay.has(id)) return;
    underWay.add(id);
    void beat(id).finally(() => underWay.delete(id));
  };
  const clear = (): void => {
    for (const id of [...planned.keys()]) callOff(id);
  };

  return {
    look: (id) => {
      // A change is no notice: the period goes on.
      if (planned.get(id)?.periodMs !== heartbeatPeriodMs(served(id))) begin(id);
    },
    told: begin,
    clear,
    close: () => {
      isClosed = true;
      clear();
    },
  };
}

/** Undefined: no heartbeats are asked for. Whatever else is asked for, no flood comes of it, and no wait that a timer cannot wait. */
function heartbeatPeriodMs(subscription: Json | undefined): number | undefined {
  const extension = valuesAt(subscription, 'channel.extension').find(
    (one) => isObject(one) && one['url'] === `${BACKPORT}/backport-heartbeat-period`,
  );
  if (!isObject(extension)) return undefined;
  const asked = extension['valueUnsignedInt'];
  const seconds = typeof asked === 'number' && !Number.isNaN(asked) ? asked : DEFAULT_SECONDS;
  return Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS) * 1000;
}

/** Gives what calls it off. */
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
