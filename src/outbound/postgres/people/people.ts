// People with accounts, in PostgreSQL.
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Identity, Person, PersonGrant } from '../../../domain/people/person.ts';
import type { NewPerson, People } from '../../../ports/people.ts';
import type { Database } from '../database.ts';
import { errorCode, guardedMethods, UNIQUE_VIOLATION } from '../errors.ts';
import { cutPage, makeCursor, parseCursor } from '../position-cursor.ts';
import type { Schema } from '../schema.ts';
import { asPerson, inScope, PERSON_COLUMNS, type PersonRow } from './person-rows.ts';

type Db = Kysely<Schema>;

export function makePostgresPeople({ database: { db } }: { readonly database: Pick<Database, 'db'> }): People {
  return guardedMethods<People>({
    create: (person) => db.transaction().execute((transaction) => createPerson(transaction, person)),
    find: (id) => findPerson(db, id),
    async findByIdentity({ issuer, subject }) {
      return one(
        await sql<PersonRow>`
        select ${PERSON_COLUMNS} from people p join person_identities i on i.person_id = p.id
        where i.issuer = ${issuer} and i.subject = ${subject}`.execute(db),
      );
    },
    async findByPractitioner(site, practitioner) {
      return one(
        await sql<PersonRow>`
        select ${PERSON_COLUMNS} from people p
        where p.id = (select g.person_id from person_grants g
                      where g.role = 'reviewer' and g.site = ${site} and g.practitioner = ${practitioner} limit 1)`.execute(
          db,
        ),
      );
    },
    list: (query) => listPeople(db, query),
    addIdentity: (id, identity) => addIdentity(db, id, identity),
    async rename(id, { name, email }) {
      await sql`
        update people set name = coalesce(${name ?? null}, name), email = coalesce(${email ?? null}, email)
        where id = ${id}`.execute(db);
    },
    setGrants: ({ id, origin, grants, by }) =>
      db.transaction().execute(async (transaction) => {
        await sql`delete from person_grants where person_id = ${id} and origin = ${origin}`.execute(transaction);
        await addGrants(
          transaction,
          id,
          grants.map((grant) => ({ ...grant, origin })),
          by,
        );
      }),
    disable: (id) => db.transaction().execute((transaction) => disablePerson(transaction, id)),
    async enable(id) {
      const enabled = await db.updateTable('people').set({ disabled_at: null }).where('id', '=', id).executeTakeFirst();
      return enabled.numUpdatedRows > 0n;
    },
    async hasAdmin() {
      const { rows } = await sql`
        select 1 from person_grants g join people p on p.id = g.person_id
        where g.role = 'admin' and g.site = '*' and p.disabled_at is null limit 1`.execute(db);
      return rows.length > 0;
    },
  });
}

function one({ rows: [row] }: { readonly rows: readonly PersonRow[] }): Person | undefined {
  return row && asPerson(row);
}

async function findPerson(db: Db, id: string): Promise<Person | undefined> {
  return one(await sql<PersonRow>`select ${PERSON_COLUMNS} from people p where p.id = ${id}`.execute(db));
}

async function createPerson(db: Db, { id, name, email, origin, grants, identity }: NewPerson): Promise<Person> {
  await db
    .insertInto('people')
    .values({ id, name, email: email ?? null, origin })
    .execute();
  await addGrants(db, id, grants, 'engine');
  if (identity !== undefined) await addIdentity(db, id, identity);
  const person = await findPerson(db, id);
  if (person === undefined) throw new AppError('internal', 'The person was not stored');
  return person;
}

async function addGrants(db: Db, id: string, grants: readonly PersonGrant[], by: string): Promise<void> {
  for (const { role, site, practitioner, origin } of grants) {
    if (practitioner !== undefined) await requireFree(db, { id, site, practitioner });
    await sql`
      insert into person_grants (person_id, role, site, practitioner, origin, granted_by)
      values (${id}, ${role}, ${site}, ${practitioner ?? null}, ${origin}, ${by})
      on conflict (person_id, role, site, origin) do update set practitioner = excluded.practitioner`.execute(db);
  }
}

/** Two people never sign as one Practitioner. The lock keeps a second grant of the same one waiting until this one is stored. */
async function requireFree(
  db: Db,
  { id, site, practitioner }: { readonly id: string; readonly site: string; readonly practitioner: string },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`practitioner ${site} ${practitioner}`}, 0))`.execute(db);
  const { rows } = await sql`
    select 1 from person_grants
    where role = 'reviewer' and site = ${site} and practitioner = ${practitioner} and person_id <> ${id}`.execute(db);
  if (rows.length > 0) {
    throw new AppError('conflict', `Another person signs as ${practitioner} at ${site} already`);
  }
}

async function addIdentity(db: Db, id: string, { issuer, subject }: Identity): Promise<void> {
  try {
    await db.insertInto('person_identities').values({ issuer, subject, person_id: id }).execute();
  } catch (cause) {
    if (errorCode(cause) !== UNIQUE_VIOLATION) throw cause;
    const owner = await sql<{ person_id: string }>`
      select person_id from person_identities where issuer = ${issuer} and subject = ${subject}`
      .execute(db)
      .catch(() => ({ rows: [] }));
    if (owner.rows[0]?.person_id === id) return;
    throw new AppError('conflict', 'This identity belongs to another person', { cause });
  }
}

async function listPeople(db: Db, { scope, limit, cursor }: Parameters<People['list']>[0]) {
  const before = cursor === undefined ? null : parseCursor(cursor);
  const site = sql`g.site`;
  const isSeen =
    scope === 'all'
      ? sql`true`
      : sql`exists (select 1 from person_grants g where g.person_id = p.id and ${inScope(scope, site)})`;
  const { rows } = await sql<PersonRow & { position: number }>`
    select ${PERSON_COLUMNS}, p.position from people p
    where ${isSeen} and (${before}::bigint is null or p.position < ${before})
    order by p.position desc limit ${limit + 1}`.execute(db);
  const { page, last } = cutPage(rows, limit);
  return { people: page.map(asPerson), ...(last !== undefined && { next: makeCursor(last.position) }) };
}

async function disablePerson(db: Db, id: string): Promise<boolean> {
  const disabled = await sql`
    update people set disabled_at = coalesce(disabled_at, now()) where id = ${id} returning 1`.execute(db);
  await sql`
    update person_sessions set ended_at = now(), ended_why = 'person-disabled'
    where person_id = ${id} and ended_at is null`.execute(db);
  return disabled.rows.length > 0;
}
