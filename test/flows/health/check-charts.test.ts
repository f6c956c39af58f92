// The health of the charts for /readyz, and their metrics.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { countFindings, makeCheckCharts } from '../../../src/flows/health/check-charts.ts';
import { makeMetrics } from '../../../src/platform/metrics.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { FindingKind, OpenFinding } from '../../../src/ports/ledger.ts';

const finding = (site: string, kind: FindingKind = 'missing'): OpenFinding => ({
  site,
  kind,
  identity: 'an-encounter/a-session/composition',
  references: ['Composition/canary'],
  foundAt: new Date('2026-11-21T08:00:00Z'),
});

const ledgerWith = (...open: readonly OpenFinding[]) => ({ openFindings: async () => open });
const brokenLedger = {
  openFindings: async (): Promise<readonly OpenFinding[]> => {
    throw new AppError('overloaded', 'no database');
  },
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

  it('is degraded if the findings cannot be read', async () => {
    const silent = { openFindings: () => new Promise<never>(() => {}) };
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
