// The official lists of codes, in PostgreSQL. A lookup is one read by primary key and always sees the newest list.
import { type Selectable, sql, type Transaction } from 'kysely';
import { CODE_SYSTEMS, type CodeSystem } from '../../../domain/coding/code-system.ts';
import type { OfficialCode } from '../../../domain/coding/official-codes.ts';
import { AppError } from '../../../domain/errors.ts';
import type { CodeList, CodeLists, NewCodeList } from '../../../ports/codes.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Schema } from '../schema.ts';
import type { CodeListsTable } from '../schema-codes.ts';

/** Any number that no other advisory lock of this database has. */
const IMPORT_LOCK = 7_316_042_511;

export function makePostgresCodeLists({ database }: { readonly database: Database }): CodeLists {
  const { db } = database;
  return guardedMethods({
    async list() {
      const rows = await db.selectFrom('code_lists').selectAll().orderBy(sql`system collate "C"`).execute();
      return rows.map(asList);
    },
    replace: (list) => replaceList(database, list),
    async find(system, codes) {
      const rows = await officialCodesQuery(database, system, codes).execute();
      const [first] = rows;
      if (first === undefined) return undefined;
      const named = rows.flatMap(({ code, display }) => (code === null || display === null ? [] : [[code, display]]));
      return { system, version: first.version, displays: Object.fromEntries(named) };
    },
    async displays(codes) {
      const rows = await displaysQuery(database, codes).execute();
      const byCode = Map.groupBy(rows, ({ code }) => code);
      return new Map([...byCode].map(([code, found]) => [code, found.map(({ display }) => display)]));
    },
  });
}

/** Called once for each mapping of a diagnosis. The list and its codes come from one snapshot. */
export function officialCodesQuery({ db }: Pick<Database, 'db'>, system: CodeSystem, codes: readonly string[]) {
  return db
    .selectFrom('code_lists')
    .leftJoin('official_codes', (join) =>
      join
        .onRef('official_codes.system', '=', 'code_lists.system')
        .on('official_codes.code', '=', sql<string>`any(${[...codes]}::text[])`),
    )
    .select(['version', 'code', 'display'])
    .where('code_lists.system', '=', system)
    .orderBy(sql`code collate "C"`);
}

/** Called once for each diagnosis. The systems are named so that the primary key is used. */
export function displaysQuery({ db }: Pick<Database, 'db'>, codes: readonly string[]) {
  return db
    .selectFrom('official_codes')
    .select(['code', 'display'])
    .where('system', 'in', CODE_SYSTEMS)
    .where('code', '=', sql<string>`any(${[...codes]}::text[])`)
    .orderBy(sql`system collate "C"`);
}

/**
 * The beginning of the list is read before the transaction: what arrives slowly must not hold it open longer than needed. Readers see the
 * old list until the end.
 */
async function replaceList({ db }: Database, { system, batches }: NewCodeList): Promise<CodeList> {
  try {
    let next = await batches.next();
    return await db.transaction().execute(async (transaction) => {
      await lockImports(transaction);
      await transaction.deleteFrom('official_codes').where('system', '=', system).execute();
      let [count, categories] = [0, 0];
      for (; next.done !== true; next = await batches.next()) {
        await insertCodes(transaction, system, next.value);
        count += next.value.length;
        categories += next.value.filter(({ isBillable }) => isBillable === false).length;
      }
      return insertList(transaction, { system, ...next.value, count, categories });
    });
  } finally {
    await batches.return(undefined as never);
  }
}

async function lockImports(transaction: Transaction<Schema>): Promise<void> {
  const { rows } = await sql<{ ok: boolean }>`select pg_try_advisory_xact_lock(${IMPORT_LOCK}) as ok`.execute(
    transaction,
  );
  if (rows[0]?.ok === true) return;
  throw new AppError('inUse', 'Another engine imports a list at the moment: try again when it is done');
}

async function insertCodes(
  transaction: Transaction<Schema>,
  system: CodeSystem,
  codes: readonly OfficialCode[],
): Promise<void> {
  await sql`
    insert into official_codes (system, code, display, is_billable)
    select ${system}, * from unnest(
      ${codes.map(({ code }) => code)}::text[],
      ${codes.map(({ display }) => display)}::text[],
      ${codes.map(({ isBillable }) => isBillable ?? null)}::boolean[])`.execute(transaction);
}

async function insertList(transaction: Transaction<Schema>, list: Omit<CodeList, 'importedAt'>): Promise<CodeList> {
  const values = { ...list, imported_at: sql<Date>`clock_timestamp()` };
  const row = await transaction
    .insertInto('code_lists')
    .values(values)
    .onConflict((conflict) => conflict.column('system').doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
  return asList(row);
}

function asList({ system, imported_at: importedAt, ...list }: Selectable<CodeListsTable>): CodeList {
  return { ...list, system: system as CodeSystem, importedAt };
}
