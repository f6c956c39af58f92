// How people without an identity provider prove who they are, in PostgreSQL: the links, the passwords and the second factors.
import { sql } from 'kysely';
import type { LocalAccounts } from '../../../ports/local-accounts.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import { makePasskeys } from './passkeys.ts';

type AccountParts = { readonly database: Pick<Database, 'db'>; readonly secrets: Secrets };

const KEPT_DAYS = 1;
const IS_GOOD = sql`
  l.used_at is null and l.expires_at > now()
  and exists (select 1 from people p where p.id = l.person_id and p.disabled_at is null)`;

export function makePostgresLocalAccounts({ database, secrets }: AccountParts): LocalAccounts {
  const { db } = database;
  const sealing = secrets.sealing('second-factors');
  return guardedMethods<LocalAccounts>({
    addLink: ({ digest, person, madeBy, expiresAt }) =>
      db.transaction().execute(async (transaction) => {
        // The lock keeps another new link of this person waiting, which then ends this one.
        await sql`select 1 from people where id = ${person} for no key update`.execute(transaction);
        await sql`delete from sign_in_links where person_id = ${person}`.execute(transaction);
        await sql`
          insert into sign_in_links (digest, person_id, made_by, expires_at)
          values (${Buffer.from(digest)}, ${person}, ${madeBy}, ${expiresAt})`.execute(transaction);
      }),

    async findLink(digest) {
      const { rows } = await sql<{ person: string }>`
        select l.person_id as person from sign_in_links l where l.digest = ${Buffer.from(digest)} and ${IS_GOOD}`.execute(
        db,
      );
      return rows[0];
    },

    async useLink(digest) {
      const { rows } = await sql<{ person: string }>`
        update sign_in_links l set used_at = now() where l.digest = ${Buffer.from(digest)} and ${IS_GOOD}
        returning l.person_id as person`.execute(db);
      return rows[0];
    },

    ...makePasskeys(db),

    async setPassword(person, hash) {
      await sql`
        insert into person_passwords (person_id, hash) values (${person}, ${hash})
        on conflict (person_id) do update set hash = excluded.hash, changed_at = now()`.execute(db);
    },

    async passwordOf(person) {
      const query = db.selectFrom('person_passwords').select('hash').where('person_id', '=', person);
      return (await query.executeTakeFirst())?.hash;
    },

    async setSecondFactor(person, secret) {
      const sealed = sealWhole(sealing, Buffer.from(secret).toString('base64'), factorContext(person));
      await sql`
        insert into person_second_factors (person_id, secret) values (${person}, ${sealed})
        on conflict (person_id) do update set secret = excluded.secret, is_confirmed = false, last_step = 0`.execute(
        db,
      );
    },

    async secondFactorOf(person) {
      const query = db.selectFrom('person_second_factors').selectAll().where('person_id', '=', person);
      const row = await query.executeTakeFirst();
      if (row === undefined) return undefined;
      const secret = new Uint8Array(Buffer.from(openWhole(sealing, row.secret, factorContext(person)), 'base64'));
      return { secret, isConfirmed: row.is_confirmed, lastStep: row.last_step };
    },

    async useStep(person, step) {
      const { rows } = await sql`
        update person_second_factors set is_confirmed = true, last_step = ${step}
        where person_id = ${person} and last_step < ${step} returning 1`.execute(db);
      return rows.length > 0;
    },

    async sweep() {
      await sql`
        delete from sign_in_links where expires_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(db);
    },
  });
}

export function factorContext(person: string): readonly string[] {
  return ['second-factor', person];
}
