import { describe, expect, it } from '@jest/globals';
import { makeListQuarantined } from '../../../src/flows/operations/list-quarantined.ts';
import { makeReadAudit } from '../../../src/flows/operations/read-audit.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';

describe('the audit trail', () => {
  it('it returns a head, which later proves that earlier entries are unchanged', async () => {
    const audit = makeFakeAudit();
    const { verify } = makeReadAudit({ audit });
    await audit.append({ action: 'run.start', actor: 'operator' });
    const { head, ...first } = await verify();
    expect(first).toMatchObject({ isWhole: true, entries: 1 });
    expect(head).toEqual({ seq: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await audit.append({ action: 'run.cancel', actor: 'operator' });
    expect(await verify(head)).toMatchObject({ isWhole: true, entries: 2, head: { seq: 2 } });
  });

  it('a trail that was cut or made anew is detected with an earlier head', async () => {
    const audit = makeFakeAudit();
    await audit.append({ action: 'run.start', actor: 'operator' });
    const { verify } = makeReadAudit({ audit });
    expect(await verify({ seq: 1, hash: 'f'.repeat(64) })).toMatchObject({ isWhole: false, at: 1 });
    expect(await verify({ seq: 9, hash: 'f'.repeat(64) })).toMatchObject({ isWhole: false, at: 2 });
  });
});

describe('quarantined deliveries', () => {
  it('they are listed with their reasons and without their content', async () => {
    const { inbox } = makeFakeRuns();
    await inbox.quarantine({
      site: 'mercy',
      source: 'amqp',
      outcome: 'not-understood',
      key: 'k',
      why: 'The body is not valid JSON',
      receivedAt: new Date('2026-03-02T10:00:00Z'),
      body: Buffer.from('Mrs. Example'),
    });
    const { deliveries } = await makeListQuarantined({ inbox })({ scope: 'all', limit: 10 });
    expect(deliveries).toMatchObject([{ site: 'mercy', why: 'The body is not valid JSON', repeats: 0 }]);
    expect(deliveries[0]).not.toHaveProperty('body');
  });
});
