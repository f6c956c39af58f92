// Compares the codes of a diagnosis with the official list of their system or, without a list, with the table of the site. A code that its
// list does not have is not written. A code that only a table lacks is written without a name, and counted. Before that, the code above it is
// tried: the system of a site may be coarser than that of the reasoner.
import type { CodeEntry, CodeTable } from '../mapping/code-table.ts';
import { present } from '../present.ts';
import { type CodeSystem, listedSystem } from './code-system.ts';
import { shorterCodes } from './shorter-codes.ts';

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
  /** How many codes are in the list or, without one, in the table; also those for which the code above them is written. */
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
  const verdicts = [...new Set(codes)].map((code) => verdictOf(knownCode(code, table, official), table, official));
  const count = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
  return {
    ...(official && { list: { system: official.system, version: official.version } }),
    official: count('official'),
    unverified: count('unverified'),
    unknown: count('unknown'),
  };
}

/** Whether the list of the system has neither the code nor one above it, so that none must be written. */
export function isUnknownCode(
  code: string,
  table: CodeTable | undefined,
  official: OfficialCodes | undefined,
): boolean {
  if (table === undefined || official === undefined) return false;
  return verdictOf(knownCode(code, table, official), table, official) === 'unknown';
}

/** The code, or the first above it that the list or the table has. The code itself if they have none of them. */
function knownCode(code: string, table: CodeTable, official: OfficialCodes | undefined): string {
  // Only a whole list can say that a national edition does not have a code. The WHO's has none with more than one character behind the dot.
  const system = official?.system ?? (listedSystem({ table }) === 'icd-10' ? 'icd-10' : undefined);
  const isKnown = (one: string) => verdictOf(one, table, official) === 'official';
  return [code, ...shorterCodes(code, system)].find(isKnown) ?? code;
}

type Verdict = 'official' | 'unverified' | 'unknown';

function verdictOf(code: string, table: CodeTable, official: OfficialCodes | undefined): Verdict {
  const entry = entryOf(table, code);
  if (isOfSite(entry, code)) return 'official';
  if (official === undefined) return entry === undefined ? 'unverified' : 'official';
  return Object.hasOwn(official.displays, code) ? 'official' : 'unknown';
}

/**
 * The table with the names and the version of the list, if there is one, and for these codes with the codes above them that are written in
 * their place. What the site has mapped to another code or system stays as it is.
 */
export function tableFor({ codes, table, official }: CodesToCheck & { readonly table: CodeTable }): CodeTable {
  const added: Record<string, CodeEntry> = Object.create(null);
  for (const [code, display] of Object.entries(official?.displays ?? {})) {
    if (!isOfSite(entryOf(table, code), code))
      added[code] = { code, display, ...present({ version: official?.version }) };
  }
  for (const code of codes) {
    const known = knownCode(code, table, official);
    const entry = added[known] ?? entryOf(table, known);
    if (entry !== undefined && known !== code) added[code] = entry;
  }
  // The table of a site is large, and mostly has all that is needed.
  if (Object.keys(added).length === 0) return table;
  return { ...table, codes: Object.assign(Object.create(null), table.codes, added) };
}

function entryOf({ codes }: CodeTable, code: string): CodeEntry | undefined {
  return Object.hasOwn(codes, code) ? codes[code] : undefined;
}

/** The entry says something else than the official name of the code. */
function isOfSite(entry: CodeEntry | undefined, code: string): boolean {
  return entry !== undefined && (entry.code !== code || entry.system !== undefined);
}
