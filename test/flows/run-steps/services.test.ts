import { describe, expect, it } from '@jest/globals';
import { EhrLimit } from '../../../src/domain/ehr-limit.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { makeServices } from '../../../src/flows/run-steps/services.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';

const NEVER = new AbortController().signal;

function open() {
  const runtime = makeFakeRuntime();
  const services = makeServices({ runtime, maxCalls: { reasoner: 1, speech: 1 }, onRecovered: () => undefined });
  let calls = 0;
  /** One call of another run each time, which fails with this error. */
  const fail = async (error: AppError) => {
    calls += 1;
    const order = { service: 'ehr/mercy', run: `run-${calls}`, site: 'mercy' } as const;
    return services.call(order, () => Promise.reject(error), NEVER).catch((thrown: unknown) => thrown);
  };
  return { services, fail, now: runtime.now };
}

describe('the circuit of an EHR', () => {
  it('stays closed while the EHR limits requests, and each run waits for the EHR without a failed attempt', async () => {
    const { services, fail, now } = open();
    for (let run = 0; run < 10; run += 1) {
      const limit = new EhrLimit({ site: 'mercy', waitMs: 30_000, now: now() });
      expect(await fail(limit)).toBe(limit);
      const verdict = { isOwnFault: false, retryInMs: 0 };
      expect(services.faultOf(limit)).toEqual({ service: 'ehr/mercy', verdict });
    }
    expect(services.unavailable()).toEqual([]);
  });

  it('opens if the EHR does not answer', async () => {
    const { services, fail } = open();
    for (let run = 0; run < 3; run += 1) await fail(new AppError('ehrUnavailable', 'It does not answer.'));
    expect(services.unavailable()).toEqual(['ehr/mercy']);
  });
});

it('a call that no run waits for shares the calls of the reasoner that are allowed at once', async () => {
  const { services } = open();
  const note = Promise.withResolvers<void>();
  const order = { service: 'reasoner', run: '1', site: 'mercy' } as const;
  const writing = services.call(order, () => note.promise, NEVER);
  let isAsked = false;
  const verifying = services.inReasonerSlot(async () => {
    isAsked = true;
  }, NEVER);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAsked).toBe(false);
  note.resolve();
  await Promise.all([writing, verifying]);
  expect(isAsked).toBe(true);
  // The slot is free again.
  await services.inReasonerSlot(async () => undefined, NEVER);
});
