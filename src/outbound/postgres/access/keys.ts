// The API keys, in PostgreSQL. They expire by the database's clock, which is the same for all engines.
import { type Selectable, sql } from 'kysely';
import type { ApiKey } from '../../../domain/access/api-key.ts';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { Keys, NewKey, StoredKey } from '../../../ports/keys.ts';
import type { Database } from '../database.ts';
import { errorCode, guardedMethods, UNIQUE_VIOLATION } from '../errors.ts';
import { cutPage, makeCursor, parseCursor } from '../position-cursor.ts';
import type { ApiKeysTable } from '../schema.ts';
import { withoutNulls } from '../without-nulls.ts';

const FOREIGN_KEY_VIOLATION = '23503';

type KeyRow = Selectable<ApiKeysTable>;

export function makePostgresKeys({ database }: { readonly database: Database }): Keys {
  const { db } = database;
  return guardedMethods({
    create: (key) => createKey(database, key),
    async find(id) {
      const row = await keyQuery(database, id).executeTakeFirst();
      return row && toStoredKey(row);
    },
    list: (page) => listKeys(database, page),
    rotate: (id, successor, overlapEndsAt) => rotateKey(database, id, successor, overlapEndsAt),
    async revoke(id) {
      const revoked = await db
        .updateTable('api_keys')
        .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
        .where('id', '=', id)
        .executeTakeFirst();
      return revoked.numUpdatedRows > 0n;
    },
    findEnded: (ids) => findEnded(database, ids),
    async noteUse(id) {
      // A busy key is not written at each request: the operator needs the minute, not the second.
      await db
        .updateTable('api_keys')
        .set({ last_used_at: sql<Date>`now()` })
        .where('id', '=', id)
        .where(sql<boolean>`(last_used_at is null or last_used_at < now() - interval '30 seconds')`)
        .execute();
    },
  });
}

/** Called at each request. */
export function keyQuery({ db }: Pick<Database, 'db'>, id: string) {
  return db.selectFrom('api_keys').selectAll().where('id', '=', id);
}

async function createKey({ db }: Pick<Database, 'db'>, key: NewKey): Promise<ApiKey> {
  try {
    const row = await db
      .insertInto('api_keys')
      .values({
        id: key.id,
        secret_digest: Buffer.from(key.secretDigest),
        organization: key.organization,
        plan: key.plan,
        label: key.label ?? null,
        expires_at: key.expiresAt ?? null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toApiKey(row);
  } catch (cause) {
    if (errorCode(cause) === FOREIGN_KEY_VIOLATION) throw new AppError('notFound', 'There is no such plan', { cause });
    if (errorCode(cause) === UNIQUE_VIOLATION) throw new AppError('conflict', 'There is a key with this id', { cause });
    throw cause;
  }
}

async function listKeys({ db }: Database, page: Parameters<Keys['list']>[0]): ReturnType<Keys['list']> {
  const before = page.cursor === undefined ? undefined : parseCursor(page.cursor);
  const rows = await db
    .selectFrom('api_keys')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('position', '<', before ?? 0))
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { page: shown, last } = cutPage(rows, page.limit);
  return present({ keys: shown.map(toApiKey), next: last && makeCursor(last.position) });
}

async function rotateKey(
  { db }: Database,
  id: string,
  successor: Pick<NewKey, 'id' | 'secretDigest'>,
  overlapEndsAt: Date,
): Promise<ApiKey> {
  return db.transaction().execute(async (transaction) => {
    const old = await transaction
      .selectFrom('api_keys')
      .select(['organization', 'plan', 'label', sql<boolean>`${isEnded}`.as('is_ended')])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!old) throw new AppError('notFound', 'There is no such key');
    if (old.is_ended) throw new AppError('conflict', 'The key is revoked or expired already');
    await transaction
      .updateTable('api_keys')
      .set({ expires_at: sql<Date>`least(expires_at, ${overlapEndsAt}::timestamptz)` })
      .where('id', '=', id)
      .execute();
    const { organization, plan, label } = old;
    return createKey({ db: transaction }, withoutNulls({ ...successor, organization, plan, label }));
  });
}

const isEnded = sql<boolean>`(revoked_at is not null or coalesce(expires_at <= now(), false))`;

async function findEnded(database: Database, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const good = await goodKeysQuery(database, ids).execute();
  const goodIds = new Set(good.map((row) => row.id));
  return ids.filter((id) => !goodIds.has(id));
}

/** Called every few seconds for the keys of all open streams. */
export function goodKeysQuery({ db }: Pick<Database, 'db'>, ids: readonly string[]) {
  return db
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .where(sql<boolean>`not ${isEnded}`);
}

function toApiKey({ id, organization, plan, label, ...row }: KeyRow): ApiKey {
  const times = { createdAt: row.created_at, expiresAt: row.expires_at, revokedAt: row.revoked_at };
  return withoutNulls({ id, organization, plan, label, ...times, lastUsedAt: row.last_used_at });
}

function toStoredKey(row: KeyRow): StoredKey {
  return { ...toApiKey(row), secretDigest: new Uint8Array(row.secret_digest) };
}
