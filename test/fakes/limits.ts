// The limits, in memory, with a clock that the test sets.
import type { Limits } from '../../src/ports/usage.ts';
import { type FakeUsage, makeFakeUsage, monthOf } from './usage.ts';

type FakeLimitsParts = { readonly usage?: FakeUsage; readonly now?: () => Date };

const MINUTE_MS = 60_000;

export function makeFakeLimits({
  now = () => new Date(),
  usage = makeFakeUsage({ now }),
}: FakeLimitsParts = {}): Limits {
  const minutes = new Map<string, { readonly endsAt: number; readonly count: number }>();
  const months = new Map<string, number>();
  return {
    takeMinute: async (keyId, { requestsPerMinute: limit }) => {
      if (limit === undefined) return undefined;
      const time = now().getTime();
      const running = minutes.get(keyId);
      const { endsAt, count } = running && running.endsAt > time ? running : { endsAt: time + MINUTE_MS, count: 0 };
      minutes.set(keyId, { endsAt, count: count + 1 });
      return {
        isAllowed: count < limit,
        limit,
        remaining: Math.max(0, limit - count - 1),
        resetSeconds: Math.ceil((endsAt - time) / 1000),
      };
    },
    takeMonth: async (organization, { requestsPerMonth: limit = Number.POSITIVE_INFINITY }) => {
      const name = JSON.stringify([organization, monthOf(now())]);
      const used = months.get(name) ?? 0;
      if (used >= limit) return false;
      months.set(name, used + 1);
      return true;
    },
    hasAudioLeft: async (organization, { audioSecondsPerMonth: limit = Number.POSITIVE_INFINITY }) =>
      usage.monthAudioSeconds(organization) < limit,
  };
}
