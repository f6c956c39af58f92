// What every counter of limits promises.
import { describe, expect, it } from '@jest/globals';
import type { Limits, Usage } from '../../src/ports/usage.ts';
import { aUsageRecord } from './usage-contract.ts';

export type LimitsSubject = {
  readonly limits: Limits;
  readonly usage: Usage;
  /** Makes everything that was counted so far older by this much. */
  readonly passMinute: () => Promise<void>;
  readonly passMonth: () => Promise<void>;
};

export function limitsContract(name: string, makeSubject: () => Promise<LimitsSubject>): void {
  describe(`the limits of ${name}`, () => {
    minuteContract(makeSubject);
    monthContract(makeSubject);

    it('let audio in until the seconds of the month have reached the limit, each organization by itself', async () => {
      const { limits, usage, passMonth } = await makeSubject();
      const plan = { name: 'small', audioSecondsPerMonth: 61 };
      expect(await limits.hasAudioLeft('mercy', plan)).toBe(true);
      await usage.record(aUsageRecord({ audioSeconds: 30.5 }));
      expect(await limits.hasAudioLeft('mercy', plan)).toBe(true);
      await usage.record(aUsageRecord({ audioSeconds: 30.5, keyId: 'key-2' }));
      expect(await limits.hasAudioLeft('mercy', plan)).toBe(false);
      expect(await limits.hasAudioLeft('mercy', { name: 'unlimited' })).toBe(true);
      expect(await limits.hasAudioLeft('a-clinic', plan)).toBe(true);
      expect(await limits.hasAudioLeft('a-clinic', { name: 'none', audioSecondsPerMonth: 0 })).toBe(false);
      await passMonth();
      expect(await limits.hasAudioLeft('mercy', plan)).toBe(true);
    });
  });
}

function minuteContract(makeSubject: () => Promise<LimitsSubject>): void {
  const plan = { name: 'small', requestsPerMinute: 2 };

  it('count the requests of a key in its minute and refuse what is over', async () => {
    const { limits } = await makeSubject();
    const takes = [];
    for (let count = 0; count < 3; count += 1) takes.push(await limits.takeMinute('key-1', plan));
    expect(takes.map((take) => take?.isAllowed)).toEqual([true, true, false]);
    expect(takes.map((take) => take?.remaining)).toEqual([1, 0, 0]);
    expect(takes.map((take) => take?.limit)).toEqual([2, 2, 2]);
    for (const take of takes) expect(take?.resetSeconds).toBeGreaterThan(0);
    for (const take of takes) expect(take?.resetSeconds).toBeLessThanOrEqual(60);
    expect((await limits.takeMinute('key-2', plan))?.isAllowed).toBe(true);
  });

  it('begin anew with the next minute', async () => {
    const { limits, passMinute } = await makeSubject();
    for (let count = 0; count < 3; count += 1) await limits.takeMinute('key-1', plan);
    await passMinute();
    expect(await limits.takeMinute('key-1', plan)).toMatchObject({ isAllowed: true, remaining: 1 });
  });

  it('follow a changed plan at once', async () => {
    const { limits } = await makeSubject();
    for (let count = 0; count < 2; count += 1) await limits.takeMinute('key-1', plan);
    expect((await limits.takeMinute('key-1', { name: 'big', requestsPerMinute: 10 }))?.isAllowed).toBe(true);
    expect((await limits.takeMinute('key-1', { name: 'tiny', requestsPerMinute: 1 }))?.isAllowed).toBe(false);
    expect((await limits.takeMinute('key-9', { name: 'none', requestsPerMinute: 0 }))?.isAllowed).toBe(false);
  });

  it('say nothing of the minute where the plan has no such limit', async () => {
    const { limits } = await makeSubject();
    expect(await limits.takeMinute('key-1', { name: 'unlimited' })).toBeUndefined();
  });
}

function monthContract(makeSubject: () => Promise<LimitsSubject>): void {
  const plan = { name: 'small', requestsPerMonth: 3 };

  it('let no more requests in than the month has, however many come at once', async () => {
    const { limits } = await makeSubject();
    const taken = await Promise.all(Array.from({ length: 20 }, () => limits.takeMonth('mercy', plan)));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(await limits.takeMonth('a-clinic', plan)).toBe(true);
  });

  it('do not count what was refused, and count what has no limit', async () => {
    const { limits } = await makeSubject();
    expect(await limits.takeMonth('mercy', { name: 'none', requestsPerMonth: 0 })).toBe(false);
    expect(await limits.takeMonth('mercy', { name: 'unlimited' })).toBe(true);
    expect(await limits.takeMonth('mercy', plan)).toBe(true);
    expect(await limits.takeMonth('mercy', plan)).toBe(true);
    expect(await limits.takeMonth('mercy', plan)).toBe(false);
    expect(await limits.takeMonth('mercy', { name: 'more', requestsPerMonth: 4 })).toBe(true);
  });

  it('begin anew with the next calendar month', async () => {
    const { limits, passMonth } = await makeSubject();
    for (let count = 0; count < 3; count += 1) await limits.takeMonth('mercy', plan);
    await passMonth();
    expect(await limits.takeMonth('mercy', plan)).toBe(true);
  });
}
