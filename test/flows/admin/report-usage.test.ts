import { describe, expect, it } from '@jest/globals';
import { makeReportUsage } from '../../../src/flows/admin/report-usage.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { UsageQuery, UsageRow } from '../../../src/ports/usage.ts';

const aRow: UsageRow = {
  organization: 'mercy',
  keyId: '0123456789abcdef',
  operation: 'transcribe',
  requests: 3,
  failures: 1,
  cancelled: 0,
  audioSeconds: 90,
  aiMs: 4000,
  durationMs: 5000,
};

function aReport(now: string) {
  const asked: UsageQuery[] = [];
  const reportUsage = makeReportUsage({
    runtime: { ...systemRuntime, now: () => new Date(now) },
    usage: {
      summarize: async (query) => {
        asked.push(query);
        return [aRow];
      },
    },
  });
  return { reportUsage, asked };
}

const day = (text: string) => new Date(`${text}T00:00:00Z`);

describe('a usage report', () => {
  it('without bounds it covers this month in UTC', async () => {
    const { reportUsage, asked } = aReport('2026-12-31T23:30:00Z');
    const { from, to, rows } = await reportUsage({});
    expect([from, to]).toEqual([day('2026-12-01'), day('2027-01-01')]);
    expect(rows).toEqual([aRow]);
    expect(asked).toEqual([{ from, to }]);
  });

  it('with only a start in the past it ends with this month', async () => {
    const { from, to } = await aReport('2026-11-21T08:00:00Z').reportUsage({ from: day('2026-03-05') });
    expect([from, to]).toEqual([day('2026-03-05'), day('2026-12-01')]);
  });

  it('with only an end it begins with the month of the end', async () => {
    const { from, to } = await aReport('2026-11-21T08:00:00Z').reportUsage({ to: day('2026-10-01') });
    expect([from, to]).toEqual([day('2026-09-01'), day('2026-10-01')]);
  });

  it('it can be limited to one organization and one key', async () => {
    const { reportUsage, asked } = aReport('2026-11-21T08:00:00Z');
    await reportUsage({ organization: 'mercy', keyId: aRow.keyId });
    expect(asked[0]).toMatchObject({ organization: 'mercy', keyId: aRow.keyId });
  });

  it('an empty period is refused', async () => {
    const { reportUsage } = aReport('2026-11-21T08:00:00Z');
    const asked = reportUsage({ from: day('2026-03-05'), to: day('2026-03-05') });
    await expect(asked).rejects.toMatchObject({ code: 'invalidRequest', message: 'from must be before to' });
  });
});
