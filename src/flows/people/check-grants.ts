// Checks roles before they are given: the admin may give them, their sites exist, and a reviewer is a Practitioner of the EHR of the site and
// of no other person.
import { AppError } from '../../domain/errors.ts';
import { isSameGrant, mayGive } from '../../domain/people/giving.ts';
import { EVERY_SITE, type Grant, type SiteScope } from '../../domain/people/role.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { People } from '../../ports/people.ts';
import type { Sites } from '../../ports/sites.ts';
import { checkPractitioner } from '../admin/manage-reviewers.ts';
import { findSite } from '../operations/find-site.ts';

export type CheckGrantsParts = {
  readonly people: Pick<People, 'findByPractitioner'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
};

type CheckOrder = {
  readonly grants: readonly Grant[];
  /** What the person has already: it is not asked for again. */
  readonly known: readonly Grant[];
  readonly scope: SiteScope;
  readonly signal: AbortSignal;
};

/** Throws `invalidRequest`, `forbidden`, `notFound` for a site, `conflict`. Resolves to the Practitioners that the EHR could not confirm. */
export type CheckGrants = (order: CheckOrder) => Promise<readonly string[]>;

export function makeCheckGrants({ people, sites, ehrs }: CheckGrantsParts): CheckGrants {
  async function isConfirmed(
    { site: name, practitioner = '' }: Grant,
    { scope, signal }: CheckOrder,
  ): Promise<boolean> {
    const site = findSite(sites.current(), name, scope);
    if ((await people.findByPractitioner(name, practitioner)) !== undefined) {
      throw new AppError('conflict', `Another person signs as ${practitioner} at ${name} already`);
    }
    return checkPractitioner(ehrs, { site, practitioner }, signal);
  }

  return async (order) => {
    const { grants, known, scope } = order;
    requireForm(grants);
    requireGivable(grants, scope);
    const unconfirmed: string[] = [];
    for (const grant of grants) {
      if (known.some((other) => isSameGrant(grant, other))) continue;
      if (grant.role !== 'reviewer') requireSite(sites, grant.site, scope);
      else if (!(await isConfirmed(grant, order))) unconfirmed.push(grant.practitioner ?? '');
    }
    return unconfirmed;
  };
}

/** Throws `forbidden` for a role that an admin of these sites must not give. */
export function requireGivable(grants: readonly Grant[], scope: SiteScope): void {
  const refused = grants.find((grant) => !mayGive(scope, grant));
  if (refused === undefined) return;
  const whose = refused.site === EVERY_SITE ? 'every site' : refused.site;
  throw new AppError('forbidden', `Only an admin of ${whose} gives roles there`);
}

/** Throws `notFound` for a site that does not exist: a misspelt one would give nothing. A site whose files have problems exists. */
export function requireSite(sites: Pick<Sites, 'current'>, name: string, scope: SiteScope): void {
  const snapshot = sites.current();
  if (name !== EVERY_SITE && !snapshot.unavailable.has(name)) findSite(snapshot, name, scope);
}

function requireForm(grants: readonly Grant[]): void {
  const problems = grants.flatMap((grant) => formProblems(grant));
  const places = grants.map(({ role, site }) => `${role}@${site}`);
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) problems.push(`roles name ${twice} twice`);
  if (problems.length > 0) throw new AppError('invalidRequest', problems.join('; '), { details: problems });
}

function formProblems({ role, site, practitioner }: Grant): string[] {
  if (role !== 'reviewer') return practitioner === undefined ? [] : [`Only a reviewer has a practitioner, not ${role}`];
  if (site === EVERY_SITE) return ['A reviewer is one of a site: name it instead of *'];
  return practitioner === undefined ? ['A reviewer needs the practitioner who signs in the EHR of the site'] : [];
}
