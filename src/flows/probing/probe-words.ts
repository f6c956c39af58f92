// What the answers to a probe mean, in words for the person who configures a site. No text of an EHR is in them.
import type { TransactionAnswer, WriteAnswer } from '../../ports/ehr.ts';
import type { Look } from './probe-bench.ts';
import { failed, passed, type Verdict } from './probe-steps.ts';

export function describeAnswer(answer: WriteAnswer | TransactionAnswer): string {
  switch (answer.kind) {
    case 'stored':
      return 'It was stored.';
    case 'mixed':
      return 'Some of it was stored and some was not.';
    case 'refused':
      return `The EHR refused it with ${answer.status}${answer.why === '' ? '' : ` (${answer.why})`}.`;
    case 'conflict':
      return 'The EHR answered 412, as if there were a conflict.';
    case 'busy':
      return 'The EHR was busy each time.';
    case 'unknown':
      return 'The answer was lost, and it was not found afterwards.';
  }
}

export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`;
}

/** The verdict on resources that were stored. */
export function describeLook(look: Look): Verdict {
  if (!look.canFind) return passed(`Stored. It cannot be searched for: ${look.why}.`);
  const most = Math.max(...look.counts);
  if (most > 1) return failed(`It is stored ${most} times, and was sent once.`);
  if (look.counts.some((count) => count === 0)) {
    return failed(`Stored, but not found again within ${inSeconds(look.waitedMs)}: its search is slow, or misses it.`);
  }
  const late = look.waitedMs < 1_000 ? 'at once' : `after ${inSeconds(look.waitedMs)}`;
  return passed(`Stored, and found again ${late}.`);
}
