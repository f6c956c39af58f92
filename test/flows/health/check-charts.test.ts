// The health of the charts for /readyz, and their metrics.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { countFindings, makeCheckCharts } from '../../../src/flows/health/check-charts.ts';
import { makeMetrics } from '../../../src/platform/metrics.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { CheckProgress, FindingKind, OpenFinding } from '../../../src/ports/ledger.ts';

const finding = (site: string, kind: FindingKind = 'missing'): OpenFinding => ({
  site,
  kind,
  identity: 'an-encounter/a-session/composition',
  references: ['Composition/canary'],
  foundAt: new Date('2026-11-21T08:00:00Z'),
});

const ledgerWith = (...open: readonly OpenFinding[]) => ({
  openFindings: async () => open,
  checkProgress: async (): Promise<ReadonlyMap<string, CheckProgress>> => new Map(),
});
const brokenLedger = {
  openFindings: async (): Promise<readonly OpenFinding[]> => {
    throw new AppError('overloaded', 'no database');
  },
  checkProgress: async () => new Map<string, CheckProgress>(),
};

describe('the health of the charts', () => {
  it.each([
    ['ok', 'No discrepancies were found in the charts.', []],
    ['degraded', '1 finding at mercy: npm run cli -- sites reconcile mercy.', [finding('mercy')]],
    [
      'degraded',
      '2 findings at mercy: npm run cli -- sites reconcile mercy.',
      [finding('mercy'), finding('mercy', 'duplicate')],
    ],
    [
      'degraded',
      '2 findings at mercy, 1 finding at st-mary: npm run cli -- sites list.',
      [finding('st-mary'), finding('mercy'), finding('mercy')],
    ],
  ])('is %s: %s', async (status, detail, open) => {
    expect(await makeCheckCharts({ ledger: ledgerWith(...open), runtime: systemRuntime })()).toEqual({
      name: 'charts',
      status,
      detail,
    });
  });

  it('says how far the checks of each site are, and counts them once in a minute', async () => {
    let counted = 0;
    const checkProgress = async () => {
      counted += 1;
      const oldestAt = new Date('2026-11-21T04:26:00Z');
      return new Map<string, CheckProgress>([
        ['st-mary', { written: 3, checked: 0 }],
        ['mercy', { written: 4682, checked: 4670, oldestAt }],
      ]);
    };
    const runtime = { ...systemRuntime, monotonicMs: () => nowMs };
    let nowMs = 0;
    const check = makeCheckCharts({ ledger: { ...ledgerWith(), checkProgress }, runtime });
    const detail =
      'No discrepancies were found in the charts. mercy: 4670 of 4682 resources checked, each since 2026-11-21 04:26 UTC. ' +
      'st-mary: 0 of 3 resources checked.';
    for (const at of [0, 59_999, 60_000]) {
      nowMs = at;
      expect(await check()).toEqual({ name: 'charts', status: 'ok', detail });
    }
    expect(counted).toBe(2);
  });

  it('stays ok if the progress cannot be counted', async () => {
    const checkProgress = () => Promise.reject(new AppError('overloaded', 'no database'));
    const check = makeCheckCharts({ ledger: { ...ledgerWith(), checkProgress }, runtime: systemRuntime });
    expect(await check()).toMatchObject({ status: 'ok', detail: 'No discrepancies were found in the charts.' });
  });

  it('is degraded if the findings cannot be read', async () => {
    const silent = { ...brokenLedger, openFindings: () => new Promise<never>(() => {}) };
    for (const ledger of [brokenLedger, silent]) {
      const health = makeCheckCharts({ ledger, runtime: systemRuntime, timeoutMs: 1 });
      expect(await health()).toMatchObject({ name: 'charts', status: 'degraded' });
    }
  });
});

describe('the metrics of the charts', () => {
  const watched = (ledger: Parameters<typeof countFindings>[0]['ledger']) => {
    const metrics = makeMetrics();
    metrics.watchEach({
      name: 'findings',
      help: 'Findings',
      label: 'kind',
      read: () => countFindings({ ledger, runtime: systemRuntime }),
    });
    return metrics;
  };

  it('count open findings by kind, without site and identity', async () => {
    const open = [finding('mercy'), finding('st-mary'), finding('mercy', 'duplicate')];
    const { body } = await watched(ledgerWith(...open)).text();
    expect(body).toMatch(/^findings\{kind="missing"\} 2$/m);
    expect(body).toMatch(/^findings\{kind="duplicate"\} 1$/m);
    expect(body).not.toMatch(/mercy|canary/);
  });

  it('have 0 for a kind without open findings', async () => {
    let open = [finding('mercy')];
    const metrics = watched({ openFindings: async () => open });
    expect((await metrics.text()).body).toMatch(/^findings\{kind="missing"\} 1$/m);
    open = [];
    const { body } = await metrics.text();
    for (const kind of ['duplicate', 'missing', 'foreign', 'unknown', 'encounter']) {
      expect(body).toMatch(new RegExp(`^findings\\{kind="${kind}"\\} 0$`, 'm'));
    }
  });

  it('leave the findings out if the database does not answer', async () => {
    const { body } = await watched(brokenLedger).text();
    expect(body).not.toMatch(/^findings\{/m);
    expect(body).toContain('process_cpu_seconds_total');
  });

  it('have the duration of calls to EHRs by operation and outcome', async () => {
    const metrics = makeMetrics();
    metrics.ehrCalled({ operation: 'read', outcome: 'success', durationMs: 120 });
    expect((await metrics.text()).body).toMatch(
      /^chartwright_ehr_call_duration_seconds_count\{operation="read",outcome="success"\} 1$/m,
    );
  });
});
