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
  it('is a text of its own each time, and only the digest of its secret is kept', async () => {
    const { create, keys } = aKeyDesk();
    const [first, second] = [await create({ organization: 'mercy' }), await create({ organization: 'mercy' })];
    expect(first.keyText).not.toBe(second.keyText);
    const parts = splitApiKey(first.keyText);
    expect(parts?.id).toBe(first.apiKey.id);
    const stored = await keys.find(first.apiKey.id);
    expect(stored?.secretDigest).toEqual(systemRuntime.digest(parts?.secret ?? ''));
    expect(JSON.stringify(stored)).not.toContain(parts?.secret);
  });

  it('has the default plan where none is named', async () => {
    expect((await aKeyDesk().create({ organization: 'mercy' })).apiKey.plan).toBe('standard');
  });

  it('on a plan that does not exist is refused, and the message names those that do', async () => {
    const { create, plans, keys } = aKeyDesk();
    await plans.put({ name: 'a-large-one' });
    await expect(create({ organization: 'mercy', plan: 'gold' })).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'plan must be one of a-large-one, standard, unlimited',
    });
    expect((await keys.list({ limit: 10 })).keys).toEqual([]);
  });

  it.each([NOW, new Date(0)])('that would have ended by %s already is refused', async (expiresAt) => {
    await expect(aKeyDesk().create({ organization: 'mercy', expiresAt })).rejects.toMatchObject({
      code: 'invalidRequest',
      message: 'expiresAt must be in the future',
    });
  });

  it('keeps its label and its end', async () => {
    const expiresAt = new Date('2027-01-31T00:00:00Z');
    const { apiKey } = await aKeyDesk().create({ organization: 'mercy', label: 'bench', expiresAt });
    expect(apiKey).toMatchObject({ label: 'bench', expiresAt });
  });
});

describe('rotating a key', () => {
  it('makes a new one for the same organization, and the old one ends after the overlap', async () => {
    const { create, rotate, keys } = aKeyDesk();
    const old = await create({ organization: 'mercy', plan: 'unlimited', label: 'bench' });
    const { apiKey, keyText, overlapEndsAt } = await rotate(old.apiKey.id, { overlapHours: 1.5 });
    expect(overlapEndsAt).toEqual(new Date('2026-11-21T09:30:00Z'));
    expect((await keys.find(old.apiKey.id))?.expiresAt).toEqual(overlapEndsAt);
    expect(apiKey).toMatchObject({ organization: 'mercy', plan: 'unlimited', label: 'bench' });
    const secret = splitApiKey(keyText)?.secret ?? '';
    expect((await keys.find(apiKey.id))?.secretDigest).toEqual(systemRuntime.digest(secret));
  });

  it('without an overlap ends the old one at once', async () => {
    const { create, rotate, keys } = aKeyDesk();
    const { apiKey } = await create({ organization: 'mercy' });
    await rotate(apiKey.id, { overlapHours: 0 });
    expect(await keys.findEnded([apiKey.id])).toEqual([apiKey.id]);
  });

  it('that nobody has or that has ended fails', async () => {
    const { create, rotate, revoke } = aKeyDesk();
    await expect(rotate('0123456789abcdef', { overlapHours: 1 })).rejects.toMatchObject({ code: 'notFound' });
    const { apiKey } = await create({ organization: 'mercy' });
    await revoke(apiKey.id);
    await expect(rotate(apiKey.id, { overlapHours: 1 })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('revoking a key', () => {
  it('may be done twice, but not to a key that never was', async () => {
    const { create, revoke, keys } = aKeyDesk();
    const { apiKey } = await create({ organization: 'mercy' });
    await revoke(apiKey.id);
    await revoke(apiKey.id);
    expect(await keys.findEnded([apiKey.id])).toEqual([apiKey.id]);
    await expect(revoke('0123456789abcdef')).rejects.toMatchObject({ code: 'notFound' });
  });
});
