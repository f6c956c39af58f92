// Pauses of sites, in memory.
import type { Pause, Pauses } from '../../src/ports/feeds.ts';

export function makeFakePauses({ now = () => new Date() }: { readonly now?: () => Date } = {}): Pauses {
  const pauses = new Map<string, Pause>();
  const nameOf = (site: string, what: string) => JSON.stringify([site, what]);
  return {
    current: async () =>
      [...pauses.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, pause]) => ({ ...pause })),
    pause: async (site, what, reason) => {
      const name = nameOf(site, what);
      pauses.set(name, { site, what, reason, since: pauses.get(name)?.since ?? now() });
    },
    resume: async (site, what) => {
      const ended = [...pauses].filter(([, pause]) => pause.site === site && (what === 'all' || pause.what === what));
      for (const [name] of ended) pauses.delete(name);
      return ended.length > 0;
    },
  };
}
