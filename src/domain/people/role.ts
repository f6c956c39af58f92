// The roles of people and service tokens, each held for one site or for every site.

export const ROLES = ['viewer', 'operator', 'integrator', 'reviewer', 'auditor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What each role is for, in one sentence: printed by `chartwright roles` and in docs/security.md. */
export const ROLE_PURPOSES: Readonly<Record<Role, string>> = {
  viewer: 'Sees the states of runs and sites and the references of documents, without patient data.',
  operator: 'Reads runs with their patient data, and starts, replays, cancels, retries, releases, recalls and pauses.',
  integrator: 'Works on mappings: probes the EHR, reads captured runs, corrects quarantined deliveries, imports codes.',
  reviewer: 'A clinician of one site: reads its drafts, and approves, edits or rejects them as a Practitioner.',
  auditor: 'Reads and verifies the audit trail and the usage, without patient data.',
  admin: 'Manages people, roles, tokens, keys and plans, and pauses sites; reads no patient data.',
};

/** In place of the name of a site. */
export const EVERY_SITE = '*';

export type Grant = {
  readonly role: Role;
  /** The name of a site, or `*`. A reviewer has one site. */
  readonly site: string;
  /** Only of a reviewer: who signs in the EHR of the site. `Practitioner/7` */
  readonly practitioner?: string;
};

/** The sites that a query may touch. It is part of the query, so that a row of another site is never read. */
export type SiteScope = 'all' | readonly string[];

/** The runs that a query may touch: those of these sites, and of this encounter if one is named. */
export type RunScope = 'all' | { readonly sites: readonly string[]; readonly encounter?: string };

/** The sites for which one of these roles is held. An empty list: for none. */
export function scopeOf(grants: readonly Grant[], roles: readonly Role[]): SiteScope {
  const sites = grants.filter(({ role }) => roles.includes(role)).map(({ site }) => site);
  return sites.includes(EVERY_SITE) ? 'all' : [...new Set(sites)].toSorted();
}

export function isInScope(scope: SiteScope, site: string): boolean {
  return scope === 'all' || scope.includes(site);
}

export function isRunInScope(scope: RunScope, run: { readonly site: string; readonly encounter: string }): boolean {
  if (scope === 'all') return true;
  return scope.sites.includes(run.site) && (scope.encounter === undefined || scope.encounter === run.encounter);
}

/** The sites that both allow. */
export function narrowed(scope: SiteScope, site: string | undefined): SiteScope {
  if (site === undefined) return scope;
  return isInScope(scope, site) ? [site] : [];
}
