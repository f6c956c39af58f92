// Finds the sites that wrote to charts and do not any more, although no person decided it: their mode is only the default, which was live in
// earlier versions. The log and the list of sites name them, because nothing else fails.
import type { Ledger } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';

/** Returns those of the given sites. Throws what the ledger throws. */
export type FindStoppedSites = (sites: Iterable<LoadedSite>) => Promise<ReadonlySet<string>>;

export function makeFindStoppedSites({ ledger }: { readonly ledger: Pick<Ledger, 'dueForCheck'> }): FindStoppedSites {
  return async (sites) => {
    const stopped = new Set<string>();
    for (const { name, settings, isModeDefault } of sites) {
      if (isModeDefault !== true || settings.mode !== 'shadow') continue;
      const written = await ledger.dueForCheck(name, 1);
      if (written.length > 0) stopped.add(name);
    }
    return stopped;
  };
}

export const WHY_STOPPED =
  'it has written to its charts and writes nothing now: no site.yaml says its mode, and the default is shadow. Write mode: live, or mode: shadow, into its site.yaml';
