// Compares the codes of a diagnosis with the official list of their system or, without a list, with the table of the site. A code that its
// list does not have is not written. A code that only a table lacks is written without a name, and counted.
import type { CodeEntry, CodeTable } from '../mapping/code-table.ts';
import type { CodeSystem } from './code-system.ts';

export type OfficialCode = {
  /** With its dot: `J18.9`. */
  readonly code: string;
  /** The official name. */
  readonly display: string;
  /** False for a category above billable codes. Undefined if the list does not say it. */
  readonly isBillable?: boolean;
};

/** What the list of a system says about the codes of one diagnosis. */
export type OfficialCodes = {
  readonly system: CodeSystem;
  readonly version: string;
  /** The official names of the codes that the list has. */
  readonly displays: Readonly<Record<string, string>>;
};

/** The official names of each code; several if several lists have it. */
export type OfficialNames = ReadonlyMap<string, readonly string[]>;

export type CodeCheck = {
  /** The list that was used. Absent if there is none: the site's table was used. */
  readonly list?: { readonly system: CodeSystem; readonly version: string };
  /** How many codes are in the list or, without one, in the table. */
  readonly official: number;
  /** Without a list: how many codes the table does not have. They are written without a name. */
  readonly unverified: number;
  /** How many codes the list does not have. They are not written. */
  readonly unknown: number;
};

type CodesToCheck = {
  /** Without the codes of diseases that have none. */
  readonly codes: readonly string[];
  readonly table: CodeTable | undefined;
  readonly official: OfficialCodes | undefined;
};

/** Undefined if the site writes no codes of diseases. */
export function checkCodes({ codes, table, official }: CodesToCheck): CodeCheck | undefined {
  if (table === undefined || table.unmapped === 'ignore') return undefined;
  const verdicts = [...new Set(codes)].map((code) => verdictOf(code, table, official));
  const count = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
  return {
    ...(official && { list: { system: official.system, version: official.version } }),
    official: count('official'),
    unverified: count('unverified'),
    unknown: count('unknown'),
  };
}

/** Whether the list of the system does not have the code, so that it must not be written. */
export function isUnknownCode(
  code: string,
  table: CodeTable | undefined,
  official: OfficialCodes | undefined,
): boolean {
  return table !== undefined && official !== undefined && verdictOf(code, table, official) === 'unknown';
}

type Verdict = 'official' | 'unverified' | 'unknown';

function verdictOf(code: string, table: CodeTable, official: OfficialCodes | undefined): Verdict {
  const entry = entryOf(table, code);
  if (isOfSite(entry, code)) return 'official';
  if (official === undefined) return entry === undefined ? 'unverified' : 'official';
  return Object.hasOwn(official.displays, code) ? 'official' : 'unknown';
}

/** The table with the names and the version of the list. What the site has mapped to another code or system stays as it is. */
export function withOfficialCodes(table: CodeTable, official: OfficialCodes): CodeTable {
  const { displays, version } = official;
  const codes: Record<string, CodeEntry> = Object.assign(Object.create(null), table.codes);
  for (const [code, display] of Object.entries(displays)) {
    if (!isOfSite(entryOf(table, code), code)) codes[code] = { code, display, version };
  }
  return { ...table, codes };
}

function entryOf({ codes }: CodeTable, code: string): CodeEntry | undefined {
  return Object.hasOwn(codes, code) ? codes[code] : undefined;
}

/** The entry says something else than the official name of the code. */
function isOfSite(entry: CodeEntry | undefined, code: string): boolean {
  return entry !== undefined && (entry.code !== code || entry.system !== undefined);
}
