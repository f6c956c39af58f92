// The roles of people, in PostgreSQL.
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { PersonGrant } from '../../../domain/people/person.ts';
import { EVERY_SITE, isInScope } from '../../../domain/people/role.ts';
import type { People } from '../../../ports/people.ts';
import type { Schema } from '../schema.ts';
import { inScope } from './person-rows.ts';

type Db = Kysely<Schema>;

/** Works in a transaction. */
export async function replaceGrants(
  db: Db,
  { id, origin, grants, by, scope = 'all' }: Parameters<People['setGrants']>[0],
): Promise<void> {
  const foreign = grants.find(({ site }) => !isInScope(scope, site));
  if (foreign !== undefined) throw new AppError('forbidden', `Roles for ${foreign.site} are given by its own admins`);
  // Two who change the roles of one person do so one after the other.
  const { rows } = await sql`select 1 from people where id = ${id} for no key update`.execute(db);
  if (rows.length === 0) throw new AppError('notFound', 'There is no such person');
  await sql`
    delete from person_grants where person_id = ${id} and origin = ${origin} and ${inScope(scope, sql`site`)}`.execute(
    db,
  );
  const added = grants.map((grant) => ({ ...grant, origin }));
  await addGrants(db, id, added, by);
}

/** Works in a transaction. */
export async function addGrants(db: Db, id: string, grants: readonly PersonGrant[], by: string): Promise<void> {
  await requireFree(db, id, grants);
  for (const { role, site, practitioner, origin } of grants) {
    await sql`
      insert into person_grants (person_id, role, site, practitioner, origin, granted_by)
      values (${id}, ${role}, ${site}, ${practitioner ?? null}, ${origin}, ${by})
      on conflict (person_id, role, site, origin)
      do update set practitioner = excluded.practitioner, granted_by = excluded.granted_by, granted_at = now()`.execute(
      db,
    );
  }
  if (grants.some(({ role, site }) => role === 'admin' && site === EVERY_SITE)) {
    await sql`insert into first_admin (person_id) values (${id}) on conflict do nothing`.execute(db);
  }
}

/**
 * Two people never sign as one Practitioner. The lock keeps a second grant of the same one waiting until this one is stored; all take their locks
 * in one order.
 */
async function requireFree(db: Db, id: string, grants: readonly PersonGrant[]): Promise<void> {
  const signed = grants.flatMap(({ site, practitioner }) =>
    practitioner === undefined ? [] : [{ site, practitioner }],
  );
  const byName = signed.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  for (const { site, practitioner } of byName) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${nameOf({ site, practitioner })}, 0))`.execute(db);
    const { rows } = await sql`
      select 1 from person_grants
      where site = ${site} and practitioner = ${practitioner} and person_id <> ${id} limit 1`.execute(db);
    if (rows.length > 0) {
      throw new AppError('conflict', `Another person signs as ${practitioner} at ${site} already`);
    }
  }
}

function nameOf({ site, practitioner }: { readonly site: string; readonly practitioner: string }): string {
  return JSON.stringify(['practitioner', site, practitioner]);
}
