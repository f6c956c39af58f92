// The tables of official codes as the code sees them. The migration that makes a column documents it.
import type { ColumnType } from 'kysely';

export type CodeListsTable = {
  system: string;
  version: string;
  count: number;
  categories: number;
  sha256: string;
  imported_at: ColumnType<Date, Date, Date>;
};

export type OfficialCodesTable = { system: string; code: string; display: string; is_billable: boolean | null };

export type CodeTables = { code_lists: CodeListsTable; official_codes: OfficialCodesTable };
