// What every store of service tokens promises.
import { describe, expect, it } from '@jest/globals';
import type { ServiceTokens } from '../../src/ports/service-tokens.ts';
import { aPersonId } from './people-contract.ts';

type NewToken = Parameters<ServiceTokens['create']>[0];

function aToken(parts: Partial<NewToken> = {}): NewToken {
  return {
    id: aPersonId(),
    label: 'the nightly report',
    grants: [{ role: 'viewer', site: 'mercy' }],
    madeBy: 'person/0000000000000001',
    expiresAt: new Date('2027-03-02T10:00:00Z'),
    secretDigest: new Uint8Array(32).fill(7),
    ...parts,
  };
}

export function serviceTokensContract(name: string, makeSubject: () => Promise<ServiceTokens>): void {
  describe(`the service tokens of ${name}`, () => {
    it('are found again with their roles, purpose, maker and the digest of their secret', async () => {
      const tokens = await makeSubject();
      const { secretDigest, ...parts } = aToken({ purpose: 'HOPERAT', grants: [{ role: 'operator', site: '*' }] });
      const made = await tokens.create({ ...parts, secretDigest });
      expect(made).toEqual({ ...parts, createdAt: expect.any(Date) });
      const found = await tokens.find(parts.id);
      expect(found).toEqual({ ...made, secretDigest: expect.anything() });
      expect(Buffer.from(found?.secretDigest ?? [])).toEqual(Buffer.from(secretDigest));
      expect(await tokens.find(aPersonId())).toBeUndefined();
    });

    it('are listed newest first by the sites of their roles, without their secrets', async () => {
      const tokens = await makeSubject();
      const viewer = (...sites: string[]) => sites.map((site) => ({ role: 'viewer' as const, site }));
      const ids: string[] = [];
      for (const grants of [viewer('mercy'), viewer('clinic'), viewer('clinic', 'mercy'), viewer('*')]) {
        ids.push((await tokens.create(aToken({ grants }))).id);
      }
      const [mercy, , both] = ids;
      expect((await tokens.list('all')).map(({ id }) => id)).toEqual(ids.toReversed());
      expect((await tokens.list(['mercy'])).map(({ id }) => id)).toEqual([both, mercy]);
      expect(await tokens.list(['nowhere'])).toEqual([]);
      expect(await tokens.list([])).toEqual([]);
      expect(Object.keys((await tokens.list('all'))[0] ?? {})).not.toContain('secretDigest');
    });

    it('are revoked for good, stay to be seen, and twice is no fuss', async () => {
      const tokens = await makeSubject();
      const { id } = await tokens.create(aToken());
      expect(await tokens.revoke(id)).toBe(true);
      const revokedAt = (await tokens.find(id))?.revokedAt;
      expect(revokedAt).toEqual(expect.any(Date));
      expect(await tokens.revoke(id)).toBe(true);
      expect(await tokens.list('all')).toMatchObject([{ id, revokedAt }]);
      expect(await tokens.revoke(aPersonId())).toBe(false);
    });

    it('show when they were used', async () => {
      const tokens = await makeSubject();
      const { id } = await tokens.create(aToken());
      expect(await tokens.find(id)).not.toHaveProperty('lastUsedAt');
      await tokens.noteUse(id);
      const lastUsedAt = (await tokens.find(id))?.lastUsedAt;
      expect(lastUsedAt).toEqual(expect.any(Date));
      await tokens.noteUse(id);
      await tokens.noteUse(aPersonId());
      expect((await tokens.find(id))?.lastUsedAt).toEqual(expect.any(Date));
    });
  });
}
