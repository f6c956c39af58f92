import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeCheckKeys } from '../../../src/flows/health/check-keys.ts';
import type { RotationProgress } from '../../../src/ports/key-rotation.ts';

const startedAt = new Date('2026-11-21T08:00:00Z');

function check(progress: RotationProgress | undefined, { isLocked = false, remains = '' } = {}) {
  const keyRotation = {
    progress: async () => progress,
    isLocked: () => isLocked,
    remains: async () => remains || undefined,
  };
  return makeCheckKeys({ keyRotation })();
}

describe('the health of the keys', () => {
  it('the keys are ok before a replacement and after its end', async () => {
    const detail = 'All stored values are sealed under the master key in force.';
    expect(await check(undefined)).toEqual({ name: 'keys', status: 'ok', detail });
    const over = await check({ done: 7, total: 7, startedAt, endedAt: startedAt }, { remains: 'Do this.' });
    expect(over).toEqual({ name: 'keys', status: 'ok', detail: `${detail} Do this.` });
  });

  it('the health of the keys says how far a replacement is', async () => {
    const { status, detail } = await check({ done: 1200, total: 5000, startedAt });
    expect(status).toBe('ok');
    expect(detail).toContain('sealing stored values anew: 1,200 of 5,000');
  });

  it('an engine without the key in force is down and says what to do', async () => {
    const { status, detail } = await check(undefined, { isLocked: true });
    expect(status).toBe('down');
    expect(detail).toMatch(/give it the new key \(MASTER_KEY, .*start it again/);
  });

  it('the keys are degraded while they cannot be looked up', async () => {
    const keyRotation = {
      progress: async () => Promise.reject(new AppError('overloaded', 'The database cannot be reached')),
      isLocked: () => false,
      remains: async () => undefined,
    };
    expect(await makeCheckKeys({ keyRotation })()).toMatchObject({ name: 'keys', status: 'degraded' });
  });
});
