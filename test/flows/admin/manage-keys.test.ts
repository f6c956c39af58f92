import { describe, expect, it } from '@jest/globals';
import { splitApiKey } from '../../../src/domain/access/api-key.ts';
import { makeManageKeys } from '../../../src/flows/admin/manage-keys.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeFakeKeys } from '../../fakes/keys.ts';
import { makeFakePlans } from '../../fakes/plans.ts';

const NOW = new Date('2026-11-21T08:00:00Z');

function aKeyDesk() {
  const now = () => NOW;
  const plans = makeFakePlans();
  const keys = makeFakeKeys({ plans, now });
  return { keys, plans, ...makeManageKeys({ keys, plans, runtime: { ...systemRuntime, now } }) };
}

describe('an API key', () => {
  it('each key has its own text, and only the digest of its secret is stored', async () => {
    const { create, keys } = aKeyDesk();
    const [first, second] = [await create({ organization: 'mercy' }), await create({ organization: 'mercy' })];
    expect(first.keyText).not.toBe(second.keyText);
    const parts = splitApiKey(first.keyText);
    expect(parts?.id).toBe(first.apiKey.id);
    const stored = await keys.find(first.apiKey.id);
    expect(stored?.secretDigest).toEqual(systemRuntime.digest(parts?.secret ?? ''));
    expect(JSON.stringify(stored)).not.toContain(parts?.secret);
  });

  it('a key without a plan gets the default plan', async () => {
    expect((await aKeyDesk().create({ organization: 'mercy' })).apiKey.plan).toBe('standard');
  });

  it('a key on an unknown plan is refused, and the message names the existing plans', async () => {
    const { create, plans, keys } = aKeyDesk();
    await plans.put({ name: 'a-large-one' });
    await expect(create({ organization: 'mercy', plan: 'gold' })).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'plan must be one of a-large-one, standard, unlimited',
    });
    expect((await keys.list({ limit: 10 })).keys).toEqual([]);
  });

  it.each([NOW, new Date(0)])('a key that would have expired by %s is refused', async (expiresAt) => {
    await expect(aKeyDesk().create({ organization: 'mercy', expiresAt })).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'expiresAt must be in the future',
    });
  });

  it('a key keeps its label and its expiry', async () => {
    const expiresAt = new Date('2027-01-31T00:00:00Z');
    const { apiKey } = await aKeyDesk().create({ organization: 'mercy', label: 'bench', expiresAt });
    expect(apiKey).toMatchObject({ label: 'bench', expiresAt });
  });
});

describe('rotating a key', () => {
  it('a rotation creates a key for the same organization, and the old one ends after the overlap', async () => {
    const { create, rotate, keys } = aKeyDesk();
    const old = await create({ organization: 'mercy', plan: 'unlimited', label: 'bench' });
    const { apiKey, keyText, overlapEndsAt } = await rotate(old.apiKey.id, { overlapHours: 1.5 });
    expect(overlapEndsAt).toEqual(new Date('2026-11-21T09:30:00Z'));
    expect((await keys.find(old.apiKey.id))?.expiresAt).toEqual(overlapEndsAt);
    expect(apiKey).toMatchObject({ organization: 'mercy', plan: 'unlimited', label: 'bench' });
    const secret = splitApiKey(keyText)?.secret ?? '';
    expect((await keys.find(apiKey.id))?.secretDigest).toEqual(systemRuntime.digest(secret));
  });

  it('a rotation without an overlap ends the old key at once', async () => {
    const { create, rotate, keys } = aKeyDesk();
    const { apiKey } = await create({ organization: 'mercy' });
    await rotate(apiKey.id, { overlapHours: 0 });
    expect(await keys.findEnded([apiKey.id])).toEqual([apiKey.id]);
  });

  it('a rotation of an unknown or ended key fails', async () => {
    const { create, rotate, revoke } = aKeyDesk();
    await expect(rotate('0123456789abcdef', { overlapHours: 1 })).rejects.toMatchObject({ code: 'notFound' });
    const { apiKey } = await create({ organization: 'mercy' });
    await revoke(apiKey.id);
    await expect(rotate(apiKey.id, { overlapHours: 1 })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('revoking a key', () => {
  it('a key can be revoked twice; an unknown key is refused', async () => {
    const { create, revoke, keys } = aKeyDesk();
    const { apiKey } = await create({ organization: 'mercy' });
    await revoke(apiKey.id);
    await revoke(apiKey.id);
    expect(await keys.findEnded([apiKey.id])).toEqual([apiKey.id]);
    await expect(revoke('0123456789abcdef')).rejects.toMatchObject({ code: 'notFound' });
  });
});
