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

describe('the verifier', () => {
  const down = () => new AppError('vendorUnavailable', 'It is down.');

  it('a verifier that is down is not asked for a while, is no reason to wait, and leaves the reasoner alone', async () => {
    const { services } = open();
    let asked = 0;
    const call = async (service: 'verifier' | 'reasoner', run: string, fail?: () => AppError) => {
      const work = async () => {
        asked += 1;
        if (fail !== undefined) throw fail();
      };
      return await services.call({ service, run, site: 'mercy' }, work, NEVER).catch((thrown: unknown) => thrown);
    };
    const failures = [];
    for (const run of ['1', '2', '3', '4', '5']) failures.push(await call('verifier', run, down));
    expect(asked).toBe(3);
    expect(failures.map((failure) => services.faultOf(failure))).toEqual(failures.map(() => undefined));
    expect(services.unavailable()).toEqual([]);
    await call('reasoner', '6');
    expect(asked).toBe(4);
  });

  it('the verifier shares the calls of the reasoner that are allowed at once', async () => {
    const { services } = open();
    const note = Promise.withResolvers<void>();
    const order = { run: '1', site: 'mercy' } as const;
    const writing = services.call({ ...order, service: 'reasoner' }, () => note.promise, NEVER);
    let isAsked = false;
    const verifying = services.call(
      { ...order, service: 'verifier', run: '2' },
      async () => {
        isAsked = true;
      },
      NEVER,
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAsked).toBe(false);
    note.resolve();
    await Promise.all([writing, verifying]);
    expect(isAsked).toBe(true);
  });
});
