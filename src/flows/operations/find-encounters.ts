// Finds the encounters of a site that have changed since a moment, to start runs for the time before the engine was installed. It starts no runs:
// the operator first sees the number of encounters.
import { AppError } from '../../domain/errors.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { isSince } from '../feeds/search-changes.ts';

/** References such as `Encounter/1`, the last changed first if the EHR can sort. `isComplete` false: there are more. Throws what the EHR throws. */
export type FindEncounters = (
  order: { readonly site: LoadedSite; readonly since: Date },
  signal: AbortSignal,
) => Promise<{ readonly encounters: readonly string[]; readonly isComplete: boolean }>;

const MAX_ENCOUNTERS = 5000;

export function makeFindEncounters({ ehrs }: { readonly ehrs: Pick<Ehrs, 'of'> }): FindEncounters {
  return async ({ site, since }, signal) => {
    const ehr = ehrs.of(site);
    const parameters = { _lastUpdated: `gt${since.toISOString()}` };
    const order = { type: 'Encounter', maxResources: MAX_ENCOUNTERS } as const;
    const sorted = { ...parameters, _sort: '-_lastUpdated' };
    const answer = await ehr.search({ ...order, parameters: sorted }, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || thrown.code !== 'ehrRefused') throw thrown;
      return ehr.search({ ...order, parameters }, signal);
    });
    const changed = answer.resources.filter((resource) => isSince(resource, since));
    return { encounters: changed.map(({ id }) => `Encounter/${id}`), isComplete: answer.isComplete };
  };
}
