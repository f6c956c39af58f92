// Which encounters of a site have changed since a moment: for starting runs of the time before the engine was there. Nothing is begun
// here; whoever asks says first how many there are.
import { AppError } from '../../domain/errors.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { isSince } from '../feeds/search-changes.ts';

/** `Encounter/1` each, the last changed first where the EHR sorts. `isComplete` false: there are more. Throws what the EHR throws. */
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
