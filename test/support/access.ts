// What a caller may do at an endpoint, for the tests of flows.
import type { Access, Caller } from '../../src/domain/people/caller.ts';
import { EVERY_SITE, ROLES, type Role, type SiteScope } from '../../src/domain/people/role.ts';
import type { RequireOpenChart } from '../../src/flows/people/require-open-chart.ts';

/** The operator key before there is an admin. */
export const OPERATOR: Access = {
  caller: {
    kind: 'bootstrap',
    actor: 'operator',
    name: 'operator',
    grants: ROLES.map((role) => ({ role, site: EVERY_SITE })),
    address: '127.0.0.1',
  },
  role: 'operator',
  scope: 'all',
  runs: 'all',
};

/** By a reviewer's key. */
export function aReviewersAccess({ id, site }: { readonly id: string; readonly site: string }): Access {
  return aPersonsAccess([site], { kind: 'reviewer-key', actor: `reviewer/${id}`, role: 'reviewer' });
}

/** No chart is restricted. */
export const asIfOpen: RequireOpenChart = async (_run, { caller }) => caller.purpose;

/** A person with one role at these sites, who has said why. */
export function aPersonsAccess(
  scope: SiteScope,
  { role = 'operator', ...caller }: Partial<Caller> & { readonly role?: Role } = {},
): Access {
  const sites = scope === 'all' ? [EVERY_SITE] : scope;
  const { opened } = caller;
  return {
    caller: {
      kind: 'person',
      actor: 'person/00000000000000aa',
      person: '00000000000000aa',
      name: 'Dana Reyes',
      grants: sites.map((site) => ({ role, site })),
      purpose: 'TREAT',
      address: '192.0.2.7',
      ...caller,
    },
    role,
    scope,
    runs: scope === 'all' ? scope : { sites: scope, ...(opened && { encounter: opened.encounter }) },
  };
}
