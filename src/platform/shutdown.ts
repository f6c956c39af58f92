// Closes the opened parts in reverse order, each with its share of the time, also if another part fails.

export type Closer = { readonly name: string; readonly close: () => Promise<void> | void; readonly timeoutMs?: number };

export type Shutdown = {
  /** To be closed before everything that was added earlier. */
  readonly add: (closer: Closer) => void;
  /** The promise that opens the parts. `run` waits for its end first: a half-open part cannot be closed. */
  readonly opens: (opening: Promise<unknown>) => void;
  /** Closes all parts; a second call waits for the first. Resolves with the names of parts that failed or took too long. */
  readonly run: () => Promise<readonly string[]>;
};

const DEFAULT_TIMEOUT_MS = 3_000;
const OPENING_TIMEOUT_MS = 20_000;

export function makeShutdown(): Shutdown {
  const closers: Closer[] = [];
  let opening: Promise<unknown> = Promise.resolve();
  let running: Promise<readonly string[]> | undefined;

  async function closeAll(): Promise<readonly string[]> {
    const failed: string[] = [];
    const opened = () => opening.then(() => undefined).catch(() => undefined);
    if (!(await closesInTime({ name: 'start', close: opened, timeoutMs: OPENING_TIMEOUT_MS }))) failed.push('start');
    for (const closer of closers.toReversed()) {
      if (!(await closesInTime(closer))) failed.push(closer.name);
    }
    return failed;
  }

  return {
    add: (closer) => {
      closers.push(closer);
    },
    opens: (given) => {
      opening = given;
    },
    run: () => {
      running ??= closeAll();
      return running;
    },
  };
}

async function closesInTime({ close, timeoutMs = DEFAULT_TIMEOUT_MS }: Closer): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, timeoutMs, false);
  try {
    return await Promise.race([Promise.resolve(close()).then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
