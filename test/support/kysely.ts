// A query builder for a database in any state of its migrations.
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

export function emptyKysely(connectionString: string): Kysely<unknown> {
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString, max: 1 }) }) });
}
