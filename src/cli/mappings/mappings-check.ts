// The command `mappings check` lists the content of each folder, and every mistake in the files with its place.
import { LIKELY_CONDITIONS } from '../../domain/chart/likely-conditions.ts';
import { describeProblem, type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import { findActiveCandidates } from '../../flows/chart-writing/find-active-candidates.ts';
import type { Folder } from '../../outbound/files/mapping-folders.ts';
import { CliError } from '../shared/cli-error.ts';
import { json } from '../shared/command-parts.ts';
import { renderTable } from '../shared/tables.ts';
import { chooseFolders, count, problemLines, readMappings } from './mappings-folders.ts';
import { listCases } from './mappings-golden.ts';
import type { MappingsParts } from './mappings-parts.ts';

type CheckParts = MappingsParts & { readonly site: string | undefined };

/** The content of one folder. */
type FolderReport = {
  readonly folder: string;
  readonly kind: Folder['kind'];
  /** The folders that it inherits from, nearest first. */
  readonly inheritsFrom: readonly string[];
  readonly documents: { readonly own: readonly string[]; readonly inherited: readonly string[] };
  /** Code tables, including inherited ones. */
  readonly codes: readonly string[];
  readonly tests: number;
  readonly problems: number;
};

/** Throws a CliError with all problems, if there are any. */
export async function checkMappings({ print, wantsJson, ...parts }: CheckParts): Promise<void> {
  const read = await readMappings(parts);
  const folders = chooseFolders(read, parts);
  const problems =
    parts.site === undefined ? read.problems : sortProblems(folders.flatMap((folder) => folder.problems));
  const reports = await Promise.all(folders.map((folder) => describeFolder(folder, parts.directory)));
  const warnings = findWarnings(folders);
  if (wantsJson()) {
    print(json({ folders: reports, problems: problems.map(flatProblem), warnings: warnings.map(flatProblem) }));
  } else {
    print(renderReports(reports));
    if (parts.site !== undefined) print(renderDocuments(folders) + folders.map(renderSettings).join(''));
    print(warnings.map((warning) => `\nWarning: ${describeProblem(warning)}\n`).join(''));
  }
  const checked = count(folders.length, 'folder');
  if (problems.length > 0) {
    throw new CliError(`${problemLines(problems)}\n\n${count(problems.length, 'problem')} in ${checked}`);
  }
  if (!wantsJson()) print(`\nNo problems in ${checked}.\n`);
}

/** What a site may do, and should not without a reason. A warning of an inherited file is reported once. */
function findWarnings(folders: readonly Folder[]): readonly Problem[] {
  const all = folders.flatMap(({ site, warnings }) => [...warnings, ...(site ? findActiveCandidates(site) : [])]);
  return [...new Map(all.map((warning) => [describeProblem(warning), warning])).values()];
}

async function describeFolder(folder: Folder, directory: string): Promise<FolderReport> {
  const { name, kind, site, ownDocuments, inheritedFrom, problems } = folder;
  const documents = [...(site?.mappings.keys() ?? ownDocuments)];
  return {
    folder: name,
    kind,
    inheritsFrom: inheritedFrom,
    documents: {
      own: ownDocuments,
      inherited: documents.filter((document) => !ownDocuments.includes(document)),
    },
    codes: Object.keys(site?.codes ?? {}),
    tests: (await listCases({ directory, folder: name })).length,
    problems: problems.length,
  };
}

function flatProblem({ place, message }: Problem): Readonly<Record<string, unknown>> {
  return { ...place, message };
}

function renderReports(reports: readonly FolderReport[]): string {
  return renderTable(reports, {
    FOLDER: (row) => row.folder,
    KIND: (row) => row.kind,
    'INHERITS FROM': (row) => row.inheritsFrom.join(', '),
    'OWN DOCUMENTS': (row) => row.documents.own.length,
    // The inherited content of a folder is unknown if it cannot be loaded.
    INHERITED: (row) => (row.problems > 0 ? undefined : row.documents.inherited.length),
    CODES: (row) => (row.problems > 0 ? undefined : row.codes.length),
    'GOLDEN TESTS': (row) => row.tests,
    STATE: (row) => (row.problems > 0 ? count(row.problems, 'problem') : 'good'),
  });
}

/** Which file makes which document, and which setting writes it. */
function renderDocuments(folders: readonly Folder[]): string {
  const rows = folders.flatMap(({ site }) =>
    [...(site?.mappings ?? [])].map(([document, { file }]) => ({
      document,
      written: site ? whenWritten(document, site.settings) : '',
      file,
    })),
  );
  if (rows.length === 0) return '';
  const table = renderTable(rows, {
    DOCUMENT: (row) => row.document,
    WRITTEN: (row) => row.written,
    'MADE BY': (row) => row.file,
  });
  return `\n${table}`;
}

/** The settings that decide whether something is written, which Conditions, and with which codes. */
function renderSettings({ site }: Folder): string {
  if (site === undefined) return '';
  const { mode, region, codes, write } = site.settings;
  const rows = [
    { name: 'mode', value: mode },
    { name: 'conditions', value: conditionWords(write) },
    { name: 'diagnosis codes', value: codes.diagnosis },
    { name: 'region', value: region },
  ];
  return `\n${renderTable(rows, { SETTING: (row) => row.name, VALUE: (row) => row.value })}`;
}

function conditionWords({ conditions, differential }: SiteSettings['write']): string {
  if (differential !== 'resources') return `none (differential: ${differential})`;
  if (conditions === 'always') return 'always: all candidates, rule-outs too';
  if (conditions === 'accepted') return 'accepted: the likely candidates, after a review';
  const { least, most } = conditions === 'likely' ? LIKELY_CONDITIONS : conditions;
  return `likely: candidates of at least ${Number((least * 100).toFixed(2))} %, at most ${most}`;
}

/** Returns `nothing` if the folder has the mapping but its settings do not use it. */
function whenWritten(document: string, { write }: SiteSettings): string {
  if (document === 'notice') return 'first line';
  if (document === 'device' || (document === 'provenance' && write.provenance)) return 'always';
  if (document === 'differential' && write.differential === 'separate-document') return 'diagnosis';
  if (write.note.includes(document)) return 'note';
  if (!write.diagnosis.includes(document)) return 'nothing';
  const isKept = write.differential !== 'resources' && ['condition', 'risk-assessment'].includes(document);
  return isKept ? `nothing (differential: ${write.differential})` : 'diagnosis';
}
