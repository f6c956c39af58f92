// What waits for a server elsewhere, in memory: what is due is claimed for a time, and is sent, tried again later, or given up.

type Waiting = { readonly id: string; readonly createdAt: Date; readonly tries: number };
type Row<Item> = { item: Item; dueAt: number | undefined; endedAt: number | undefined };

export function makeDueQueue<Item extends Waiting>(now: () => Date) {
  const rows = new Map<string, Row<Item>>();
  const time = () => now().getTime();
  const end = (id: string): void => {
    const row = rows.get(id);
    if (row?.dueAt !== undefined) Object.assign(row, { dueAt: undefined, endedAt: time() });
  };
  return {
    /** All that were added, the oldest first. */
    all: (): readonly Item[] => [...rows.values()].map(({ item }) => item),
    has: (id: string): boolean => rows.has(id),
    put: (item: Item): void => void rows.set(item.id, { item, dueAt: time(), endedAt: undefined }),
    claim: async (limit: number, leaseMs: number): Promise<readonly Item[]> => {
      const due = [...rows.values()]
        .filter(({ dueAt }) => dueAt !== undefined && dueAt <= time())
        .toSorted((one, other) => Number(one.dueAt) - Number(other.dueAt))
        .slice(0, limit);
      for (const row of due) {
        row.item = { ...row.item, tries: row.item.tries + 1 };
        row.dueAt = time() + leaseMs;
      }
      return due.map(({ item }) => item);
    },
    sent: async (id: string): Promise<void> => end(id),
    failed: async (id: string, retryAt?: Date): Promise<void> => {
      const row = rows.get(id);
      if (retryAt === undefined) end(id);
      else if (row?.dueAt !== undefined) row.dueAt = retryAt.getTime();
    },
    sweep: async (keepMs: number): Promise<void> => {
      for (const [id, { endedAt }] of rows) if (endedAt !== undefined && endedAt < time() - keepMs) rows.delete(id);
    },
  };
}
