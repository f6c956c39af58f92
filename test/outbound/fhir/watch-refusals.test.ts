import { describe, expect, it } from '@jest/globals';
import type { FhirAnswer } from '../../../src/outbound/fhir/fhir-answer.ts';
import type { EhrRequest } from '../../../src/outbound/fhir/transport.ts';
import { makeWatchRefusals } from '../../../src/outbound/fhir/watch-refusals.ts';

const READ: EhrRequest = { method: 'GET', url: 'Patient/p-1' };
const WRITE: EhrRequest = {
  method: 'POST',
  url: '',
  body: '{"resourceType":"Bundle","type":"transaction","entry":[]}',
};
const BATCH: EhrRequest = { method: 'POST', url: '', body: '{"resourceType":"Bundle","type":"batch","entry":[]}' };

function watch() {
  let nowMs = 0;
  const refusals = makeWatchRefusals({ monotonicMs: () => nowMs });
  const answer = (status: number) =>
    ({ status, headers: new Headers(), body: { kind: 'empty' } }) as unknown as FhirAnswer;
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** True if the refusal may pass; false if it counts as it is. */
    mayPass: (request: EhrRequest) => refusals.judge(request, answer(401)) !== undefined,
    accept: (request: EhrRequest) => void refusals.judge(request, answer(200)),
  };
}

describe('an answer with 401 of the EHR', () => {
  it('may pass when it comes for the first time', () => {
    expect(watch().mayPass(READ)).toBe(true);
  });

  it('stays after five and a half minutes', () => {
    const { mayPass, pass } = watch();
    mayPass(READ);
    pass(329_000);
    expect(mayPass(READ)).toBe(true);
    pass(1_000);
    expect(mayPass(READ)).toBe(false);
  });

  it('stays after a minute for one kind of request if others are accepted meanwhile: the client has no right to it', () => {
    const { mayPass, accept, pass } = watch();
    mayPass(WRITE);
    pass(60_000);
    accept(READ);
    expect(mayPass(WRITE)).toBe(false);
  });

  it('stays for transactions while batches of reads are accepted at the same address', () => {
    const { mayPass, accept, pass } = watch();
    mayPass(WRITE);
    pass(30_000);
    accept(BATCH);
    pass(30_000);
    accept(BATCH);
    expect(mayPass(WRITE)).toBe(false);
  });

  it('is a new one after a request of its kind was accepted', () => {
    const { mayPass, accept, pass } = watch();
    mayPass(WRITE);
    pass(60_000);
    accept(WRITE);
    expect(mayPass(WRITE)).toBe(true);
  });
});
