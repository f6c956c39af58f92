// The clinicians who may decide in the engine, in PostgreSQL.
import { type Selectable, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { SiteScope } from '../../../domain/people/role.ts';
import type { Reviewer, Reviewers } from '../../../ports/reviewers.ts';
import type { Database } from '../database.ts';
import { errorCode, guardedMethods, UNIQUE_VIOLATION } from '../errors.ts';
import type { ReviewersTable } from '../schema-watch.ts';
import { ofSites } from '../scope-conditions.ts';
import { withoutNulls } from '../without-nulls.ts';

type ReviewerRow = Selectable<ReviewersTable>;

export function makePostgresReviewers({ database }: { readonly database: Database }): Reviewers {
  const { db } = database;
  return guardedMethods({
    create: (reviewer) => createReviewer(database, reviewer),
    async find(id, scope) {
      const row = await reviewerQuery(database, id, scope).executeTakeFirst();
      return row && { ...asReviewer(row), secretDigest: new Uint8Array(row.secret_digest) };
    },
    async list(scope) {
      const rows = await db
        .selectFrom('reviewers')
        .selectAll()
        .where(ofSites(scope))
        .orderBy('position', 'desc')
        .execute();
      return rows.map(asReviewer);
    },
    async revoke(id) {
      const revoked = await db
        .updateTable('reviewers')
        .set({ revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` })
        .where('id', '=', id)
        .executeTakeFirst();
      return revoked.numUpdatedRows > 0n;
    },
  });
}

/** Called at each request of a reviewer. */
export function reviewerQuery({ db }: Pick<Database, 'db'>, id: string, scope: SiteScope) {
  return db.selectFrom('reviewers').selectAll().where('id', '=', id).where(ofSites(scope));
}

async function createReviewer(
  { db }: Database,
  { id, site, practitioner, name, secretDigest }: Parameters<Reviewers['create']>[0],
): Promise<Reviewer> {
  try {
    const row = await db
      .insertInto('reviewers')
      .values({
        id,
        site,
        practitioner,
        name,
        secret_digest: Buffer.from(secretDigest),
        created_at: sql<Date>`clock_timestamp()`,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return asReviewer(row);
  } catch (cause) {
    if (errorCode(cause) !== UNIQUE_VIOLATION) throw cause;
    throw new AppError('conflict', 'There is a reviewer with this id', { cause });
  }
}

function asReviewer({ id, site, practitioner, name, created_at, revoked_at }: ReviewerRow): Reviewer {
  return withoutNulls({ id, site, practitioner, name, createdAt: created_at, revokedAt: revoked_at });
}
