// Break-glass over HTTP: what a restricted chart shows to whom, and how it is opened and listed.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Run } from '../../../../src/domain/run/run.ts';
import { openingListResponse, openingResponse } from '../../../../src/wire/break-glass.ts';
import { RESTRICTED_RESULTS } from '../../../support/restricted-results.ts';
import { aKeptRun, HELD } from '../../../support/stored-runs.ts';
import { askOps } from './ops-asking.ts';
import { aPerson, aToken } from './ops-callers.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
let run: Run;
beforeEach(async () => {
  engine = await startOpsEngine();
  run = await aKeptRun(engine.stores, { session: 's-1', patient: 'Patient/1', results: RESTRICTED_RESULTS, end: HELD });
});
afterEach(() => engine.stop());

let reviewers = 0;
const aReviewer = (opened?: { readonly site: string; readonly encounter: string }) => {
  reviewers += 1;
  return aPerson(engine, {
    grants: [{ role: 'reviewer', site: 'mercy', practitioner: `Practitioner/${reviewers}` }],
    purpose: 'TREAT',
    ...(opened && { opened }),
  });
};
const reason = { reason: 'Called to the bedside.' };

describe('a restricted chart', () => {
  it('refuses view, evidence and decision to a person until it is opened; its state stays visible', async () => {
    const { key } = await aReviewer();
    const decide = () => askOps(engine, `POST /runs/${run.id}/review`, { key, body: { decision: 'approve' } });
    for (const ask of [
      () => askOps(engine, `GET /runs/${run.id}`, { key }),
      () => askOps(engine, `GET /runs/${run.id}/evidence`, { key }),
      decide,
    ]) {
      const { status, answer } = await ask();
      expect([status, JSON.stringify(answer)]).toEqual([
        403,
        expect.stringContaining(`/ops/runs/${run.id}/break-glass`),
      ]);
    }
    expect((await askOps(engine, `GET /runs/${run.id}?brief=true`, { key })).answer).toMatchObject({ status: 'held' });
    expect((await engine.stores.runs.find(run.id, 'all'))?.review).toBeUndefined();

    const opened = await askOps(engine, `POST /runs/${run.id}/break-glass`, { key, body: reason });
    expect([opened.status, openingResponse.safeParse(opened.answer).error?.issues]).toEqual([201, undefined]);
    expect((await askOps(engine, `GET /runs/${run.id}`, { key })).status).toBe(200);
    expect((await askOps(engine, `GET /runs/${run.id}/evidence`, { key })).status).toBe(200);
    expect((await decide()).status).toBe(200);
    const purposes = engine.audit.entries.map(({ action, details }) => [action, details?.['purpose']]);
    expect(purposes).toEqual([
      ['chart.open', 'BTG'],
      ['run.view', 'BTG'],
      ['run.view', 'BTG'],
      ['run.review', 'BTG'],
    ]);
  });

  it('is closed to a token, and open to the operator key and to who opened the encounter in the EHR', async () => {
    const token = await aToken(engine, { grants: [{ role: 'operator', site: 'mercy' }], purpose: 'HOPERAT' });
    const fromEhr = await aReviewer({ site: 'mercy', encounter: run.encounter });
    const status = async (ask?: { readonly key: string }) => (await askOps(engine, `GET /runs/${run.id}`, ask)).status;
    expect([await status(token), await status(fromEhr), await status()]).toEqual([403, 200, 200]);
  });
});

describe('the list of openings', () => {
  it('shows the reasons page by page to an auditor of the site, and to no one else', async () => {
    const one = await aReviewer();
    const other = await aReviewer();
    for (const { key } of [one, other]) await askOps(engine, `POST /runs/${run.id}/break-glass`, { key, body: reason });
    const auditorOf = (site: string) => aToken(engine, { grants: [{ role: 'auditor', site }] });
    const own = await auditorOf('mercy');
    const first = await askOps(engine, 'GET /break-glass?limit=1', own);
    expect(openingListResponse.safeParse(first.answer).error?.issues).toBeUndefined();
    expect(first.answer.openings).toMatchObject([{ run: run.id, actor: `person/${other.id}`, ...reason }]);
    const rest = await askOps(engine, `GET /break-glass?cursor=${first.answer.next}`, own);
    expect(rest.answer).toMatchObject({ openings: [{ actor: `person/${one.id}` }] });
    expect((await askOps(engine, 'GET /break-glass', await auditorOf('general'))).answer).toEqual({ openings: [] });
    expect((await askOps(engine, 'GET /break-glass', one)).status).toBe(403);
  });

  it.each([{}, { reason: '' }, { reason: 'x'.repeat(1_001) }])(
    'takes no opening without a reason: %j',
    async (body) => {
      const { key } = await aReviewer();
      expect((await askOps(engine, `POST /runs/${run.id}/break-glass`, { key, body })).status).toBe(400);
    },
  );
});
