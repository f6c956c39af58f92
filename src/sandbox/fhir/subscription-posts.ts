// Sends notices by POST, to this machine only, with retries after 1.2, 3.4 and 7.5 s. A test can lose or double a notice, or hold notices and
// release them in another order.
import { type After, makeWaits } from '../faults/waits.ts';

export type Notice = {
  /** `Subscription/7` */
  readonly subscription: string;
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The sent notice with the status of each try; 0 if there was no answer. */
export type SentNotice = Notice & { readonly answers: readonly number[] };

export type NotificationFaults = {
  /** Drops the next notices silently. */
  readonly dropNext: (count?: number) => void;
  readonly sendTwice: (count?: number) => void;
  /** Holds all notices until `letGo`. */
  readonly keepBack: () => void;
  readonly letGo: (order?: 'as-made' | 'reversed') => void;
};

export type SubscriptionPosts = NotificationFaults & {
  /** Resolves with true if the notice was delivered, with false if it was given up. Each try first checks that it is still wanted. */
  readonly send: (notice: Notice, isWanted?: () => boolean) => Promise<boolean>;
  /** The last sent notices, oldest first. */
  readonly sent: () => readonly SentNotice[];
  /** Resolves when no notice is under way except held ones. */
  readonly settled: () => Promise<void>;
  readonly close: () => void;
};

/** The pauses after the first try. */
const RETRIES_AT_MS = [1_200, 3_400, 7_500];
const TIMEOUT_MS = 30_000;
/** Heartbeats are sent without an end, so the list is limited. */
const KEPT_NOTICES = 2_000;
const THIS_MACHINE: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

export function makeSubscriptionPosts({ after }: { readonly after?: After | undefined }): SubscriptionPosts {
  const waits = makeWaits(after);
  const underWay = new Set<Promise<unknown>>();
  const sent: SentNotice[] = [];
  let kept: (() => void)[] | undefined;
  let [drops, doubles, isClosed] = [0, 0, false];

  const tryAll = async (notice: Notice, isWanted: () => boolean): Promise<boolean> => {
    const answers: number[] = [];
    sent.push({ ...notice, answers });
    if (sent.length > KEPT_NOTICES) sent.shift();
    let waitedMs = 0;
    for (const atMs of [0, ...RETRIES_AT_MS]) {
      if (atMs > 0) await waits.wait(atMs - waitedMs);
      waitedMs = atMs;
      if (isClosed || !isWanted()) return false;
      const status = await post(notice);
      answers.push(status);
      if (status >= 200 && status < 400) return true;
    }
    return false;
  };
  const begin = (notice: Notice, isWanted: () => boolean): Promise<boolean> => {
    const work = tryAll(notice, isWanted).finally(() => underWay.delete(work));
    underWay.add(work);
    return work;
  };

  return {
    dropNext: (count = 1) => {
      drops += count;
    },
    sendTwice: (count = 1) => {
      doubles += count;
    },
    keepBack: () => {
      kept ??= [];
    },
    letGo: (order = 'as-made') => {
      const waiting = kept ?? [];
      kept = undefined;
      for (const go of order === 'reversed' ? waiting.toReversed() : waiting) go();
    },
    async send(notice, isWanted = () => true) {
      if (drops > 0) {
        drops -= 1;
        return false;
      }
      if (kept) await new Promise<void>((resolve) => kept?.push(resolve));
      if (doubles > 0) {
        doubles -= 1;
        void begin(notice, isWanted);
      }
      return begin(notice, isWanted);
    },
    sent: () => [...sent],
    async settled() {
      // A released or answered notice can start further ones.
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close() {
      isClosed = true;
      waits.release();
    },
  };
}

async function post({ endpoint, headers, body }: Notice): Promise<number> {
  if (!THIS_MACHINE.has(URL.parse(endpoint)?.hostname ?? '')) return 0;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}
