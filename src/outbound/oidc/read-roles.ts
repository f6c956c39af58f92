// Reads the file of OIDC_ROLES: which values of which claims give which role. A mistake in it would give rights to the wrong people, so any
// problem stops the start, with its line.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ClaimRoles, RoleRule } from '../../domain/people/claim-roles.ts';
import { EVERY_SITE, ROLES } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import { readYaml, type YamlProblem } from '../../platform/yaml-file.ts';

export const DEFAULT_SCOPES: readonly string[] = ['openid', 'profile', 'email'];

const name = z.string().min(1).max(200);
/** `realm_access.roles`; a list if a name has a dot in it. */
const claim = z.union([name.transform((path) => path.split('.')), z.array(name).min(1)], {
  error: 'must be the name of a claim, as in groups or realm_access.roles',
});
const site = z.union([z.literal(EVERY_SITE), z.string().regex(/^[\w.-]{1,64}$/)], {
  error: 'must be the name of a site, or * for every site',
});
const rule = z
  .strictObject({
    claim: claim.optional(),
    values: z.array(name).min(1),
    role: z.enum(ROLES, { error: `must be one of ${ROLES.join(', ')}` }),
    sites: z.array(site).min(1),
    practitioner: claim.optional(),
  })
  .superRefine(({ role, sites, practitioner }, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const isReviewer = role === 'reviewer';
    if (sites.length > 1 && sites.includes(EVERY_SITE)) wrong('sites', '* must be the only one');
    if (isReviewer && (sites.length > 1 || sites.includes(EVERY_SITE))) {
      wrong('sites', 'a reviewer signs in one EHR: name exactly one site, not *, and make one entry for each site');
    }
    if (isReviewer && practitioner === undefined) {
      wrong('role', 'a reviewer needs practitioner: the claim with the id of the Practitioner who signs');
    }
    if (!isReviewer && practitioner !== undefined) wrong('practitioner', 'only a reviewer signs as a Practitioner');
  });
const schema = z.strictObject({
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/))
    .refine((scopes) => scopes.includes('openid'), 'must have openid among them')
    .default([...DEFAULT_SCOPES]),
  claim: claim.default(['groups']),
  roles: z.array(rule).min(1),
});

export function readRoles(file: {
  readonly path: string;
  readonly text: string;
}): { readonly roles: ClaimRoles; readonly problems?: never } | { readonly problems: readonly YamlProblem[] } {
  const { value, problems } = readYaml(file, schema);
  if (value === undefined) return { problems };
  const rules = value.roles.map(
    (one): RoleRule => present({ ...one, claim: one.claim ?? value.claim, practitioner: one.practitioner }),
  );
  return { roles: { scopes: value.scopes, rules } };
}

/** Throws an Error for the operator with all problems. */
export function readRolesFile(path: string): ClaimRoles {
  const read = readRoles({ path, text: textOf(path) });
  if (read.problems === undefined) return read.roles;
  const lines = read.problems.map(({ line, message }) => `  ${path}:${line}: ${message}`);
  throw new Error(['The file of OIDC_ROLES has problems:', ...lines].join('\n'));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
    throw new Error(`OIDC_ROLES: ${path} cannot be read (${code})`);
  }
}
