// Messages to people, in memory.
import type { Notice, Notices } from '../../src/ports/notices.ts';

type Row = { notice: Notice; dueAt: number | undefined; endedAt: number | undefined };

export type FakeNotices = Notices & {
  /** All that were added, the oldest first. */
  readonly all: () => readonly Notice[];
};

export function makeFakeNotices({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeNotices {
  const rows = new Map<string, Row>();
  const time = () => now().getTime();
  const end = (id: string): void => {
    const row = rows.get(id);
    if (row?.dueAt !== undefined) Object.assign(row, { dueAt: undefined, endedAt: time() });
  };
  return {
    all: () => [...rows.values()].map(({ notice }) => notice),
    add: async (notice) => {
      const added = { ...notice, createdAt: now(), tries: 0 };
      if (!rows.has(notice.id)) rows.set(notice.id, { notice: added, dueAt: time(), endedAt: undefined });
    },
    claim: async (limit, leaseMs) => {
      const due = [...rows.values()]
        .filter(({ dueAt }) => dueAt !== undefined && dueAt <= time())
        .toSorted((one, other) => Number(one.dueAt) - Number(other.dueAt))
        .slice(0, limit);
      for (const row of due) {
        row.notice = { ...row.notice, tries: row.notice.tries + 1 };
        row.dueAt = time() + leaseMs;
      }
      return due.map(({ notice }) => notice);
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
