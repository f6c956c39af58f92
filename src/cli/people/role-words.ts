// Roles as they are typed and shown: `operator@mercy`, `admin@*`, `reviewer@mercy=Practitioner/7`.
import type { Grant } from '../../domain/people/role.ts';
import { CliError } from '../shared/cli-error.ts';
import { printable } from '../shared/tables.ts';

export const ROLE_HELP = "a role at a site: operator@mercy, 'admin@*' (every site), reviewer@mercy=Practitioner/7";

export type TypedRole = { readonly role: string; readonly site: string; readonly practitioner?: string };

/** The engine says what is wrong with the parts. Throws a CliError for a text without a site. */
export function readRole(typed: string): TypedRole {
  const [, role, site, practitioner] = /^([^@=]+)@([^@=]+)(?:=(.+))?$/.exec(typed) ?? [];
  if (role === undefined || site === undefined) {
    throw new CliError(
      `${printable(typed)} is no role at a site. Write it like operator@mercy, or like 'admin@*' for every site.`,
    );
  }
  return { role, site, ...(practitioner !== undefined && { practitioner }) };
}

export function rolesText(roles: readonly Pick<Grant, 'role' | 'site' | 'practitioner'>[]): string {
  const texts = roles.map(
    ({ role, site, practitioner }) => `${role}@${site}${practitioner === undefined ? '' : `=${practitioner}`}`,
  );
  return texts.length === 0 ? 'none' : texts.join(', ');
}
