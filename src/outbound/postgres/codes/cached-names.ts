// Caches the official names of codes for a moment: an answer is judged with them, repaired with them, and repaired again once it is cleaned.
// What may be written is decided by `find`, which always sees the newest list.
import type { OfficialNames } from '../../../domain/coding/official-codes.ts';
import type { CodeLists } from '../../../ports/codes.ts';
import type { Runtime } from '../../../ports/runtime.ts';

type CacheParts = {
  readonly codes: CodeLists;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly cachedMs?: number;
};

const CACHED_MS = 1_000;

export function makeCachedNames({ codes, runtime, cachedMs = CACHED_MS }: CacheParts): CodeLists {
  // All are forgotten together, so that there are never more than those of one such time.
  let cached = new Map<string, Promise<OfficialNames>>();
  let sinceMs = Number.NEGATIVE_INFINITY;
  return {
    ...codes,
    displays(wanted) {
      const nowMs = runtime.monotonicMs();
      if (nowMs - sinceMs >= cachedMs) {
        cached = new Map();
        sinceMs = nowMs;
      }
      const ofThisTime = cached;
      const key = JSON.stringify(wanted);
      const known = ofThisTime.get(key);
      if (known !== undefined) return known;
      const names = codes.displays(wanted);
      ofThisTime.set(key, names);
      names.catch(() => ofThisTime.delete(key));
      return names;
    },
    async replace(list) {
      try {
        return await codes.replace(list);
      } finally {
        cached = new Map();
      }
    },
  };
}
