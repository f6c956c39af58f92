// The contract of the outlet for outcome events, on which the relay relies.
import { describe, expect, it } from '@jest/globals';
import type { Events } from '../../src/ports/events.ts';
import type { OutboxRow } from '../../src/ports/outbox.ts';
import { anOutcome } from '../fakes/events.ts';

export type EventsSubject = {
  readonly events: Events;
  /** From now on a consumer is bound to all events of the site. */
  readonly listen: (site: string) => Promise<void>;
  /** What listeners got so far. */
  readonly heard: (count: number) => Promise<readonly Pick<OutboxRow, 'id' | 'event'>[]>;
  /** The broker cannot be reached; or can be again. */
  readonly setAway: (isAway: boolean) => Promise<void>;
};

export function eventsContract(makeSubject: () => Promise<EventsSubject>): void {
  const { signal } = new AbortController();

  describe('Outcome events', () => {
    it('reach who listens, as they were put down, and count as sent', async () => {
      const { events, listen, heard } = await makeSubject();
      await listen('mercy');
      const rows = [anOutcome(), anOutcome({ kind: 'attention' })];
      for (const row of rows) expect(await events.publish(row, signal)).toBe('sent');
      expect(await heard(2)).toEqual(rows.map(({ id, event }) => ({ id, event })));
    });

    it('without a listener are reported as unroutable and do not hold up the others', async () => {
      const { events, listen, heard } = await makeSubject();
      expect(await events.publish(anOutcome(), signal)).toBe('unheard');
      await listen('mercy');
      const row = anOutcome();
      expect(await events.publish(row, signal)).toBe('sent');
      expect(await heard(1)).toEqual([{ id: row.id, event: row.event }]);
    });

    it('are refused while the broker is away, and go out under the same id afterwards', async () => {
      const { events, listen, heard, setAway } = await makeSubject();
      await listen('mercy');
      const row = anOutcome();
      await setAway(true);
      await expect(events.publish(row, signal)).rejects.toMatchObject({ code: 'vendorUnavailable' });
      await setAway(false);
      expect(await events.publish(row, signal)).toBe('sent');
      expect(await heard(1)).toEqual([{ id: row.id, event: row.event }]);
    });

    it('are not sent after the caller has aborted', async () => {
      const { events } = await makeSubject();
      const reason = new Error('the engine is stopping');
      await expect(events.publish(anOutcome(), AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}
