// Finds a site for a caller who is not trusted. A site that is off, belongs to another organization or takes no notifications
// is answered with the same error as a site that does not exist.
import { AppError } from '../../../domain/errors.ts';
import type { LoadedSite, Sites } from '../../../ports/sites.ts';

type Snapshots = Pick<Sites, 'current'>;

/** Throws `notFound`. */
export function findOpenSite(sites: Snapshots, name: string): LoadedSite {
  const site = sites.current().sites.get(name);
  if (site === undefined || site.settings.mode === 'off') throw noSite();
  return site;
}

/** Throws `notFound`, also if the site belongs to another organization. */
export function findOwnSite(sites: Snapshots, name: string, organization: string): LoadedSite {
  const site = findOpenSite(sites, name);
  if (organizationOf(site) !== organization) throw noSite();
  return site;
}

/** The organization whose keys are valid at the site, and to whose usage its runs count. */
function organizationOf({ name, settings }: LoadedSite): string {
  return settings.organization ?? name;
}

export function noSite(): AppError {
  return new AppError('notFound', 'There is no such site');
}
