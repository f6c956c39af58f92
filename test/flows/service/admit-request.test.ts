import { describe, expect, it } from '@jest/globals';
import type { Plan } from '../../../src/domain/access/plan.ts';
import { makeManageKeys } from '../../../src/flows/admin/manage-keys.ts';
import { makeAdmitRequest } from '../../../src/flows/service/admit-request.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeFakeKeys } from '../../fakes/keys.ts';
import { makeFakeLimits } from '../../fakes/limits.ts';
import { makeFakePlans } from '../../fakes/plans.ts';
import { makeFakeUsage } from '../../fakes/usage.ts';

async function aDoor(plan: Omit<Plan, 'name'> = {}) {
  let time = new Date('2026-11-21T08:00:30Z');
  const now = () => time;
  const runtime = { ...systemRuntime, now };
  const plans = makeFakePlans();
  await plans.put({ name: 'tried', ...plan });
  const keys = makeFakeKeys({ plans, now });
  const usage = makeFakeUsage({ now });
  const limits = makeFakeLimits({ now, usage });
  return {
    ...makeAdmitRequest({ keys, plans, limits, runtime }),
    desk: makeManageKeys({ keys, plans, runtime }),
    usage,
    keys,
    wait: (ms: number) => {
      time = new Date(time.getTime() + ms);
    },
  };
}

type Door = Awaited<ReturnType<typeof aDoor>>;

async function aCaller(door: Door, organization = 'mercy') {
  const { keyText, apiKey } = await door.desk.create({ organization, plan: 'tried' });
  return { keyText, id: apiKey.id, caller: await door.authenticate(keyText) };
}

describe('authentication by API key', () => {
  it('a valid key identifies the caller, and its use is noted', async () => {
    const door = await aDoor();
    const { caller, id } = await aCaller(door);
    expect(caller).toEqual({ keyId: id, organization: 'mercy', plan: 'tried' });
    expect((await door.keys.find(id))?.lastUsedAt).toBeDefined();
  });

  it('the use of a busy key is noted every half minute, and not at each request', async () => {
    const door = await aDoor();
    const { keyText, id } = await aCaller(door);
    const lastUse = async () => (await door.keys.find(id))?.lastUsedAt?.toISOString();
    door.wait(29_000);
    await door.authenticate(keyText);
    expect(await lastUse()).toBe('2026-11-21T08:00:30.000Z');
    door.wait(2_000);
    await door.authenticate(keyText);
    expect(await lastUse()).toBe('2026-11-21T08:01:01.000Z');
    // The clock of the database may be ahead of this engine's.
    door.wait(-60_000);
    await door.authenticate(keyText);
    expect(await lastUse()).toBe('2026-11-21T08:00:01.000Z');
  });

  it('every invalid key is refused with the same message', async () => {
    const door = await aDoor();
    const { keyText, id } = await aCaller(door);
    const other = await aCaller(door);
    const mixed = keyText.slice(0, 20) + other.keyText.slice(20);
    const refused = { code: 'unauthorized', message: 'The API key is missing or invalid' };
    for (const wrong of [
      undefined,
      '',
      'x',
      mixed,
      keyText.replace(id, '0'.repeat(16)),
      `${keyText}x`,
      ` ${keyText}`,
    ]) {
      await expect(door.authenticate(wrong)).rejects.toMatchObject(refused);
    }
    await door.desk.revoke(id);
    await expect(door.authenticate(keyText)).rejects.toMatchObject(refused);
  });

  it('an expired key is refused, and the old key of a rotation after the overlap', async () => {
    const door = await aDoor();
    const { keyText, id } = await aCaller(door);
    const { keyText: newText } = await door.desk.rotate(id, { overlapHours: 1 });
    door.wait(3_599_000);
    await expect(door.authenticate(keyText)).resolves.toBeDefined();
    door.wait(2_000);
    await expect(door.authenticate(keyText)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(door.authenticate(newText)).resolves.toMatchObject({ organization: 'mercy' });
  });
});

describe('the limits of a plan', () => {
  it('a plan without limits admits every request', async () => {
    const door = await aDoor();
    const { caller } = await aCaller(door);
    expect(await door.admit({ caller, needsAudio: true })).toEqual({ minute: undefined, refusal: undefined });
  });

  it('a request over the limit per minute is refused until the minute is over', async () => {
    const door = await aDoor({ requestsPerMinute: 2 });
    const { caller } = await aCaller(door);
    expect((await door.admit({ caller, needsAudio: false })).minute).toMatchObject({ remaining: 1, limit: 2 });
    await door.admit({ caller, needsAudio: false });
    const { refusal } = await door.admit({ caller, needsAudio: false });
    expect(refusal).toMatchObject({ code: 'rateLimited', message: 'Rate limit exceeded: 2 requests a minute' });
    expect(refusal?.retryAfterSeconds).toBeGreaterThan(0);
    door.wait(60_000);
    expect((await door.admit({ caller, needsAudio: false })).refusal).toBeUndefined();
  });

  it('a request over the limit per minute does not count for the month', async () => {
    const door = await aDoor({ requestsPerMinute: 1, requestsPerMonth: 2 });
    const { caller } = await aCaller(door);
    await door.admit({ caller, needsAudio: false });
    await door.admit({ caller, needsAudio: false });
    door.wait(60_000);
    expect((await door.admit({ caller, needsAudio: false })).refusal).toBeUndefined();
  });

  it('all keys of an organization count for the same month', async () => {
    const door = await aDoor({ requestsPerMonth: 2 });
    const [first, second, stranger] = [await aCaller(door), await aCaller(door), await aCaller(door, 'other')];
    await door.admit({ caller: first.caller, needsAudio: false });
    await door.admit({ caller: second.caller, needsAudio: false });
    expect((await door.admit({ caller: first.caller, needsAudio: false })).refusal?.code).toBe('quotaExceeded');
    expect((await door.admit({ caller: stranger.caller, needsAudio: false })).refusal).toBeUndefined();
    door.wait(31 * 86_400_000);
    expect((await door.admit({ caller: first.caller, needsAudio: false })).refusal).toBeUndefined();
  });

  it('a request with audio is refused once the audio seconds are used up; one without audio is admitted', async () => {
    const door = await aDoor({ audioSecondsPerMonth: 60 });
    const { caller } = await aCaller(door);
    expect((await door.admit({ caller, needsAudio: true })).refusal).toBeUndefined();
    await door.usage.record({
      requestId: 'r',
      keyId: caller.keyId,
      organization: 'mercy',
      operation: 'transcribe',
      startedAt: new Date('2026-11-21T08:00:30Z'),
      durationMs: 1,
      aiMs: 1,
      audioSeconds: 60,
      outcome: 'success',
      status: 200,
    });
    expect((await door.admit({ caller, needsAudio: true })).refusal?.code).toBe('quotaExceeded');
    expect((await door.admit({ caller, needsAudio: false })).refusal).toBeUndefined();
  });
});
