// What every store of messages to people promises.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Notice, Notices } from '../../src/ports/notices.ts';

export type NoticesSubject = {
  readonly notices: Notices;
  readonly other: Notices;
  readonly now: () => Date;
  readonly pass: (ms: number) => Promise<void>;
};

type NewNotice = Parameters<Notices['add']>[0];

const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;

function aNotice(parts: Partial<NewNotice> = {}): NewNotice {
  const channel = { kind: 'mail', to: 'privacy@example.org' } as const;
  return { id: randomUUID(), kind: 'break-glass', channel, site: 'mercy', details: { age: '2 h' }, ...parts };
}

const idsOf = (notices: readonly Notice[]) => notices.map(({ id }) => id);

export function noticesContract(name: string, makeSubject: () => Promise<NoticesSubject>): void {
  describe(`the notices of ${name}`, () => {
    it('are claimed as they were added, the oldest first', async () => {
      const { notices, pass } = await makeSubject();
      const first = aNotice({ run: randomUUID() });
      const second = aNotice({ kind: 'red', channel: { kind: 'webhook', to: 'https://example.org/hook' } });
      await notices.add(first);
      await pass(1_000);
      await notices.add(second);
      const shown = (notice: NewNotice) => ({ ...notice, createdAt: expect.any(Date), tries: 1 });
      expect(await notices.claim(10, LEASE_MS)).toEqual([shown(first), shown(second)]);
    });

    it('are added once under the same id', async () => {
      const { notices } = await makeSubject();
      const notice = aNotice();
      await notices.add(notice);
      await notices.add({ ...notice, kind: 'red' });
      expect(await notices.claim(10, LEASE_MS)).toMatchObject([{ id: notice.id, kind: 'break-glass' }]);
      await notices.sent(notice.id);
      await notices.add(notice);
      expect(await notices.claim(10, LEASE_MS)).toEqual([]);
    });

    it('are claimed by one of two engines, no more than asked for', async () => {
      const { notices, other } = await makeSubject();
      const given = Array.from({ length: 6 }, () => aNotice());
      for (const notice of given) await notices.add(notice);
      const claims = await Promise.all([
        notices.claim(2, LEASE_MS),
        other.claim(2, LEASE_MS),
        other.claim(2, LEASE_MS),
      ]);
      expect(Math.max(...claims.map(({ length }) => length))).toBeLessThanOrEqual(2);
      const claimed = [...claims.flat(), ...(await notices.claim(10, LEASE_MS))];
      expect(idsOf(claimed).toSorted()).toEqual(given.map(({ id }) => id).toSorted());
      expect(await other.claim(10, LEASE_MS)).toEqual([]);
    });

    it('come again if the engine that claimed them is gone, and count the tries', async () => {
      const { notices, other, pass } = await makeSubject();
      const notice = aNotice();
      await notices.add(notice);
      await notices.claim(10, LEASE_MS);
      await pass(LEASE_MS);
      expect(await other.claim(10, LEASE_MS)).toMatchObject([{ id: notice.id, tries: 2 }]);
    });

    it('that were sent or given up never come again, and those that failed come at their time', async () => {
      const { notices, now, pass } = await makeSubject();
      const [sent, failed, givenUp] = [aNotice(), aNotice(), aNotice()];
      for (const notice of [sent, failed, givenUp]) await notices.add(notice);
      await notices.claim(10, LEASE_MS);
      await notices.sent(sent.id);
      await notices.failed(failed.id, new Date(now().getTime() + 2 * LEASE_MS));
      await notices.failed(givenUp.id);
      await notices.failed(sent.id, now());
      await pass(LEASE_MS);
      expect(await notices.claim(10, LEASE_MS)).toEqual([]);
      await pass(LEASE_MS + 1_000);
      expect(idsOf(await notices.claim(10, LEASE_MS))).toEqual([failed.id]);
    });

    it('are swept after their time once they were sent or given up, and never before', async () => {
      const { notices, pass } = await makeSubject();
      const [sent, givenUp, waiting] = [aNotice(), aNotice(), aNotice()];
      for (const notice of [sent, givenUp, waiting]) await notices.add(notice);
      await notices.claim(10, LEASE_MS);
      await notices.sent(sent.id);
      await notices.failed(givenUp.id);
      await notices.sweep(DAY_MS);
      await notices.add(sent);
      await pass(LEASE_MS);
      expect(idsOf(await notices.claim(10, LEASE_MS))).toEqual([waiting.id]);
      await pass(DAY_MS);
      await notices.sweep(DAY_MS);
      // An id is free again only if its row is gone.
      for (const notice of [sent, givenUp, waiting]) await notices.add(notice);
      const claimed = await notices.claim(10, LEASE_MS);
      expect(claimed.map(({ id, tries }) => `${id} ${tries}`).toSorted()).toEqual(
        [`${sent.id} 1`, `${givenUp.id} 1`, `${waiting.id} 3`].toSorted(),
      );
    });
  });
}
