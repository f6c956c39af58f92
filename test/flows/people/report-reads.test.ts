// Which entries of the audit trail become AuditEvents for the EHR: reads and decisions of people, at live sites that want it.
import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import { byCaller } from '../../../src/flows/people/by-caller.ts';
import { withReportedReads } from '../../../src/flows/people/report-reads.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeAuditEvents } from '../../fakes/audit-events.ts';
import { makeFakePeople } from '../../fakes/people.ts';
import { makeFakeReviewers } from '../../fakes/reviewers.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { aPersonsAccess, aReviewersAccess, OPERATOR } from '../../support/access.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { aKeptRun, HELD, RESULTS } from '../../support/stored-runs.ts';

const DANA = aPersonsAccess(['mercy']);

async function aWard({
  audit: setting = { toEhr: true } as { readonly toEhr: boolean } | 'unset',
  mode = 'live' as 'live' | 'shadow' | 'off',
  isQueueAway = false,
} = {}) {
  const now = () => new Date('2026-03-02T10:00:00Z');
  const stores = makeFakeRuns({ now });
  const [trail, events, people, reviewers] = [
    makeFakeAudit({ now }),
    makeFakeAuditEvents({ now }),
    makeFakePeople({ now }),
    makeFakeReviewers({ now }),
  ];
  const site = aLiveSite();
  const settings = { ...site.settings, mode, ...(setting !== 'unset' && { audit: setting }) };
  const sites = new Map([['mercy', { ...site, settings }]]);
  let ids = 0;
  const audit = withReportedReads(trail, {
    auditEvents: isQueueAway ? { add: () => Promise.reject(new AppError('overloaded', 'It is away')) } : events,
    runs: stores.runs,
    people,
    reviewers,
    sites: { current: () => ({ sites, problems: [], stale: new Set<string>(), unavailable: new Set<string>() }) },
    runtime: {
      now,
      makeUuid: () => {
        ids += 1;
        return `id-${ids}`;
      },
    },
    publicUrl: 'https://charts.example.org',
  });
  const run = await aKeptRun(stores, { session: 's-1', patient: 'Patient/1', results: RESULTS, end: HELD });
  const view = { action: 'run.view', site: 'mercy', run: run.id } as const;
  const reported = () => events.all().map(({ body }) => JSON.parse(body) as AuditEvent);
  return { audit, trail, people, reviewers, run, view, reported };
}

const readerOf = (event: AuditEvent | undefined) => event?.agent[2];

describe('a read of a patient’s data', () => {
  it('by a person becomes an AuditEvent with the patient and the encounter of the run', async () => {
    const { audit, trail, run, view, reported } = await aWard();
    await audit.append(byCaller(DANA, view));
    const [event] = reported();
    expect(event?.entity?.map(({ what }) => what?.reference ?? what?.identifier?.value)).toEqual([
      'Patient/1',
      run.encounter,
      `run/${run.id}`,
    ]);
    expect(readerOf(event)).toMatchObject({
      who: { identifier: { value: DANA.caller.actor } },
      purposeOfUse: [{ coding: [{ code: 'TREAT' }] }],
    });
    expect(event?.agent[1]?.network?.address).toBe('192.0.2.7');
    expect([reported().length, trail.entries.length]).toEqual([1, 1]);
  });

  it('by a reviewer of the site names the Practitioner; one of another site is not known there', async () => {
    const { audit, people, view, reported } = await aWard();
    const grants = [
      { role: 'reviewer', site: 'north', practitioner: 'Practitioner/9', origin: 'admin' },
      { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7', origin: 'admin' },
    ] as const;
    const elsewhere = { ...grants[0], practitioner: 'Practitioner/11' };
    await people.create({ id: '00000000000000aa', name: 'Dana Reyes', origin: 'local', grants });
    await people.create({ id: '00000000000000bb', name: 'Eli', origin: 'local', grants: [elsewhere] });
    await audit.append(byCaller(DANA, view));
    await audit.append(byCaller(aPersonsAccess(['mercy'], { actor: 'person/00000000000000bb' }), view));
    expect(reported().map((event) => readerOf(event)?.who?.reference)).toEqual(['Practitioner/7', undefined]);
    expect(JSON.stringify(reported())).not.toContain('Dana');
  });

  it('by a reviewer’s key names the Practitioner of the key', async () => {
    const { audit, reviewers, view, reported } = await aWard();
    const key = { id: 'ab12', site: 'mercy', practitioner: 'Practitioner/8', name: 'Dr. Example' };
    await reviewers.create({ ...key, secretDigest: new Uint8Array(32) });
    await audit.append(byCaller(aReviewersAccess({ id: 'ab12', site: 'mercy' }), view));
    expect(readerOf(reported()[0])?.who).toMatchObject({
      reference: 'Practitioner/8',
      identifier: { value: 'reviewer/ab12' },
    });
  });

  it('by break-glass has the purpose BTG; by the operator key and by a token it has their names', async () => {
    const { audit, view, reported } = await aWard();
    await audit.append(byCaller(DANA, { ...view, action: 'chart.open' }, 'BTG'));
    await audit.append(byCaller(OPERATOR, view));
    await audit.append(byCaller(aPersonsAccess(['mercy'], { kind: 'token', actor: 'token/t1' }), view));
    expect(readerOf(reported()[0])).toMatchObject({ purposeOfUse: [{ coding: [{ code: 'BTG' }] }] });
    expect(reported().map((event) => readerOf(event)?.who?.identifier?.value)).toEqual([
      DANA.caller.actor,
      'operator',
      'token/t1',
    ]);
  });

  it('of an encounter without a run has the patient that was shown', async () => {
    const { audit, reported } = await aWard();
    const details = { explained: true, encounter: 'Encounter/5', patient: 'Patient/5' };
    await audit.append(byCaller(DANA, { action: 'run.view', site: 'mercy', details }));
    await audit.append(byCaller(DANA, { action: 'run.view', site: 'mercy', details: { explained: true } }));
    expect(reported().map(({ entity }) => entity?.map(({ what }) => what?.reference))).toEqual([
      ['Patient/5', 'Encounter/5'],
    ]);
  });

  it('is an update where it is a decision about a draft', async () => {
    const { audit, view, reported } = await aWard();
    const details = { decision: 'approve', revision: 1, practitioner: 'Practitioner/7' };
    await audit.append({ ...view, action: 'run.review', actor: 'reviewer/task', details });
    expect(reported()).toMatchObject([{ action: 'U' }]);
    expect(readerOf(reported()[0])?.who?.reference).toBe('Practitioner/7');
  });

  it.each([
    ['a site without the setting', { audit: 'unset' }],
    ['a site that switched it off', { audit: { toEhr: false } }],
    ['a site in shadow mode', { mode: 'shadow' }],
    ['a site that is off', { mode: 'off' }],
  ] as const)('is only in the audit trail for %s', async (_, parts) => {
    const { audit, trail, view, reported } = await aWard(parts);
    await audit.append(byCaller(DANA, view));
    expect([reported(), trail.entries.length]).toEqual([[], 1]);
  });

  it('fails where its AuditEvent cannot be put down, so that none is shown that the EHR is not told of', async () => {
    const { audit, view } = await aWard({ isQueueAway: true });
    await expect(audit.append(byCaller(DANA, view))).rejects.toMatchObject({ code: 'overloaded' });
  });
});

it('other entries, and what programs and the engine do, become no AuditEvents', async () => {
  const { audit, view, reported } = await aWard();
  await audit.append(byCaller(DANA, { ...view, action: 'run.cancel' }));
  await audit.append({ ...view, actor: 'key/k1' });
  await audit.append({ ...view, actor: 'engine' });
  await audit.append({ ...view, site: 'elsewhere', actor: 'operator' });
  expect(reported()).toEqual([]);
});
