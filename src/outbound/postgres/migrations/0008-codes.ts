// The official lists of codes that operators import. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // categories: how many codes of the list are no billable codes, as far as the file said it. sha256: of the file.
  sql`
  create table code_lists (
    system text primary key,
    version text not null,
    count integer not null check (count > 0),
    categories integer not null check (categories >= 0),
    sha256 text not null,
    imported_at timestamptz not null
  )`,
  sql`
  create table official_codes (
    system text not null,
    code text not null,
    display text not null,
    is_billable boolean,
    primary key (system, code)
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
