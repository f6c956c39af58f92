// Which roles the claims of an identity provider give. Only texts that are equal letter for letter count: an object, a number or another spelling
// gives nothing.
import { EVERY_SITE, type Grant, type Role } from './role.ts';

/** The names of the members that lead to a claim: `['realm_access', 'roles']`. */
export type ClaimPath = readonly string[];

export type RoleRule = {
  readonly claim: ClaimPath;
  /** One of them is enough. The claim is a text or a list of texts. */
  readonly values: readonly string[];
  readonly role: Role;
  /** Names of sites, or `*` alone. */
  readonly sites: readonly string[];
  /** Only of a reviewer: the claim with the id of the Practitioner who signs. Without it the person is no reviewer. */
  readonly practitioner?: ClaimPath;
};

export type ClaimRoles = {
  /** Asked from the provider. */
  readonly scopes: readonly string[];
  readonly rules: readonly RoleRule[];
};

/** `Practitioner/7`, or its id alone. */
const PRACTITIONER = /^(?:Practitioner\/)?([A-Za-z0-9.-]{1,64})$/;

export function grantsFromClaims({ rules }: ClaimRoles, claims: Readonly<Record<string, unknown>>): readonly Grant[] {
  const grants = new Map<string, Grant>();
  for (const rule of rules) {
    const held = new Set(textsOf(claimAt(claims, rule.claim)));
    if (!rule.values.some((value) => held.has(value))) continue;
    // The first rule that gives a role at a site counts: it also says who signs there.
    for (const grant of grantsOf(rule, claims)) {
      const key = `${grant.role} ${grant.site}`;
      if (!grants.has(key)) grants.set(key, grant);
    }
  }
  return [...grants.values()];
}

function grantsOf({ role, sites, practitioner: path }: RoleRule, claims: Readonly<Record<string, unknown>>): Grant[] {
  if (role !== 'reviewer') return sites.map((site) => ({ role, site }));
  const [, id] = PRACTITIONER.exec(String(path && textOf(claimAt(claims, path)))) ?? [];
  if (path === undefined || id === undefined) return [];
  return sites
    .filter((site) => site !== EVERY_SITE)
    .map((site) => ({ role, site, practitioner: `Practitioner/${id}` }));
}

function claimAt(claims: Readonly<Record<string, unknown>>, path: ClaimPath): unknown {
  return path.reduce<unknown>(
    (around, name) =>
      typeof around === 'object' && around !== null && Object.hasOwn(around, name)
        ? Reflect.get(around, name)
        : undefined,
    claims,
  );
}

function textsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === 'string');
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim : '';
}
