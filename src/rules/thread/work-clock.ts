// Limits the processor time of one piece of work. What the machine does beside it does not count, so that a slow machine refuses no more
// than a fast one.
import { AppError } from '../../domain/errors.ts';

export type WorkClock = {
  readonly begin: (kind?: WorkKind) => void;
  /** To be called now and then by the work. Throws `payloadTooLarge` if its time is over. */
  readonly check: () => void;
};

export type WorkKind = 'text' | 'transcript';

/** A note of a part of a talk would leave out what was said later, so a transcript is refused, too. */
const ADVICE: Readonly<Record<WorkKind, string>> = {
  text: 'shorten it',
  transcript: 'send shorter recordings, or use a language model',
};

export function makeWorkClock(limitMs: number, nowMs = threadTimeMs): WorkClock {
  let endsAtMs = Number.POSITIVE_INFINITY;
  let of: WorkKind = 'text';
  return {
    begin: (kind = 'text') => {
      of = kind;
      endsAtMs = nowMs() + limitMs;
    },
    check: () => {
      if (nowMs() <= endsAtMs) return;
      endsAtMs = Number.POSITIVE_INFINITY;
      throw new AppError(
        'payloadTooLarge',
        `The ${of} is too long for the rules: they had ${limitMs / 1000} s for it; ${ADVICE[of]}`,
      );
    },
  };
}

/** Of this thread; where Node cannot tell it, the time that has passed. */
function threadTimeMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
