import { describe, expect, it } from '@jest/globals';
import type { AppError } from '../../../../src/domain/errors.ts';
import { makeOpenStreams } from '../../../../src/inbound/http/server/open-streams.ts';

const caller = (keyId: string, organization = 'mercy') => ({ keyId, organization, plan: 'standard' });

function someStreams(parts: { readonly ended?: Set<string>; readonly isBroken?: () => boolean } = {}) {
  const failures: unknown[] = [];
  const streams = makeOpenStreams({
    keys: {
      findEnded: async (ids) => {
        if (parts.isBroken?.()) throw new Error('the database is away');
        return ids.filter((id) => parts.ended?.has(id));
      },
    },
    maxInAll: 3,
    maxPerOrganization: 2,
    watchIntervalMs: 1,
    onWatchFailed: (thrown) => failures.push(thrown),
  });
  return { ...streams, failures };
}

describe('open streams', () => {
  it('are limited in total and per organization, and free their place when they end', () => {
    const { enter, count, stop } = someStreams();
    const leave = enter(caller('a'), () => undefined);
    enter(caller('b'), () => undefined);
    expect(() => enter(caller('c'), () => undefined)).toThrow('Too many streams');
    enter(caller('d', 'other'), () => undefined);
    expect(() => enter(caller('e', 'third'), () => undefined)).toThrow('Too many streams');
    leave();
    leave();
    expect(count()).toBe(2);
    enter(caller('a'), () => undefined);
    stop();
  });

  it('of a revoked key end, and those of other keys continue', async () => {
    const ended = new Set<string>();
    const { enter, stop } = someStreams({ ended });
    const revoked = Promise.withResolvers<AppError>();
    let isOtherHit = false;
    enter(caller('a'), revoked.resolve);
    enter(caller('b'), () => {
      isOtherHit = true;
    });
    ended.add('a');
    expect(await revoked.promise).toMatchObject({ code: 'unauthorized' });
    expect(isOtherHit).toBe(false);
    stop();
  });

  it('continue while the keys cannot be checked, and the check is repeated', async () => {
    let isBroken = true;
    const { enter, stop, failures } = someStreams({ ended: new Set(['a']), isBroken: () => isBroken });
    const revoked = Promise.withResolvers<AppError>();
    enter(caller('a'), revoked.resolve);
    while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    isBroken = false;
    expect(await revoked.promise).toMatchObject({ code: 'unauthorized' });
    stop();
  });
});
