import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import { makeCachedPauses } from '../../../../src/outbound/postgres/sites/cached-pauses.ts';
import { makeFakePauses } from '../../../fakes/pauses.ts';

describe('The cache of pauses', () => {
  it('reads the database once a second, not at every step', async () => {
    const pauses = makeFakePauses();
    let reads = 0;
    let nowMs = 0;
    const counting = { ...pauses, current: () => pauses.current().finally(() => (reads += 1)) };
    const cached = makeCachedPauses({ pauses: counting, runtime: { monotonicMs: () => nowMs } });
    for (let step = 0; step < 9; step += 1) await cached.current();
    expect(reads).toBe(1);
    nowMs = 1_000;
    await cached.current();
    expect(reads).toBe(2);
  });

  it('shows a pause or its end at once in the engine that made it', async () => {
    const cached = makeCachedPauses({ pauses: makeFakePauses(), runtime: { monotonicMs: () => 0 } });
    expect(await cached.current()).toEqual([]);
    await cached.pause('mercy', 'write', 'upgrade');
    expect(await cached.current()).toMatchObject([{ site: 'mercy', what: 'write' }]);
    await cached.resume('mercy', 'write');
    expect(await cached.current()).toEqual([]);
  });

  it('does not keep a failed read', async () => {
    const pauses = makeFakePauses();
    let isAway = true;
    const current = async () => {
      if (isAway) throw new AppError('overloaded', 'The database is away');
      return pauses.current();
    };
    const cached = makeCachedPauses({ pauses: { ...pauses, current }, runtime: { monotonicMs: () => 0 } });
    await expect(cached.current()).rejects.toThrow('away');
    isAway = false;
    expect(await cached.current()).toEqual([]);
  });
});
