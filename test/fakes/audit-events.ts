// The AuditEvents that wait for an EHR, in memory.
import type { AuditEvents, WaitingAuditEvent } from '../../src/ports/audit-events.ts';

type Row = { event: WaitingAuditEvent; dueAt: number | undefined; endedAt: number | undefined };

export type FakeAuditEvents = AuditEvents & {
  /** All that were added, the oldest first. */
  readonly all: () => readonly WaitingAuditEvent[];
};

export function makeFakeAuditEvents({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeAuditEvents {
  const rows = new Map<string, Row>();
  const time = () => now().getTime();
  const end = (id: string): void => {
    const row = rows.get(id);
    if (row?.dueAt !== undefined) Object.assign(row, { dueAt: undefined, endedAt: time() });
  };
  return {
    all: () => [...rows.values()].map(({ event }) => event),
    add: async (event) => {
      rows.set(event.id, { event: { ...event, createdAt: now(), tries: 0 }, dueAt: time(), endedAt: undefined });
    },
    claim: async (limit, leaseMs) => {
      const due = [...rows.values()]
        .filter(({ dueAt }) => dueAt !== undefined && dueAt <= time())
        .toSorted((one, other) => Number(one.dueAt) - Number(other.dueAt))
        .slice(0, limit);
      for (const row of due) {
        row.event = { ...row.event, tries: row.event.tries + 1 };
        row.dueAt = time() + leaseMs;
      }
      return due.map(({ event }) => event);
    },
    sent: async (id) => end(id),
    failed: async (id, retryAt) => {
      const row = rows.get(id);
      if (retryAt === undefined) end(id);
      else if (row?.dueAt !== undefined) row.dueAt = retryAt.getTime();
    },
    sweep: async (keepMs) => {
      for (const [id, { endedAt }] of rows) if (endedAt !== undefined && endedAt < time() - keepMs) rows.delete(id);
    },
  };
}
