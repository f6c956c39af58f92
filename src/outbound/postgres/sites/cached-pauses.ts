// Caches which sites are paused: every step of every run reads it. A pause reaches all processes within `cachedMs`.
import type { Pause, Pauses } from '../../../ports/feeds.ts';
import type { Runtime } from '../../../ports/runtime.ts';

type CacheParts = {
  readonly pauses: Pauses;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly cachedMs?: number;
};

const CACHED_MS = 1_000;

export function makeCachedPauses({ pauses, runtime, cachedMs = CACHED_MS }: CacheParts): Pauses {
  let cached: { readonly atMs: number; readonly all: Promise<readonly Pause[]> } | undefined;
  const clear = () => {
    cached = undefined;
  };
  return {
    current() {
      const nowMs = runtime.monotonicMs();
      if (cached === undefined || nowMs - cached.atMs >= cachedMs) {
        const all = pauses.current();
        all.catch(clear);
        cached = { atMs: nowMs, all };
      }
      return cached.all;
    },
    async pause(site, what, reason) {
      await pauses.pause(site, what, reason);
      clear();
    },
    async resume(site, what) {
      const wasPaused = await pauses.resume(site, what);
      clear();
      return wasPaused;
    },
  };
}
