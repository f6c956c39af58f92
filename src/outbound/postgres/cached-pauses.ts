// Which sites are paused, asked of the database once in a while: every step of every run wants to know.
import type { Pause, Pauses } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';

type KeptParts = {
  readonly pauses: Pauses;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  /** After that time every process has heard of a pause. */
  readonly keptMs?: number;
};

const KEPT_MS = 1_000;

export function keepPauses({ pauses, runtime, keptMs = KEPT_MS }: KeptParts): Pauses {
  let kept: { readonly at: number; readonly all: Promise<readonly Pause[]> } | undefined;
  const forget = () => {
    kept = undefined;
  };
  return {
    current() {
      const now = runtime.monotonicMs();
      if (kept === undefined || now - kept.at >= keptMs) {
        const all = pauses.current();
        all.catch(forget);
        kept = { at: now, all };
      }
      return kept.all;
    },
    async pause(site, what, reason) {
      await pauses.pause(site, what, reason);
      forget();
    },
    async resume(site, what) {
      const wasPaused = await pauses.resume(site, what);
      forget();
      return wasPaused;
    },
  };
}
