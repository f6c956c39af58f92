// Finds a site by the name that an operator typed.
import { AppError } from '../../domain/errors.ts';
import { isInScope, type SiteScope } from '../../domain/people/role.ts';
import { didYouMean } from '../../mapping/mapping.ts';
import type { LoadedSite, SitesSnapshot } from '../../ports/sites.ts';

const MAX_NAMED = 10;

/**
 * Throws `notFound` with the existing sites of the scope, and `conflict` for a site whose files have never been valid. A site outside of the
 * scope is answered like one that does not exist.
 */
export function findSite({ sites, unavailable }: SitesSnapshot, name: string, scope: SiteScope): LoadedSite {
  const site = isInScope(scope, name) ? sites.get(name) : undefined;
  if (site !== undefined) return site;
  if (unavailable.has(name) && isInScope(scope, name)) {
    throw new AppError('conflict', `The files of ${name} have problems: npm run cli -- mappings check shows them`);
  }
  throw new AppError('notFound', `${unknown(name)}${instead(name, namesIn(scope, sites.keys()))}`);
}

export function namesIn(scope: SiteScope, names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => isInScope(scope, name));
}

/** Text that cannot be a name is not repeated. */
function unknown(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? `There is no site ${name}` : 'There is no such site';
}

function instead(name: string, known: readonly string[]): string {
  if (known.length === 0) return ': there are none yet';
  const meant = didYouMean(name, known);
  if (meant !== '') return meant;
  const more = known.length > MAX_NAMED ? ' …' : '';
  return `; there ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, MAX_NAMED).join(', ')}${more}`;
}
