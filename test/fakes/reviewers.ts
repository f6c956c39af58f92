// The clinicians who may decide in the engine, in memory.
import { AppError } from '../../src/domain/errors.ts';
import { isInScope } from '../../src/domain/people/role.ts';
import type { Reviewer, Reviewers } from '../../src/ports/reviewers.ts';

export function makeFakeReviewers({ now = () => new Date() }: { readonly now?: () => Date } = {}): Reviewers {
  const stored = new Map<string, { readonly reviewer: Reviewer; readonly secretDigest: Uint8Array }>();
  return {
    create: async ({ secretDigest, ...parts }) => {
      if (stored.has(parts.id)) throw new AppError('conflict', 'There is a reviewer with this id');
      const reviewer = { ...parts, createdAt: now() };
      stored.set(parts.id, { reviewer, secretDigest });
      return { ...reviewer };
    },
    find: async (id, scope) => {
      const found = stored.get(id);
      if (!found || !isInScope(scope, found.reviewer.site)) return undefined;
      return { ...found.reviewer, secretDigest: new Uint8Array(found.secretDigest) };
    },
    list: async (scope) =>
      [...stored.values()]
        .map(({ reviewer }) => ({ ...reviewer }))
        .filter((reviewer) => isInScope(scope, reviewer.site))
        .toReversed(),
    revoke: async (id) => {
      const found = stored.get(id);
      if (!found) return false;
      stored.set(id, { ...found, reviewer: { ...found.reviewer, revokedAt: found.reviewer.revokedAt ?? now() } });
      return true;
    },
  };
}
