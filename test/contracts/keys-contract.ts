// What every store of keys promises. Times lie a day before or after now, so that no clock matters.
import { describe, expect, it } from '@jest/globals';
import type { Keys, NewKey } from '../../src/ports/keys.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

let keyCount = 0;
export function aKey(parts: Partial<NewKey> = {}): NewKey {
  keyCount += 1;
  const id = keyCount.toString(16).padStart(16, '0');
  return { id, secretDigest: new Uint8Array(32).fill(keyCount), organization: 'mercy', plan: 'standard', ...parts };
}

export function keysContract(name: string, makeSubject: () => Promise<Keys>): void {
  describe(`the keys of ${name}`, () => {
    it('give back what was made, with the digest of its secret and nothing that was not given', async () => {
      const keys = await makeSubject();
      const key = aKey({ label: 'ward 3', expiresAt: inDays(1) });
      const made = await keys.create(key);
      const { secretDigest, ...rest } = key;
      expect(made).toEqual({ ...rest, createdAt: expect.any(Date) });
      const found = await keys.find(key.id);
      expect(found).toEqual({ ...made, secretDigest: expect.anything() });
      expect(Buffer.from(found?.secretDigest ?? [])).toEqual(Buffer.from(secretDigest));
    });

    it('do not know a key that was never created', async () => {
      expect(await (await makeSubject()).find('0000000000000000')).toBeUndefined();
    });

    it('refuse a key on a plan that does not exist', async () => {
      const keys = await makeSubject();
      await expect(keys.create(aKey({ plan: 'gold' }))).rejects.toMatchObject({ code: 'notFound' });
    });

    it('refuse a second key with the same id', async () => {
      const keys = await makeSubject();
      const key = aKey();
      await keys.create(key);
      await expect(keys.create(key)).rejects.toMatchObject({ code: 'conflict' });
    });

    it('are listed newest first, page by page, each once, also while further ones are made', async () => {
      const keys = await makeSubject();
      const made = [aKey(), aKey(), aKey(), aKey(), aKey()];
      for (const key of made) await keys.create(key);
      const first = await keys.list({ limit: 2 });
      await keys.create(aKey());
      const second = await keys.list({ limit: 2, cursor: first.next ?? '' });
      const third = await keys.list({ limit: 2, cursor: second.next ?? '' });
      const ids = [first, second, third].flatMap((page) => page.keys.map((key) => key.id));
      expect(ids).toEqual(made.map((key) => key.id).reverse());
      expect(third.next).toBeUndefined();
      expect(Object.keys(first.keys[0] ?? {})).not.toContain('secretDigest');
    });

    it('end the list where a page is just full', async () => {
      const keys = await makeSubject();
      await keys.create(aKey());
      expect((await keys.list({ limit: 1 })).next).toBeUndefined();
    });

    it.each(['', 'x', 'MTIz; drop', '-1', '%', 'a\0b', '9'.repeat(400)])('refuse the cursor %j', async (cursor) => {
      const keys = await makeSubject();
      await expect(keys.list({ limit: 2, cursor })).rejects.toMatchObject({ code: 'invalidRequest' });
    });

    it('are revoked for good, and twice without a fuss', async () => {
      const keys = await makeSubject();
      const key = aKey();
      await keys.create(key);
      expect(await keys.revoke(key.id)).toBe(true);
      const revokedAt = (await keys.find(key.id))?.revokedAt;
      expect(revokedAt).toEqual(expect.any(Date));
      expect(await keys.revoke(key.id)).toBe(true);
      expect((await keys.find(key.id))?.revokedAt).toEqual(revokedAt);
      expect(await keys.revoke('ffffffffffffffff')).toBe(false);
    });

    it('say which of many are not good any more: revoked, expired or gone', async () => {
      const keys = await makeSubject();
      const [good, later, expired, revoked] = [
        aKey(),
        aKey({ expiresAt: inDays(1) }),
        aKey({ expiresAt: inDays(-1) }),
        aKey(),
      ];
      for (const key of [good, later, expired, revoked]) await keys.create(key);
      await keys.revoke(revoked.id);
      const ids = [good, later, expired, revoked].map((key) => key.id);
      expect(await keys.findEnded([...ids, 'gone'])).toEqual([expired.id, revoked.id, 'gone']);
      expect(await keys.findEnded([])).toEqual([]);
    });

    it('note when a key was used', async () => {
      const keys = await makeSubject();
      const key = aKey();
      await keys.create(key);
      await keys.noteUse(key.id);
      expect((await keys.find(key.id))?.lastUsedAt).toEqual(expect.any(Date));
      await keys.noteUse('gone');
    });

    rotationContract(makeSubject);
  });
}

function rotationContract(makeSubject: () => Promise<Keys>): void {
  it('hand organization, plan and label on to the successor, and end the old key with the overlap', async () => {
    const keys = await makeSubject();
    const old = aKey({ label: 'ward 3', plan: 'unlimited' });
    await keys.create(old);
    const { id, secretDigest } = aKey();
    const overlapEndsAt = inDays(1);
    const made = await keys.rotate(old.id, { id, secretDigest }, overlapEndsAt);
    expect(made).toEqual({
      id,
      organization: 'mercy',
      plan: 'unlimited',
      label: 'ward 3',
      createdAt: expect.any(Date),
    });
    expect((await keys.find(old.id))?.expiresAt).toEqual(overlapEndsAt);
    expect(await keys.findEnded([old.id, id])).toEqual([]);
  });

  it('never prolong a key by its overlap', async () => {
    const keys = await makeSubject();
    const expiresAt = inDays(1);
    const old = aKey({ expiresAt });
    await keys.create(old);
    const { id, secretDigest } = aKey();
    await keys.rotate(old.id, { id, secretDigest }, inDays(30));
    expect((await keys.find(old.id))?.expiresAt).toEqual(expiresAt);
  });

  it('make no successor of a key that is gone, revoked or expired', async () => {
    const keys = await makeSubject();
    const [revoked, expired] = [aKey(), aKey({ expiresAt: inDays(-1) })];
    for (const key of [revoked, expired]) await keys.create(key);
    await keys.revoke(revoked.id);
    const { id, secretDigest } = aKey();
    const rotate = (oldId: string) => keys.rotate(oldId, { id, secretDigest }, inDays(1));
    await expect(rotate('gone')).rejects.toMatchObject({ code: 'notFound' });
    await expect(rotate(revoked.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(rotate(expired.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await keys.find(id)).toBeUndefined();
  });

  it('leave the old key as it was where the successor cannot be made', async () => {
    const keys = await makeSubject();
    const [old, other] = [aKey(), aKey()];
    for (const key of [old, other]) await keys.create(key);
    await expect(keys.rotate(old.id, other, inDays(-1))).rejects.toMatchObject({ code: 'conflict' });
    expect(await keys.findEnded([old.id])).toEqual([]);
  });
}
