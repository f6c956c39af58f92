// When something that waits for a server elsewhere is tried again: at ever longer intervals, for a day at most.
import { backoffMs } from './backoff.ts';

const DAY_MS = 86_400_000;
const PAUSES = { firstMs: 30_000, longestMs: 7_200_000, spread: [0.8, 1.2] } as const;

type RetryQuestion = {
  /** `tries`: how often it was tried by now. */
  readonly waiting: { readonly createdAt: Date; readonly tries: number };
  readonly now: Date;
  /** From 0 up to but not 1. */
  readonly chance: number;
  /** What the server asks for. */
  readonly leastMs?: number | undefined;
};

/** Undefined: its day is over. */
export function retryWithinDay({ waiting, now, chance, leastMs = 0 }: RetryQuestion): Date | undefined {
  const at = now.getTime() + Math.max(leastMs, backoffMs(waiting.tries - 1, PAUSES, chance));
  return at < waiting.createdAt.getTime() + DAY_MS ? new Date(at) : undefined;
}
