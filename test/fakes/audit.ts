// The audit trail, in memory. Its entries cannot be changed, so only a recorded head can belong to another trail.
import { createHash } from 'node:crypto';
import { AppError } from '../../src/domain/errors.ts';
import { isInScope } from '../../src/domain/people/role.ts';
import type { Audit, StoredAuditEntry } from '../../src/ports/audit.ts';

export type FakeAudit = Audit<string> & {
  /** The oldest entry is the first. */
  readonly entries: readonly StoredAuditEntry[];
};

const NO_HASH = '0'.repeat(64);

export function makeFakeAudit({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeAudit {
  const entries: StoredAuditEntry[] = [];
  const hashes: string[] = [];
  const head = () => ({ seq: entries.length, hash: hashes.at(-1) ?? NO_HASH });
  return {
    entries,
    append: async (entry) => {
      const texts = [entry.action, entry.actor, entry.site, entry.run];
      if (texts.some((text) => text?.includes('\0')))
        throw new AppError('invalidRequest', 'Text must not hold NUL characters');
      const kept = { ...entry, seq: entries.length + 1, at: now() };
      hashes.push(
        createHash('sha256')
          .update(JSON.stringify([head().hash, kept]))
          .digest('hex'),
      );
      entries.push(kept);
    },
    list: async ({ scope, limit, cursor, since, ...filters }) => {
      const before = cursor === undefined ? Number.POSITIVE_INFINITY : parseCursor(cursor);
      const found = entries
        .filter(
          (entry) =>
            entry.seq < before &&
            (scope === 'all' || isInScope(scope, entry.site ?? '')) &&
            (since === undefined || entry.at >= since),
        )
        .filter(({ site, run, action }) =>
          [
            [site, filters.site],
            [run, filters.run],
            [action, filters.action],
          ].every(([is, wanted]) => wanted === undefined || is === wanted),
        )
        .toReversed();
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return { entries: shown, ...(found.length > limit && last && { next: `at-${last.seq}` }) };
    },
    verify: async (expected) => {
      const { seq, hash } = head();
      const isCut = expected !== undefined && expected.seq > seq;
      if (isCut) return { isWhole: false, entries: seq, at: seq + 1, why: 'The end of the trail was cut off' };
      if (expected && expected.seq > 0 && hashes[expected.seq - 1] !== expected.hash)
        return { isWhole: false, entries: expected.seq - 1, at: expected.seq, why: 'The trail was made anew' };
      return { isWhole: true, entries: seq, head: hash };
    },
    head: async () => head(),
  };
}

function parseCursor(cursor: string): number {
  const [, at] = /^at-(\d+)$/.exec(cursor) ?? [];
  if (at === undefined) throw new AppError('invalidRequest', 'cursor is not one that was given out');
  return Number(at);
}
