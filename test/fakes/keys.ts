// The API keys, in memory, with a clock that the test sets.
import type { ApiKey } from '../../src/domain/access/api-key.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Keys, NewKey, Plans, StoredKey } from '../../src/ports/keys.ts';
import { makeFakePlans } from './plans.ts';

type FakeKeysParts = { readonly plans?: Plans; readonly now?: () => Date };

export function makeFakeKeys({ plans = makeFakePlans(), now = () => new Date() }: FakeKeysParts = {}): Keys {
  const stored: StoredKey[] = [];
  const hasEnded = (key: StoredKey) =>
    key.revokedAt !== undefined || (key.expiresAt !== undefined && key.expiresAt <= now());
  const replace = (id: string, change: Partial<StoredKey>) => {
    const index = stored.findIndex((key) => key.id === id);
    const old = stored[index];
    if (old) stored[index] = { ...old, ...change };
    return old !== undefined;
  };
  const add = (key: NewKey): ApiKey => {
    if (stored.some(({ id }) => id === key.id)) throw new AppError('conflict', 'There is a key with this id');
    stored.push({ ...key, createdAt: now() });
    return withoutDigest({ ...key, createdAt: now() });
  };
  return {
    create: async (key) => {
      if (!(await plans.find(key.plan))) throw new AppError('notFound', 'There is no such plan');
      return add(key);
    },
    find: async (id) => stored.find((key) => key.id === id),
    list: async ({ limit, cursor }) => {
      const before = cursor === undefined ? stored.length : parseCursor(cursor);
      const from = Math.max(0, before - limit);
      const keys = stored.slice(from, before).toReversed().map(withoutDigest);
      return { keys, ...(from > 0 && { next: `at-${from}` }) };
    },
    rotate: async (id, successor, overlapEndsAt) => {
      const old = stored.find((key) => key.id === id);
      if (!old) throw new AppError('notFound', 'There is no such key');
      if (hasEnded(old)) throw new AppError('conflict', 'The key is revoked or expired already');
      const { organization, plan, label } = old;
      const made = add({ ...successor, organization, plan, ...(label !== undefined && { label }) });
      const isSooner = old.expiresAt !== undefined && old.expiresAt < overlapEndsAt;
      if (!isSooner) replace(id, { expiresAt: overlapEndsAt });
      return made;
    },
    revoke: async (id) => replace(id, { revokedAt: stored.find((key) => key.id === id)?.revokedAt ?? now() }),
    findEnded: async (ids) =>
      ids.filter((id) => {
        const key = stored.find((one) => one.id === id);
        return key === undefined || hasEnded(key);
      }),
    noteUse: async (id) => {
      replace(id, { lastUsedAt: now() });
    },
  };
}

function parseCursor(cursor: string): number {
  const [, at] = /^at-(\d+)$/.exec(cursor) ?? [];
  if (at === undefined) throw new AppError('invalidRequest', 'cursor is not one that was given out');
  return Number(at);
}

function withoutDigest({ secretDigest: _, ...key }: StoredKey): ApiKey {
  return key;
}
