// The caller of /ops, and what the caller may do at one endpoint. The decision is made from the table of permissions before any data is read,
// so that a refusal says nothing about what exists.
import { type Permission, WITHOUT_PATIENT_DATA } from './permissions.ts';
import type { Purpose } from './purpose.ts';
import { EVERY_SITE, type Grant, narrowed, type Role, type RunScope, type SiteScope, scopeOf } from './role.ts';

/** A person who came from the EHR of a site sees nothing but that site; nothing but one encounter if that was open there. */
export type OpenedEncounter = { readonly site: string; readonly encounter?: string; readonly patient?: string };

export type Caller = {
  /** `bootstrap`: the operator key before the first admin exists; `lone-key`: the same key afterwards. */
  readonly kind: 'bootstrap' | 'lone-key' | 'reviewer-key' | 'person' | 'token';
  /** The name in the audit trail: `operator`, `reviewer/<id>`, `person/<id>`, `token/<id>`. */
  readonly actor: string;
  /** The name that people see, and that a signature has. */
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly purpose?: Purpose;
  /** The id of a person; absent for keys and tokens. */
  readonly person?: string;
  /** The id of the person's session. */
  readonly session?: string;
  readonly opened?: OpenedEncounter;
  /** The network address of the request. */
  readonly address: string;
};

/** What a caller may do at one endpoint. Every query of the endpoint takes one of its scopes. */
export type Access = {
  readonly caller: Caller;
  /** The role by which the caller is admitted: the first of the endpoint's roles that the caller holds. */
  readonly role: Role;
  readonly scope: SiteScope;
  /** The same sites, and for a person who came from the EHR the one encounter: for queries of runs. */
  readonly runs: RunScope;
};

export type AccessDecision =
  | { readonly kind: 'allowed'; readonly access: Access }
  /** No role of the caller is admitted here. */
  | { readonly kind: 'wrong-role'; readonly roles: readonly Role[] }
  /** A person does this, not a script. */
  | { readonly kind: 'not-by-token' }
  /** The endpoint has patient data, and the caller has not said why it is read. */
  | { readonly kind: 'no-purpose' };

/** `isBrief`: the answer that was asked for has no patient data. */
export function decideAccess(caller: Caller, permission: Permission, isBrief: boolean): AccessDecision {
  const isRead = permission.patientData === 'always' || (permission.patientData === 'unless-brief' && !isBrief);
  const admitted = permission.roles.filter((role) => !(isRead && WITHOUT_PATIENT_DATA.has(role)));
  const wrongRole = { kind: 'wrong-role', roles: admitted } as const;
  if (caller.kind === 'lone-key' && permission.isForLoneKey !== true) return wrongRole;
  const grants = grantsOf(caller).filter((grant) => isForThis(grant, permission));
  const [role] = admitted.filter((one) => grants.some((grant) => grant.role === one));
  const scope = narrowed(scopeOf(grants, admitted), permission.site);
  if (role === undefined || scope.length === 0) return wrongRole;
  if (permission.isForPeople && caller.kind === 'token') return { kind: 'not-by-token' };
  if (isRead && needsPurpose(caller) && caller.purpose === undefined) return { kind: 'no-purpose' };
  return { kind: 'allowed', access: { caller, role, scope, runs: runsIn(scope, caller) } };
}

function runsIn(scope: SiteScope, { opened }: Caller): RunScope {
  if (scope === 'all') return scope;
  return { sites: scope, ...(opened?.encounter !== undefined && { encounter: opened.encounter }) };
}

/** A person who came from the EHR is there as a reviewer of that site, whatever else the person is. */
function grantsOf({ grants, opened }: Caller): readonly Grant[] {
  if (opened === undefined) return grants;
  const { site } = opened;
  return grants
    .filter((grant) => grant.role === 'reviewer' && [site, EVERY_SITE].includes(grant.site))
    .map((grant) => ({ ...grant, site }));
}

function isForThis({ site }: Grant, { reach, site: only }: Permission): boolean {
  if (site === EVERY_SITE) return true;
  return reach === 'site' && (only === undefined || site === only);
}

/** The keys of an engine without people were never asked for one. */
function needsPurpose({ kind }: Caller): boolean {
  return kind === 'person' || kind === 'token';
}
