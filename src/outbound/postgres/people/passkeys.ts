// The passkeys of people without an identity provider, in PostgreSQL.
import { type Kysely, type Selectable, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { LocalAccounts, Passkey } from '../../../ports/local-accounts.ts';
import type { Schema } from '../schema.ts';
import type { PersonPasskeysTable } from '../schema-people.ts';
import { withoutNulls } from '../without-nulls.ts';

type PasskeyMethods = Pick<
  LocalAccounts,
  'addPasskey' | 'findPasskey' | 'passkeysOf' | 'removePasskey' | 'notePasskeyUse'
>;

export function makePasskeys(db: Kysely<Schema>): PasskeyMethods {
  return {
    async addPasskey({ id, person, publicKey, counter, transports, label }) {
      const key = Buffer.from(publicKey).toString('base64url');
      const { rows } = await sql`
        insert into person_passkeys (id, person_id, public_key, counter, transports, label)
        values (${id}, ${person}, ${key}, ${counter}, ${[...transports]}::text[], ${label})
        on conflict (id) do nothing returning 1`.execute(db);
      if (rows.length === 0) throw new AppError('conflict', 'This passkey is registered already');
    },

    async findPasskey(id) {
      const row = await db.selectFrom('person_passkeys').selectAll().where('id', '=', id).executeTakeFirst();
      return row && asPasskey(row);
    },

    async passkeysOf(person) {
      const query = db.selectFrom('person_passkeys').selectAll().where('person_id', '=', person);
      return (await query.orderBy('created_at').orderBy('id').execute()).map(asPasskey);
    },

    async removePasskey(person, id) {
      const removed = await db
        .deleteFrom('person_passkeys')
        .where('id', '=', id)
        .where('person_id', '=', person)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },

    async notePasskeyUse(id, counter) {
      const { rows } = await sql`
        update person_passkeys set counter = ${counter}, last_used_at = now()
        where id = ${id} and (counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0)) returning 1`.execute(
        db,
      );
      return rows.length > 0;
    },
  };
}

function asPasskey(row: Selectable<PersonPasskeysTable>): Passkey {
  const { id, person_id: person, public_key, counter, transports, label, created_at, last_used_at } = row;
  const publicKey = new Uint8Array(Buffer.from(public_key, 'base64url'));
  const times = { createdAt: created_at, lastUsedAt: last_used_at };
  return withoutNulls({ id, person, publicKey, counter, transports, label, ...times });
}
