// What every store of AuditEvents that wait for an EHR promises.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AuditEvents, WaitingAuditEvent } from '../../src/ports/audit-events.ts';

type AuditEventsSubject = {
  readonly events: AuditEvents;
  readonly other: AuditEvents;
  readonly now: () => Date;
  readonly pass: (ms: number) => Promise<void>;
};

const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;
const BODY = { resourceType: 'AuditEvent', action: 'R' };

function anEvent(): Pick<WaitingAuditEvent, 'id' | 'site' | 'body'> {
  return { id: randomUUID(), site: 'mercy', body: JSON.stringify(BODY) };
}

const idsOf = (events: readonly Pick<WaitingAuditEvent, 'id'>[]) => events.map(({ id }) => id);

export function auditEventsContract(name: string, makeSubject: () => Promise<AuditEventsSubject>): void {
  describe(`the waiting AuditEvents of ${name}`, () => {
    it('are claimed as they were added, the oldest first', async () => {
      const { events, pass } = await makeSubject();
      const [first, second] = [anEvent(), anEvent()];
      await events.add(first);
      await pass(1_000);
      await events.add(second);
      const claimed = await events.claim(10, LEASE_MS);
      const shown = ({ id, site }: Pick<WaitingAuditEvent, 'id' | 'site'>) => ({ id, site, body: BODY, tries: 1 });
      expect(claimed.map(({ createdAt: _, body, ...rest }) => ({ ...rest, body: JSON.parse(body) }))).toEqual([
        shown(first),
        shown(second),
      ]);
      expect(claimed.map(({ createdAt }) => createdAt)).toEqual([expect.any(Date), expect.any(Date)]);
    });

    it('are claimed by one of two engines, no more than asked for', async () => {
      const { events, other } = await makeSubject();
      const given = Array.from({ length: 6 }, anEvent);
      for (const event of given) await events.add(event);
      const claims = await Promise.all([events.claim(2, LEASE_MS), other.claim(2, LEASE_MS), other.claim(2, LEASE_MS)]);
      expect(Math.max(...claims.map(({ length }) => length))).toBeLessThanOrEqual(2);
      const claimed = [...claims.flat(), ...(await events.claim(10, LEASE_MS))];
      expect(idsOf(claimed).toSorted()).toEqual(idsOf(given).toSorted());
      expect(await other.claim(10, LEASE_MS)).toEqual([]);
    });

    it('come again if the engine that claimed them is gone, and count the tries', async () => {
      const { events, other, pass } = await makeSubject();
      const event = anEvent();
      await events.add(event);
      await events.claim(10, LEASE_MS);
      await pass(LEASE_MS);
      expect(await other.claim(10, LEASE_MS)).toMatchObject([{ id: event.id, tries: 2 }]);
    });

    it('that were sent or given up never come again, and those that failed come at their time', async () => {
      const { events, now, pass } = await makeSubject();
      const [sent, failed, givenUp] = [anEvent(), anEvent(), anEvent()];
      for (const event of [sent, failed, givenUp]) await events.add(event);
      await events.claim(10, LEASE_MS);
      await events.sent(sent.id);
      await events.failed(failed.id, new Date(now().getTime() + 2 * LEASE_MS));
      await events.failed(givenUp.id);
      await events.failed(sent.id, now());
      await pass(LEASE_MS);
      expect(await events.claim(10, LEASE_MS)).toEqual([]);
      await pass(LEASE_MS + 1_000);
      expect(idsOf(await events.claim(10, LEASE_MS))).toEqual([failed.id]);
    });

    it('are swept after their time once they were sent or given up, and never before', async () => {
      const { events, pass } = await makeSubject();
      const [sent, givenUp, waiting] = [anEvent(), anEvent(), anEvent()];
      for (const event of [sent, givenUp, waiting]) await events.add(event);
      await events.claim(10, LEASE_MS);
      await events.sent(sent.id);
      await events.failed(givenUp.id);
      await events.sweep(DAY_MS);
      await pass(DAY_MS + LEASE_MS);
      await events.sweep(DAY_MS);
      // An id is free again only if its row is gone.
      for (const event of [sent, givenUp]) await events.add(event);
      const claimed = await events.claim(10, LEASE_MS);
      expect(claimed.map(({ id, tries }) => `${id} ${tries}`).toSorted()).toEqual(
        [`${sent.id} 1`, `${givenUp.id} 1`, `${waiting.id} 2`].toSorted(),
      );
    });
  });
}
