// People with accounts, in PostgreSQL.
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Identity, Person } from '../../../domain/people/person.ts';
import { present } from '../../../domain/present.ts';
import type { NewPerson, People } from '../../../ports/people.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { cutPage, makeCursor, parseCursor } from '../position-cursor.ts';
import type { Schema } from '../schema.ts';
import { addGrants, replaceGrants } from './person-grants.ts';
import { asPerson, inScope, type PersonRow, personColumns } from './person-rows.ts';

type Db = Kysely<Schema>;

export function makePostgresPeople({ database: { db } }: { readonly database: Pick<Database, 'db'> }): People {
  return guardedMethods<People>({
    create: (person) => db.transaction().execute((transaction) => createPerson(transaction, person)),
    find: (id) => findPerson(db, id),
    async findByIdentity({ issuer, subject }) {
      return one(
        await sql<PersonRow>`
        select ${personColumns()} from people p join person_identities i on i.person_id = p.id
        where i.issuer = ${issuer} and i.subject = ${subject}`.execute(db),
      );
    },
    async findByPractitioner(site, practitioner) {
      return one(
        await sql<PersonRow>`
        select ${personColumns()} from people p
        where p.id = (select g.person_id from person_grants g
                      where g.site = ${site} and g.practitioner = ${practitioner} limit 1)`.execute(db),
      );
    },
    list: (query) => listPeople(db, query),
    addIdentity: (id, identity) => addIdentity(db, id, identity),
    async rename(id, { name, email }) {
      await sql`
        update people set name = coalesce(${name ?? null}, name), email = coalesce(${email ?? null}, email)
        where id = ${id}`.execute(db);
    },
    setGrants: (order) => db.transaction().execute((transaction) => replaceGrants(transaction, order)),
    disable: (id) => db.transaction().execute((transaction) => disablePerson(transaction, id)),
    async enable(id) {
      const enabled = await db.updateTable('people').set({ disabled_at: null }).where('id', '=', id).executeTakeFirst();
      return enabled.numUpdatedRows > 0n;
    },
    async hasAdmin() {
      const { rows } = await sql`select 1 from first_admin`.execute(db);
      return rows.length > 0;
    },
  });
}

function one({ rows: [row] }: { readonly rows: readonly PersonRow[] }): Person | undefined {
  return row && asPerson(row);
}

async function findPerson(db: Db, id: string): Promise<Person | undefined> {
  return one(await sql<PersonRow>`select ${personColumns()} from people p where p.id = ${id}`.execute(db));
}

async function createPerson(db: Db, { id, name, email, origin, grants, by, identity }: NewPerson): Promise<Person> {
  const { rows } = await sql`
    insert into people (id, name, email, origin) values (${id}, ${name}, ${email ?? null}, ${origin})
    on conflict (id) do nothing returning 1`.execute(db);
  if (rows.length === 0) throw new AppError('conflict', 'There is a person with this id');
  await addGrants(db, id, grants, by ?? 'engine');
  if (identity !== undefined) await addIdentity(db, id, identity);
  const person = await findPerson(db, id);
  if (person === undefined) throw new AppError('internal', 'The person was not stored');
  return person;
}

async function addIdentity(db: Db, id: string, { issuer, subject }: Identity): Promise<void> {
  await sql`
    insert into person_identities (issuer, subject, person_id) values (${issuer}, ${subject}, ${id})
    on conflict (issuer, subject) do nothing`.execute(db);
  const { rows } = await sql`
    select 1 from person_identities where issuer = ${issuer} and subject = ${subject} and person_id = ${id}`.execute(
    db,
  );
  if (rows.length === 0) throw new AppError('conflict', 'This identity belongs to another person');
}

async function listPeople(db: Db, { scope, limit, cursor }: Parameters<People['list']>[0]) {
  const before = cursor === undefined ? null : parseCursor(cursor);
  const isSeen =
    scope === 'all'
      ? sql`true`
      : sql`exists (select 1 from person_grants g where g.person_id = p.id and ${inScope(scope, sql`g.site`)})`;
  const { rows } = await sql<PersonRow & { position: number }>`
    select ${personColumns(scope)}, p.position from people p
    where ${isSeen} and (${before}::bigint is null or p.position < ${before})
    order by p.position desc limit ${limit + 1}`.execute(db);
  const { page, last } = cutPage(rows, limit);
  return present({ people: page.map(asPerson), next: last && makeCursor(last.position) });
}

async function disablePerson(db: Db, id: string): Promise<boolean> {
  const disabled = await sql`
    update people set disabled_at = coalesce(disabled_at, now()) where id = ${id} returning 1`.execute(db);
  await sql`
    update person_sessions set ended_at = now(), ended_why = 'person-disabled'
    where person_id = ${id} and ended_at is null`.execute(db);
  return disabled.rows.length > 0;
}
