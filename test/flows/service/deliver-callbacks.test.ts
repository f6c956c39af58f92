import { describe, expect, it } from '@jest/globals';
import { makeDeliverCallbacks } from '../../../src/flows/service/deliver-callbacks.ts';
import type { CallbackOutcome, Callbacks, SendCallback } from '../../../src/ports/callbacks.ts';

const ORIGIN = 'https://clinic.example.org';
const SETTINGS = { origins: [ORIGIN], secret: 'whsec_bWFkZS11cA==' };
const going = new AbortController().signal;

async function delivered({
  tries = 1,
  url = `${ORIGIN}/hooks`,
  answer = 'delivered' as Awaited<ReturnType<SendCallback>>,
} = {}) {
  const sent: Parameters<SendCallback>[0][] = [];
  const outcomes: CallbackOutcome[] = [];
  const callbacks: Pick<Callbacks, 'claim' | 'find' | 'settle'> = {
    claim: async () => [{ jobId: 'job-1', keyId: 'key-1', status: 'done', url, tries }],
    find: async () => SETTINGS,
    settle: async (_, outcome) => void outcomes.push(outcome),
  };
  const deliver = makeDeliverCallbacks({
    callbacks: callbacks as Callbacks,
    sendCallback: async (call) => {
      sent.push(call);
      return answer;
    },
    runtime: { now: () => new Date('2026-03-02T10:00:00Z') },
    publicUrl: 'https://charts.example.org',
  });
  await deliver(going);
  return { sent, outcome: outcomes[0] };
}

describe('a call-back that is due', () => {
  it('is sent with the secret of its key and an id that is the same in each try', async () => {
    const first = await delivered();
    expect(first.sent).toMatchObject([{ url: `${ORIGIN}/hooks`, id: 'job_job-1', secret: SETTINGS.secret }]);
    expect(JSON.parse(first.sent[0]?.body ?? '').data.url).toBe('https://charts.example.org/jobs/job-1');
    expect((await delivered({ tries: 4 })).sent[0]?.id).toBe('job_job-1');
    expect(first.outcome).toEqual({ state: 'delivered' });
  });

  it('is sent again ever more rarely for most of a day, and then given up', async () => {
    let totalMs = 0;
    let before = 0;
    for (let tries = 1; tries <= 9; tries += 1) {
      const { outcome } = await delivered({ tries, answer: 'failed' });
      const inMs = outcome?.state === 'due' ? outcome.inMs : 0;
      expect(inMs).toBeGreaterThan(before);
      before = inMs;
      totalMs += inMs;
    }
    expect(totalMs / 3_600_000).toBeGreaterThan(18);
    expect(totalMs / 3_600_000).toBeLessThan(24);
    expect((await delivered({ tries: 10, answer: 'failed' })).outcome).toEqual({ state: 'given-up' });
  });

  it('is given up if the receiver wants no more of them, or the operator does not allow the address', async () => {
    expect((await delivered({ answer: 'gone' })).outcome).toEqual({ state: 'given-up' });
    const refused = await delivered({ url: 'https://other.example.org/hooks' });
    expect([refused.sent, refused.outcome]).toEqual([[], { state: 'given-up' }]);
  });
});
