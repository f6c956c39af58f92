// Parses one folder's own files: settings, mappings, tables. Inheritance is applied later, so that the problems of a file are reported
// once, whatever the number of sites that inherit it.
import { basename, extname } from 'node:path';
import type { CodeTable } from '../../domain/mapping/code-table.ts';
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import {
  parseCodeTable,
  parseSource,
  parseSourceHosts,
  type ReadSource,
  SOURCES_FILE,
  type SourceMap,
  tableName,
} from '../../mapping/mapping.ts';
import type { SourceFile, SourceFolder } from './folder-files.ts';
import { problemAt } from './folder-listing.ts';
import { isText } from './settings-reader.ts';
import { misspeltKeys } from './table-keys.ts';

export type ReadTable = {
  /** Absent if there are problems. */
  readonly table?: CodeTable;
  readonly problems: readonly Problem[];
};

export type TableFile = {
  readonly file: SourceFile;
  /** The table without inherited keys. */
  readonly alone: ReadTable;
  readonly over: (inherited: CodeTable) => ReadTable;
};

export type ParsedFolder = SourceFolder & {
  /** Path of site.yaml in messages, whether the file exists or not. */
  readonly siteFile: string;
  /** Absent if the file cannot be read. */
  readonly settings?: SourceMap;
  readonly extends?: { readonly target: string; readonly place: Place };
  /** Keyed by name: `composition`. */
  readonly documents: ReadonlyMap<string, SourceFile>;
  /** Keyed by the name in `%codes`. */
  readonly tables: ReadonlyMap<string, TableFile>;
  /** The folder's own list of hosts whose links may be shown. Without `hosts` the file has problems. */
  readonly sources?: { readonly file: SourceFile; readonly hosts?: readonly string[] };
  /** Problems of the folder and its settings; tables have their own. */
  readonly ownProblems: readonly Problem[];
};

/** The built-in name in `%codes`: the table that the settings choose. */
export const CHOSEN_TABLE = 'diagnosis';

export function parseFolder(folder: SourceFolder, shown: string): ParsedFolder {
  const siteFile = `${shown}/${folder.name}/site.yaml`;
  const settings = parseSettings(folder, siteFile);
  const documents = findDocuments(folder);
  const tables = parseTables(folder);
  const sources = parseSources(folder);
  return {
    ...folder,
    siteFile,
    ...(settings.tree && { settings: settings.tree }),
    ...(settings.extends && { extends: settings.extends }),
    documents: documents.found,
    tables: tables.found,
    ...(sources && { sources }),
    ownProblems: [
      ...folder.problems,
      ...settings.problems,
      ...documents.problems,
      ...tables.problems,
      ...(sources?.problems ?? []),
    ],
  };
}

type ParsedSettings = {
  readonly tree?: SourceMap;
  readonly extends?: { readonly target: string; readonly place: Place };
  readonly problems: readonly Problem[];
};

function parseSettings({ files, kind, problems: folderProblems }: SourceFolder, siteFile: string): ParsedSettings {
  const file = files.get('site.yaml');
  if (file === undefined) {
    // In a folder that was not read, nothing counts as missing.
    const isFine = kind === 'base' || (files.size === 0 && folderProblems.length > 0);
    const message = 'there is no site.yaml: without it this folder is neither a site nor something to extend';
    return { problems: isFine ? [] : [problemAt(siteFile, message)] };
  }
  if (file.bytes === undefined) return { problems: file.problem ? [file.problem] : [] };
  const { root, problems } = parseSource({ file: file.shown, text: file.bytes });
  if (root === undefined || problems.length > 0) return { problems };
  if (root.kind !== 'map')
    return { problems: [{ place: root.place, message: 'settings are names with values: mode: live' }] };
  const target = root.entries.find(({ key }) => key === 'extends')?.value;
  if (target === undefined || (target.kind === 'scalar' && target.value === null)) return { tree: root, problems };
  if (isText(target)) return { tree: root, extends: { target: target.value, place: target.place }, problems };
  return {
    problems: [{ place: target.place, message: 'extends is the name of one folder: base, or profiles/us-core' }],
  };
}

function findDocuments({ files }: SourceFolder) {
  const found = new Map<string, SourceFile>();
  const problems: Problem[] = [];
  for (const [inside, file] of files) {
    const ending = extname(inside);
    const name = basename(inside, ending);
    if (inside === 'site.yaml' || inside.includes('/') || ending === '.md') continue;
    const other = found.get(name);
    // The names are sorted, so the other one is the .json file.
    if (other !== undefined) problems.push(problemAt(file.shown, `${other.shown} makes ${name} too; keep one of them`));
    found.set(name, file);
  }
  return { found, problems };
}

function parseTables({ files }: SourceFolder) {
  const found = new Map<string, TableFile>();
  const problems: Problem[] = [];
  for (const [inside, file] of files) {
    if (!inside.startsWith('codes/') || inside === SOURCES_FILE) continue;
    const name = tableName(inside);
    const other = found.get(name);
    if (name === CHOSEN_TABLE) {
      problems.push(
        problemAt(file.shown, `%codes.${name} is the table that codes.diagnosis of site.yaml chooses; rename this one`),
      );
    } else if (other !== undefined) {
      problems.push(problemAt(file.shown, `${other.file.shown} is %codes.${name} too; rename one of them`));
    } else {
      found.set(name, parseTable(file));
    }
  }
  return { found, problems };
}

function parseSources({ files }: SourceFolder) {
  const file = files.get(SOURCES_FILE);
  if (file === undefined) return undefined;
  const { root, problems } = readTableSource(file);
  if (root === undefined || problems.length > 0) return { file, problems };
  return { file, ...parseSourceHosts(root) };
}

function parseTable(file: SourceFile): TableFile {
  const { root, problems } = readTableSource(file);
  const bad = { problems };
  if (root === undefined || problems.length > 0) return { file, alone: bad, over: () => bad };
  const source = { file: file.shown, root };
  const over = (inherited: CodeTable): ReadTable => {
    const read = parseCodeTable({ ...source, inherited });
    const misspelt = misspeltKeys(root, inherited);
    return misspelt.length === 0 ? read : { problems: [...read.problems, ...misspelt] };
  };
  return { file, alone: parseCodeTable(source), over };
}

function readTableSource({ shown, bytes, problem }: SourceFile): ReadSource {
  return bytes === undefined ? { problems: problem ? [problem] : [] } : parseSource({ file: shown, text: bytes });
}
