// `codes/<name>.yaml`: from the words of the hospital to the codes of a code system. A doubtful entry is reported with its place,
// because a wrong code in a chart looks as good as a right one.
import type { CodeEntry, CodeTable } from '../domain/mapping/code-table.ts';
import type { Problem } from '../domain/mapping/mapping.ts';
import type { SourceEntry, SourceMap, SourceNode } from './source/source-tree.ts';
import { didYouMean } from './suggest.ts';

const TABLE_KEYS = ['system', 'unmapped', 'codes'];
const ENTRY_KEYS = ['code', 'display', 'system'];
const UNMAPPED = ['report', 'keep', 'ignore'] as const;
const ENTRY_FORM = 'write { code: "…", display: … }, or none where there is no code';

/** FHIR's `code`: no blanks around it, and never two together. */
const CODE = /^\S+( \S+)*$/;
const SYSTEM = /^[a-z][a-z0-9+.-]*:\S+$/i;

type Report = (node: Pick<SourceNode, 'place'>, message: string) => undefined;

/** The table of `codes/note-types.yaml` is `noteTypes`. */
export function tableName(file: string): string {
  const stem = file.slice(file.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  return stem.replace(/-+(.)/g, (_, letter: string) => letter.toUpperCase());
}

type CodeTableSource = {
  readonly file: string;
  readonly root: SourceNode;
  /** The table of the same name that this one extends: missing keys are taken from it. */
  readonly inherited?: CodeTable | undefined;
};

/** Returns the table only if it has no problem. */
export function parseCodeTable({ file, root, inherited }: CodeTableSource): {
  readonly table?: CodeTable;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const report: Report = ({ place }, message) => void problems.push({ place, message });
  const table = readTable(root, { name: tableName(file), unmapped: 'report', codes: {}, ...inherited }, report);
  return { ...(table && problems.length === 0 && { table }), problems };
}

function readTable(root: SourceNode, inherited: CodeTable, report: Report): CodeTable | undefined {
  if (root.kind !== 'map') return report(root, 'a table of codes has the keys system, unmapped and codes');
  reportUnknownKeys(root, TABLE_KEYS, report);
  const unmapped = readUnmapped(root, report) ?? inherited.unmapped;
  const system = readSystem(root, report) ?? inherited.system;
  const hasSystem = saidValue(root, 'system') !== undefined || inherited.system !== undefined;
  if (unmapped === 'keep' && !hasSystem) {
    report(root, 'unmapped: keep needs a system: it is that of the codes that are kept');
  }
  const codesNode = saidValue(root, 'codes');
  if (codesNode === undefined) return report(root, 'codes is missing; write {} where the table has none');
  if (codesNode.kind !== 'map') return report(codesNode, 'codes is a group of names, each with a code or none');
  const codes = inheritedCodes(inherited, system);
  for (const entry of codesNode.entries) {
    const read = readEntry(entry, hasSystem, report);
    if (read !== undefined) codes[entry.key] = read;
  }
  return { name: inherited.name, unmapped, codes, ...(system !== undefined && { system }) };
}

/** An inherited code keeps its code system, also if the new table is for another one. */
function inheritedCodes(inherited: CodeTable, system: string | undefined): Record<string, CodeEntry> {
  const codes: Record<string, CodeEntry> = Object.create(null);
  for (const [key, entry] of Object.entries(inherited.codes)) {
    const isElsewhere = entry.code !== undefined && inherited.system !== undefined && inherited.system !== system;
    codes[key] = isElsewhere ? { system: inherited.system, ...entry } : entry;
  }
  return codes;
}

function readUnmapped(root: SourceMap, report: Report): CodeTable['unmapped'] | undefined {
  const node = saidValue(root, 'unmapped');
  if (node === undefined) return undefined;
  const given = node.kind === 'scalar' ? String(node.value) : '';
  const found = UNMAPPED.find((one) => one === given);
  if (found === undefined) report(node, `unmapped is one of ${UNMAPPED.join(', ')}${didYouMean(given, UNMAPPED)}`);
  return found;
}

function readEntry({ key, value }: SourceEntry, hasTableSystem: boolean, report: Report): CodeEntry | undefined {
  const isNone = value.kind === 'map' ? value.entries.length === 0 : value.kind === 'scalar' && value.value === 'none';
  if (isNone) return {};
  if (value.kind !== 'map') return report(value, `${key}: ${ENTRY_FORM}`);
  reportUnknownKeys(value, ENTRY_KEYS, report);
  const codeNode = saidValue(value, 'code');
  if (codeNode === undefined) return report(value, `${key} has no code; ${ENTRY_FORM}`);
  const code = readText(codeNode, 'the code', report);
  if (code !== undefined && !CODE.test(code)) report(codeNode, 'a code has no blanks around it, and no two together');
  const displayNode = saidValue(value, 'display');
  const display = displayNode && readText(displayNode, 'the display', report);
  const system = readSystem(value, report);
  if (!hasTableSystem && saidValue(value, 'system') === undefined) {
    report(value, `${key} has a code and no system; write system: here, or above codes for all of them`);
  }
  if (code === undefined) return undefined;
  return { code, ...(system !== undefined && { system }), ...(display !== undefined && { display }) };
}

function readSystem(node: SourceMap, report: Report): string | undefined {
  const systemNode = saidValue(node, 'system');
  if (systemNode === undefined) return undefined;
  const system = readText(systemNode, 'the system', report);
  if (system === undefined || SYSTEM.test(system)) return system;
  return report(systemNode, 'a system is a URI, as in http://loinc.org or urn:oid:1.2.3');
}

/** YAML reads 8716, 4e5 and true as no texts. */
function readText(node: SourceNode, what: string, report: Report): string | undefined {
  if (node.kind !== 'scalar' || node.value === null) return report(node, `${what} is a text`);
  if (typeof node.value !== 'string') return report(node, `write ${what} in quotes`);
  return node.value.trim() === '' ? report(node, `${what} is empty`) : node.value;
}

/** A key without a value counts as absent. */
function saidValue(node: SourceMap, key: string): SourceNode | undefined {
  const value = node.entries.find((entry) => entry.key === key)?.value;
  return value?.kind === 'scalar' && value.value === null ? undefined : value;
}

function reportUnknownKeys(node: SourceMap, known: readonly string[], report: Report): void {
  for (const { key, keyPlace } of node.entries) {
    if (!known.includes(key)) report({ place: keyPlace }, `${key} is not known here${didYouMean(key, known)}`);
  }
}
