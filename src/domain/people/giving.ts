// What an admin may give, and to whom: roles at the admin's own sites only. Every site (`*`) is given by an admin of every site.
import type { Person } from './person.ts';
import { EVERY_SITE, type Grant, isInScope, type SiteScope } from './role.ts';

/** `scope`: the sites whose admin gives or takes it. */
export function mayGive(scope: SiteScope, { site }: Pick<Grant, 'site'>): boolean {
  return scope === 'all' || (site !== EVERY_SITE && isInScope(scope, site));
}

/** Whether an admin of these sites sees a person or a token with these grants. */
export function isSeen(scope: SiteScope, grants: readonly Grant[]): boolean {
  return scope === 'all' || grants.some((grant) => mayGive(scope, grant));
}

/**
 * Whether an admin of these sites may change the account itself. A link to an account with roles elsewhere would give its maker more than they
 * could give away.
 */
export function isManaged(scope: SiteScope, grants: readonly Grant[]): boolean {
  return isSeen(scope, grants) && grants.every((grant) => mayGive(scope, grant));
}

export function isAdminOfAll({ grants, disabledAt }: Pick<Person, 'grants' | 'disabledAt'>): boolean {
  return disabledAt === undefined && grants.some(({ role, site }) => role === 'admin' && site === EVERY_SITE);
}

export function isSameGrant(one: Grant, other: Grant): boolean {
  return one.role === other.role && one.site === other.site && one.practitioner === other.practitioner;
}

/** As in the audit trail and on the command line: `operator@mercy`, `reviewer@mercy=Practitioner/7`. */
export function grantText({ role, site, practitioner }: Grant): string {
  return `${role}@${site}${practitioner === undefined ? '' : `=${practitioner}`}`;
}

/** The site of an entry in the audit trail, if all of it belongs to one. */
export function siteOf(grants: readonly Grant[]): { readonly site?: string } {
  const [site, ...others] = new Set(grants.map((grant) => grant.site));
  return site === undefined || site === EVERY_SITE || others.length > 0 ? {} : { site };
}
