// The scope of a caller as a condition of a statement, so that a row of another site is never read. Each table has its site in the column `site`.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RunScope, SiteScope } from '../../domain/people/role.ts';

/** `table`: the name of the table in the statement, if it has several. */
export function ofSites(scope: SiteScope, table?: string): RawBuilder<SqlBool> {
  if (scope === 'all') return sql<SqlBool>`true`;
  const column = sql.ref(table === undefined ? 'site' : `${table}.site`);
  const [only] = scope;
  // For one site, the usual case, an index by site and time gives the rows in order.
  if (only !== undefined && scope.length === 1) return sql<SqlBool>`${column} = ${only}`;
  return sql<SqlBool>`${column} = any(${[...scope]}::text[])`;
}

export function ofRunScope(scope: RunScope, table?: string): RawBuilder<SqlBool> {
  if (scope === 'all') return sql<SqlBool>`true`;
  const sites = ofSites(scope.sites, table);
  if (scope.encounter === undefined) return sites;
  return sql<SqlBool>`${sites} and ${sql.ref(table === undefined ? 'encounter' : `${table}.encounter`)} = ${scope.encounter}`;
}
