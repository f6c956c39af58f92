// Sites as strangers may see them: one that is off, is another organization's, or takes no notifications is not there, and all of
// these sound the same.
import { AppError } from '../../../domain/errors.ts';
import type { LoadedSite, Sites } from '../../../ports/sites.ts';

type Snapshots = Pick<Sites, 'current'>;

/** Throws `notFound`. */
export function findOpenSite(sites: Snapshots, name: string): LoadedSite {
  const site = sites.current().sites.get(name);
  if (site === undefined || site.settings.mode === 'off') throw noSite();
  return site;
}

/** Throws `notFound`, also where the site is not this organization's. */
export function findOwnSite(sites: Snapshots, name: string, organization: string): LoadedSite {
  const site = findOpenSite(sites, name);
  if (organizationOf(site) !== organization) throw noSite();
  return site;
}

/** Whose keys are good at the site, and whose usage its runs count to. */
function organizationOf({ name, settings }: LoadedSite): string {
  return settings.organization ?? name;
}

export function noSite(): AppError {
  return new AppError('notFound', 'There is no such site');
}
