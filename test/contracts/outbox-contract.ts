// What every outbox promises to those who send what is in it.
import { describe, expect, it } from '@jest/globals';
import type { OutcomeEvent, OutcomeKind } from '../../src/domain/run/outcome-event.ts';
import type { Outbox, OutboxEnd } from '../../src/ports/outbox.ts';

export type OutboxSubject = {
  readonly outbox: Outbox;
  /** What another engine has of the same outbox. */
  readonly other: Outbox;
  /** As the queue does when a run ends. */
  readonly put: (kind: OutcomeKind, event: OutcomeEvent) => Promise<unknown>;
  readonly passMs: (ms: number) => Promise<void>;
};

const LEASE = { leaseMs: 60_000 };

export function anOutcome(parts: Partial<OutcomeEvent> = {}): OutcomeEvent {
  return {
    runId: 'run-1',
    site: 'mercy',
    encounter: 'Encounter/1',
    patient: 'Patient/1',
    session: 's1',
    status: 'written',
    resources: [{ document: 'composition', reference: 'Composition/1', status: 'created' }],
    occurredAt: '2026-03-02T10:00:00.000Z',
    ...parts,
  };
}

export function outboxContract(name: string, makeSubject: () => Promise<OutboxSubject>): void {
  const withEvents = async (count: number) => {
    const subject = await makeSubject();
    for (let number = 1; number <= count; number += 1)
      await subject.put('documented', anOutcome({ runId: `run-${number}` }));
    return subject;
  };

  describe(`the outbox of ${name}`, () => {
    it('gives out what came, as it came', async () => {
      const { outbox, put } = await makeSubject();
      expect(await outbox.take({ limit: 10, ...LEASE })).toEqual([]);
      const { patient: _, session: __, ...early } = anOutcome({ status: 'parked', resources: [] });
      await put('documented', anOutcome());
      await put('parked', early);
      const id = expect.any(String);
      expect(await outbox.take({ limit: 10, ...LEASE })).toEqual([
        { id, kind: 'documented', event: anOutcome() },
        { id, kind: 'parked', event: early },
      ]);
    });

    it('gives out the oldest first, as many as were asked for', async () => {
      const { outbox } = await withEvents(25);
      const taken = [];
      for (let batch = 0; batch < 3; batch += 1) taken.push(await outbox.take({ limit: 10, ...LEASE }));
      expect(taken.map((rows) => rows.length)).toEqual([10, 10, 5]);
      const runs = Array.from({ length: 25 }, (_, index) => `run-${index + 1}`);
      expect(taken.flat().map((row) => row.event.runId)).toEqual(runs);
    });

    it('never gives the same row to two who take at once', async () => {
      const { outbox, other } = await withEvents(40);
      const takers = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? outbox : other));
      const taken = (await Promise.all(takers.map((taker) => taker.take({ limit: 7, ...LEASE })))).flat();
      const rest = (await outbox.take({ limit: 100, ...LEASE })).concat(taken);
      expect(rest).toHaveLength(40);
      expect(new Set(rest.map(({ id }) => id)).size).toBe(40);
    });

    it('hands out at once what was given back, in its place, and nothing that has ended', async () => {
      const { outbox, other } = await withEvents(3);
      const ids = (await outbox.take({ limit: 10, ...LEASE })).map(({ id }) => id);
      await outbox.markEnded(ids.slice(0, 1), 'sent');
      await outbox.giveBack(ids);
      expect((await other.take({ limit: 10, ...LEASE })).map(({ id }) => id)).toEqual(ids.slice(1));
    });

    it('hands out a row again when its lease has ended without a result, with the same id and in its place', async () => {
      const { outbox, other, passMs } = await withEvents(3);
      const [first, second] = await outbox.take({ limit: 2, ...LEASE });
      await outbox.markEnded([first?.id ?? ''], 'sent');
      await passMs(LEASE.leaseMs - 5000);
      expect((await other.take({ limit: 10, leaseMs: 1000 })).map(({ event }) => event.runId)).toEqual(['run-3']);
      await passMs(10_000);
      const again = await other.take({ limit: 10, ...LEASE });
      expect(again.map(({ event }) => event.runId)).toEqual(['run-2', 'run-3']);
      expect(again[0]).toEqual(second);
    });

    it('counts how each ended, and what waits', async () => {
      const { outbox } = await withEvents(6);
      const [one, two, three, four] = (await outbox.take({ limit: 5, ...LEASE })).map(({ id }) => id);
      await outbox.markEnded([one ?? '', two ?? ''], 'sent');
      await outbox.markEnded([three ?? ''], 'unheard');
      await outbox.markEnded([four ?? ''], 'no-broker');
      await outbox.markEnded([], 'sent');
      expect(Object.fromEntries(await outbox.counts())).toEqual({ sent: 2, unheard: 1, 'no-broker': 1, waiting: 2 });
    });

    it('counts the RED alarms of a site that reached no one since the last one that was heard', async () => {
      const { outbox, put } = await makeSubject();
      const week = { withinMs: 7 * 86_400_000 };
      const end = async (site: string, because: 'red' | 'review-due', ended: OutboxEnd) => {
        await put('attention', anOutcome({ site, because }));
        const rows = await outbox.take({ limit: 10, ...LEASE });
        await outbox.markEnded(
          rows.map(({ id }) => id),
          ended,
        );
      };
      await end('mercy', 'red', 'no-broker');
      await end('mercy', 'red', 'unheard');
      await end('hope', 'red', 'unheard');
      await end('hope', 'review-due', 'unheard');
      await put('attention', anOutcome({ because: 'red' }));
      const hope = { site: 'hope', count: 1, end: 'unheard' };
      expect(await outbox.unheardAlarms(week)).toEqual([hope, { site: 'mercy', count: 2, end: 'unheard' }]);
      await end('mercy', 'red', 'sent');
      expect(await outbox.unheardAlarms(week)).toEqual([hope]);
      await end('mercy', 'red', 'no-broker');
      expect(await outbox.unheardAlarms(week)).toEqual([hope, { site: 'mercy', count: 1, end: 'no-broker' }]);
      expect(await outbox.unheardAlarms({ withinMs: 0 })).toEqual([]);
    });

    it('keeps how a row ended first, and never gives it out again', async () => {
      const { outbox, other, passMs } = await withEvents(1);
      const [row] = await outbox.take({ limit: 1, ...LEASE });
      await passMs(LEASE.leaseMs + 5000);
      expect(await other.take({ limit: 1, ...LEASE })).toEqual([row]);
      await other.markEnded([row?.id ?? ''], 'unheard');
      await outbox.markEnded([row?.id ?? ''], 'sent');
      await passMs(LEASE.leaseMs + 5000);
      expect(await outbox.take({ limit: 1, ...LEASE })).toEqual([]);
      expect(Object.fromEntries(await outbox.counts())).toEqual({ unheard: 1 });
    });
  });
}
