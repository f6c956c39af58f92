// What every store of reviewers promises.
import { describe, expect, it } from '@jest/globals';
import type { Reviewers } from '../../src/ports/reviewers.ts';

type NewReviewer = Parameters<Reviewers['create']>[0];

let count = 0;
export function aReviewer(parts: Partial<NewReviewer> = {}): NewReviewer {
  count += 1;
  return {
    id: `reviewer-${count}`,
    site: 'mercy',
    practitioner: `Practitioner/${count}`,
    name: 'Dr. Made Up',
    secretDigest: new Uint8Array(32).fill(count),
    ...parts,
  };
}

export function reviewersContract(name: string, makeSubject: () => Promise<Reviewers>): void {
  describe(`the reviewers of ${name}`, () => {
    it('are found again with who they are in the chart and the digest of their secret', async () => {
      const reviewers = await makeSubject();
      const { secretDigest, ...parts } = aReviewer();
      const made = await reviewers.create({ ...parts, secretDigest });
      expect(made).toEqual({ ...parts, createdAt: expect.any(Date) });
      const found = await reviewers.find(parts.id, 'all');
      expect(found).toEqual({ ...made, secretDigest: expect.anything() });
      expect(Buffer.from(found?.secretDigest ?? [])).toEqual(Buffer.from(secretDigest));
      expect(await reviewers.find('nobody', 'all')).toBeUndefined();
      expect((await reviewers.find(parts.id, ['clinic', 'mercy']))?.id).toBe(parts.id);
      expect(await reviewers.find(parts.id, ['clinic'])).toBeUndefined();
    });

    it('are refused a second time under the same id, and stay who they were', async () => {
      const reviewers = await makeSubject();
      const reviewer = aReviewer();
      await reviewers.create(reviewer);
      const again = reviewers.create(aReviewer({ id: reviewer.id }));
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
      expect((await reviewers.find(reviewer.id, 'all'))?.practitioner).toBe(reviewer.practitioner);
    });

    it('are listed newest first, for all sites or for one, without their secrets', async () => {
      const reviewers = await makeSubject();
      const made = [aReviewer(), aReviewer({ site: 'clinic' }), aReviewer()];
      for (const reviewer of made) await reviewers.create(reviewer);
      const [first, second, third] = made.map(({ id }) => id);
      const all = await reviewers.list('all');
      expect(all.map(({ id }) => id)).toEqual([third, second, first]);
      expect(Object.keys(all[0] ?? {})).not.toContain('secretDigest');
      expect((await reviewers.list(['mercy'])).map(({ id }) => id)).toEqual([third, first]);
      expect(await reviewers.list(['nowhere'])).toEqual([]);
    });

    it('are revoked for good, stay to be seen, and twice is no fuss', async () => {
      const reviewers = await makeSubject();
      const { id } = await reviewers.create(aReviewer());
      expect(await reviewers.revoke(id)).toBe(true);
      const revokedAt = (await reviewers.find(id, 'all'))?.revokedAt;
      expect(revokedAt).toEqual(expect.any(Date));
      expect(await reviewers.revoke(id)).toBe(true);
      expect(await reviewers.list('all')).toMatchObject([{ id, revokedAt }]);
      expect(await reviewers.revoke('nobody')).toBe(false);
    });
  });
}
