// Finds a site that is not off.
import { AppError } from '../../domain/errors.ts';
import type { SiteScope } from '../../domain/people/role.ts';
import type { LoadedSite, SitesSnapshot } from '../../ports/sites.ts';
import { findSite } from './find-site.ts';

/** Throws like `findSite`, and `conflict` for a site that is off. */
export function requireActiveSite(snapshot: SitesSnapshot, name: string, scope: SiteScope): LoadedSite {
  const site = findSite(snapshot, name, scope);
  if (site.settings.mode !== 'off') return site;
  throw new AppError('conflict', `${name} is off (mode in its site.yaml): nothing is documented there`);
}
