// A person as rows: the account, and its grants as one JSON value of the same statement.
import { type RawBuilder, sql } from 'kysely';
import type { Person, PersonGrant } from '../../../domain/people/person.ts';
import type { SiteScope } from '../../../domain/people/role.ts';
import { withoutNulls } from '../without-nulls.ts';

type GrantRow = { role: PersonGrant['role']; site: string; practitioner: string | null; origin: PersonGrant['origin'] };

export type PersonRow = {
  id: string;
  name: string;
  email: string | null;
  origin: Person['origin'];
  created_at: Date;
  disabled_at: Date | null;
  last_seen_at: Date | null;
  grants: readonly GrantRow[];
};

/** The columns of `people as p`, with the grants of each that are in the scope. */
export function personColumns(scope: SiteScope = 'all'): RawBuilder<unknown> {
  return sql`
    p.id, p.name, p.email, p.origin, p.created_at, p.disabled_at, p.last_seen_at,
    coalesce((
      select json_agg(json_build_object('role', g.role, 'site', g.site, 'practitioner', g.practitioner, 'origin', g.origin)
                      order by g.role, g.site, g.origin)
      from person_grants g where g.person_id = p.id and ${inScope(scope, sql`g.site`)}), '[]'::json) as grants`;
}

export function asPerson(row: PersonRow): Person {
  const { id, name, email, origin, created_at, disabled_at, last_seen_at } = row;
  const grants = row.grants.map((grant) => withoutNulls(grant));
  const times = { createdAt: created_at, disabledAt: disabled_at, lastSeenAt: last_seen_at };
  return withoutNulls({ id, name, email, origin, grants, ...times });
}

/** Whether a column with the name of a site is in the scope. */
export function inScope(scope: SiteScope, column: RawBuilder<unknown>): RawBuilder<boolean> {
  if (scope === 'all') return sql<boolean>`true`;
  return sql<boolean>`${column} = any(${[...scope]}::text[])`;
}
