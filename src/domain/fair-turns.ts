// Lets several owners share one thing that does one piece of work at a time: the owners take turns, so that none waits for all the work
// of another. What an owner may have waiting is limited.
import { AppError } from './errors.ts';

export type FairTurns = {
  /** Resolves with the function that ends the turn. Rejects with `overloaded`, or with the signal's reason, and leaves the line at once. */
  readonly take: (owner: string, signal: AbortSignal) => Promise<() => void>;
};

type Limits = {
  /** Pieces of work of one owner. */
  readonly mostWaiting: number;
  readonly retryAfterSeconds: number;
};

export function makeFairTurns({ mostWaiting, retryAfterSeconds }: Limits): FairTurns {
  /** The owners in the order of their next turns. */
  const lines = new Map<string, Set<() => void>>();
  let isTaken = false;

  const beginNext = (): void => {
    const [next] = lines;
    isTaken = next !== undefined;
    if (next === undefined) return;
    const [owner, line] = next;
    const [first] = line;
    lines.delete(owner);
    if (first !== undefined) line.delete(first);
    if (line.size > 0) lines.set(owner, line);
    first?.();
  };

  const waitInLine = (owner: string, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const line = lines.get(owner) ?? new Set();
      if (line.size >= mostWaiting) {
        reject(new AppError('overloaded', 'Too much is asked at once; try again in a moment', { retryAfterSeconds }));
        return;
      }
      const leave = (): void => {
        line.delete(begin);
        if (line.size === 0) lines.delete(owner);
        reject(signal.reason);
      };
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      lines.set(owner, line.add(begin));
      signal.addEventListener('abort', leave, { once: true });
    });

  return {
    async take(owner, signal) {
      signal.throwIfAborted();
      if (isTaken) await waitInLine(owner, signal);
      isTaken = true;
      let isOver = false;
      return () => {
        if (!isOver) beginNext();
        isOver = true;
      };
    },
  };
}
