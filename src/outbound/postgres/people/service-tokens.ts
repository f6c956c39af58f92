// Tokens for scripts, in PostgreSQL.
import { type Selectable, sql } from 'kysely';
import type { ServiceToken, ServiceTokens } from '../../../ports/service-tokens.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { ServiceTokensTable } from '../schema-people.ts';
import { withoutNulls } from '../without-nulls.ts';

type TokenRow = Selectable<ServiceTokensTable>;

export function makePostgresServiceTokens({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): ServiceTokens {
  return guardedMethods<ServiceTokens>({
    async create({ id, label, grants, purpose, madeBy, expiresAt, secretDigest }) {
      const row = await db
        .insertInto('service_tokens')
        .values({
          id,
          label,
          grants: JSON.stringify(grants),
          purpose: purpose ?? null,
          secret_digest: Buffer.from(secretDigest),
          made_by: madeBy,
          expires_at: expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return asToken(row);
    },

    async find(id) {
      const row = await db.selectFrom('service_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      return row && { ...asToken(row), secretDigest: new Uint8Array(row.secret_digest) };
    },

    async list(scope) {
      const all = db.selectFrom('service_tokens').selectAll().orderBy('position', 'desc');
      const own = sql<boolean>`exists (select 1 from jsonb_array_elements(grants) g where g->>'site' = any(${scope === 'all' ? [] : [...scope]}::text[]))`;
      const rows = await (scope === 'all' ? all : all.where(own)).execute();
      return rows.map(asToken);
    },

    async revoke(id) {
      const revoked = await db
        .updateTable('service_tokens')
        .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
        .where('id', '=', id)
        .executeTakeFirst();
      return revoked.numUpdatedRows > 0n;
    },

    async noteUse(id) {
      // A busy token is not written at each request.
      await sql`
        update service_tokens set last_used_at = now()
        where id = ${id} and (last_used_at is null or last_used_at < now() - interval '30 seconds')`.execute(db);
    },
  });
}

function asToken(row: TokenRow): ServiceToken {
  const { id, label, grants, purpose, made_by, created_at, expires_at, revoked_at, last_used_at } = row;
  const times = { createdAt: created_at, expiresAt: expires_at, revokedAt: revoked_at, lastUsedAt: last_used_at };
  return withoutNulls({ id, label, grants, purpose, madeBy: made_by, ...times });
}
