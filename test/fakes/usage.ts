// Usage records in memory, which the test can read.
import type { UsageRecord } from '../../src/domain/access/usage.ts';
import type { Usage, UsageRow } from '../../src/ports/usage.ts';

export type FakeUsage = Usage & {
  readonly records: readonly UsageRecord[];
  /** The audio seconds of the organization in this calendar month (UTC), for the limits. */
  readonly monthAudioSeconds: (organization: string) => number;
};

export function makeFakeUsage({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeUsage {
  const kept: { readonly record: UsageRecord; readonly month: string }[] = [];
  return {
    get records() {
      return kept.map(({ record }) => record);
    },
    monthAudioSeconds: (organization) =>
      kept
        .filter(({ record, month }) => record.organization === organization && month === monthOf(now()))
        .reduce((sum, { record }) => sum + record.audioSeconds, 0),
    record: async (record) => {
      kept.push({ record, month: monthOf(now()) });
    },
    summarize: async ({ organization, keyId, from, to }) => {
      const chosen = kept
        .map(({ record }) => record)
        .filter((record) => organization === undefined || record.organization === organization)
        .filter((record) => keyId === undefined || record.keyId === keyId)
        .filter((record) => from === undefined || record.startedAt >= from)
        .filter((record) => to === undefined || record.startedAt < to);
      const groups = Map.groupBy(chosen, ({ organization: of, keyId: by, operation }) =>
        JSON.stringify([of, by, operation]),
      );
      return [...groups.keys()].sort().map((name) => sumUp(groups.get(name) ?? []));
    },
  };
}

export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

function sumUp(records: readonly UsageRecord[]): UsageRow {
  const [first] = records;
  if (!first) throw new Error('a group has at least one record');
  const sum = (value: (record: UsageRecord) => number) => records.reduce((total, record) => total + value(record), 0);
  return {
    organization: first.organization,
    keyId: first.keyId,
    operation: first.operation,
    requests: records.length,
    failures: sum(({ outcome }) => Number(outcome === 'failure')),
    cancelled: sum(({ outcome }) => Number(outcome === 'cancelled')),
    audioSeconds: sum(({ audioSeconds }) => audioSeconds),
    aiMs: sum(({ aiMs }) => aiMs),
    durationMs: sum(({ durationMs }) => durationMs),
  };
}
