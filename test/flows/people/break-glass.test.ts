// Break-glass: a restricted chart is closed to people and tokens until they open it with a reason, and closed again after an hour.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeBreakGlass } from '../../../src/flows/people/break-glass.ts';
import { makeRequireOpenChart } from '../../../src/flows/people/require-open-chart.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeNotices } from '../../fakes/notices.ts';
import { makeFakeOpenedCharts } from '../../fakes/opened-charts.ts';
import { makeFakeReleases } from '../../fakes/releases.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { aPersonsAccess, aReviewersAccess, OPERATOR } from '../../support/access.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { RESTRICTED_RESULTS } from '../../support/restricted-results.ts';
import { aKeptRun, HELD, RESULTS } from '../../support/stored-runs.ts';

const HOUR_MS = 3_600_000;
const REASON = 'Called to the bedside of Mrs. Example.';
const DANA = aPersonsAccess(['mercy']);

async function aWard({ privacy = 'privacy@mercy.example' }: { readonly privacy?: string | undefined } = {}) {
  let time = Date.parse('2026-03-02T10:00:00Z');
  const now = () => new Date(time);
  const stores = makeFakeRuns({ now });
  const [openedCharts, releases] = [makeFakeOpenedCharts({ now }), makeFakeReleases()];
  const [notices, audit] = [makeFakeNotices({ now }), makeFakeAudit({ now })];
  const state = { isNoticesAway: false };
  const site = aLiveSite();
  const settings = { ...site.settings, ...(privacy !== '' && { privacy: { to: privacy } }) };
  const snapshot = {
    sites: new Map([['mercy', { ...site, settings }]]),
    problems: [],
    stale: new Set(''),
    unavailable: new Set(''),
  };
  let ids = 0;
  const breakGlass = makeBreakGlass({
    runs: stores.runs,
    releases,
    openedCharts,
    notices: {
      add: (notice) =>
        state.isNoticesAway ? Promise.reject(new AppError('overloaded', 'The database is away')) : notices.add(notice),
    },
    sites: { current: () => snapshot },
    audit,
    runtime: {
      makeUuid: () => {
        ids += 1;
        return `id-${ids}`;
      },
    },
  });
  const requireOpen = makeRequireOpenChart({ runs: stores.runs, releases, openedCharts });
  const run = await aKeptRun(stores, { session: 's-1', patient: 'Patient/1', results: RESTRICTED_RESULTS, end: HELD });
  const later = (ms: number) => {
    time += ms;
  };
  return { stores, releases, notices, audit, state, breakGlass, requireOpen, run, later };
}

describe('a restricted chart', () => {
  it('is closed to a person; the error says how to open it', async () => {
    const { requireOpen, run } = await aWard();
    await expect(requireOpen(run, DANA)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`runs break-glass ${run.id} --reason`),
    });
  });

  it('is open for an hour to the person who opened it, and to no one else', async () => {
    const { breakGlass, requireOpen, run, later } = await aWard();
    const { chart } = await breakGlass.open({ id: run.id, reason: REASON, access: DANA });
    expect(chart.endsAt.getTime() - chart.openedAt.getTime()).toBe(HOUR_MS);
    expect(await requireOpen(run, DANA)).toBe('BTG');
    const other = aPersonsAccess(['mercy'], { actor: 'person/00000000000000bb' });
    await expect(requireOpen(run, other)).rejects.toMatchObject({ code: 'forbidden' });
    later(HOUR_MS);
    await expect(requireOpen(run, DANA)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is open to the keys as before, and to a person who opened this encounter in the EHR', async () => {
    const { requireOpen, run } = await aWard();
    const opened = { site: 'mercy', encounter: run.encounter };
    const elsewhere = aPersonsAccess(['mercy'], { opened: { ...opened, encounter: 'Encounter/other' } });
    expect(await requireOpen(run, OPERATOR)).toBeUndefined();
    expect(await requireOpen(run, { ...aReviewersAccess({ id: 'r-1', site: 'mercy' }) })).toBe('TREAT');
    expect(await requireOpen(run, aPersonsAccess(['mercy'], { opened }))).toBe('TREAT');
    await expect(requireOpen(run, elsewhere)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is also one that a person released although the site holds it as sensitive', async () => {
    const { stores, releases, requireOpen } = await aWard();
    const run = await aKeptRun(stores, {
      encounter: 'Encounter/2',
      session: 's-2',
      patient: 'Patient/2',
      results: RESULTS,
      end: HELD,
    });
    expect(await requireOpen(run, DANA)).toBe('TREAT');
    await releases.add({ site: 'mercy', encounter: 'Encounter/2', patient: 'Patient/2' });
    await expect(requireOpen(run, DANA)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('an opening', () => {
  it('is recorded as break-glass, told to the privacy address and listed; its reason is only in the list', async () => {
    const { breakGlass, notices, audit, run } = await aWard();
    expect((await breakGlass.open({ id: run.id, reason: REASON, access: DANA })).isPrivacyTold).toBe(true);
    expect(audit.entries).toMatchObject([
      {
        action: 'chart.open',
        actor: DANA.caller.actor,
        site: 'mercy',
        run: run.id,
        details: { opening: 'id-1', as: 'operator', purpose: 'BTG', address: '192.0.2.7' },
      },
    ]);
    expect(notices.all()).toMatchObject([
      {
        kind: 'break-glass',
        channel: { kind: 'mail', to: 'privacy@mercy.example' },
        site: 'mercy',
        run: run.id,
        details: { opening: 'id-1', actor: DANA.caller.actor },
      },
    ]);
    expect(JSON.stringify([audit.entries, notices.all()])).not.toContain('Mrs. Example');
    expect((await breakGlass.list({ scope: ['mercy'], limit: 10 })).charts).toMatchObject([
      { id: 'id-1', reason: REASON },
    ]);
    expect((await breakGlass.list({ scope: ['general'], limit: 10 })).charts).toEqual([]);
  });

  it('is sent to a webhook if the privacy address is one, and to no one without an address', async () => {
    const webhook = await aWard({ privacy: 'https://mercy.example/privacy' });
    await webhook.breakGlass.open({ id: webhook.run.id, reason: REASON, access: DANA });
    expect(webhook.notices.all()[0]?.channel).toEqual({ kind: 'webhook', to: 'https://mercy.example/privacy' });
    const silent = await aWard({ privacy: '' });
    const { isPrivacyTold } = await silent.breakGlass.open({ id: silent.run.id, reason: REASON, access: DANA });
    expect([isPrivacyTold, silent.notices.all()]).toEqual([false, []]);
  });

  it('is not there without its notice', async () => {
    const { breakGlass, requireOpen, run, state } = await aWard();
    state.isNoticesAway = true;
    const order = { id: run.id, reason: REASON, access: DANA };
    await expect(breakGlass.open(order)).rejects.toMatchObject({ code: 'overloaded' });
    await expect(requireOpen(run, DANA)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is refused for a chart that is not restricted, and a run of another site does not exist', async () => {
    const { stores, breakGlass, run, notices, audit } = await aWard();
    const open = await aKeptRun(stores, { encounter: 'Encounter/2', session: 's-2', results: RESULTS, end: HELD });
    await expect(breakGlass.open({ id: open.id, reason: REASON, access: DANA })).rejects.toMatchObject({
      code: 'conflict',
    });
    const access = aPersonsAccess(['general']);
    await expect(breakGlass.open({ id: run.id, reason: REASON, access })).rejects.toMatchObject({ code: 'notFound' });
    expect([notices.all(), audit.entries]).toEqual([[], []]);
  });
});
