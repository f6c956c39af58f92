// The AuditEvents that wait for an EHR, in memory.
import type { AuditEvents, WaitingAuditEvent } from '../../src/ports/audit-events.ts';
import { makeDueQueue } from './due-queue.ts';

export type FakeAuditEvents = AuditEvents & {
  /** All that were added, the oldest first. */
  readonly all: () => readonly WaitingAuditEvent[];
};

export function makeFakeAuditEvents({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeAuditEvents {
  const { has: _, put, ...queue } = makeDueQueue<WaitingAuditEvent>(now);
  return { ...queue, add: async (event) => put({ ...event, createdAt: now(), tries: 0 }) };
}
