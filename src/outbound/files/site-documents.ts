// What a folder's documents and tables are once inheritance is applied: the nearest file of each name, tables key by key; and
// whether the documents fit what the settings ask for.
import type { CodeTable } from '../../domain/code-table.ts';
import type { DocumentMapping, Problem } from '../../domain/mapping.ts';
import type { SiteSettings } from '../../domain/site.ts';
import { tableName } from '../../mapping/code-tables.ts';
import { didYouMean } from '../../mapping/suggest.ts';
import type { SourceFile } from './folder-files.ts';
import { type DocumentContext, type MappingCache, makeContext } from './mapping-cache.ts';
import { CHOSEN_TABLE, type ParsedFolder } from './parse-folders.ts';
import type { SettingPath, SettingsRead } from './site-settings.ts';

export type Collected<T> = { readonly byName: ReadonlyMap<string, T>; readonly problems: readonly Problem[] };
type Chain = readonly ParsedFolder[];

/** Of folders nearest first, by name. */
export function collectDocuments(chain: Chain): ReadonlyMap<string, SourceFile> {
  return new Map(chain.toReversed().flatMap((folder) => [...folder.documents]));
}

export type Tables = Collected<CodeTable> & { readonly files: readonly SourceFile[] };

export function collectTables(chain: Chain): Tables {
  const byName = new Map<string, CodeTable>();
  const problems: Problem[] = [];
  const found = chain.toReversed().flatMap((folder) => [...folder.tables]);
  for (const [name, { alone, over }] of found) {
    const inherited = byName.get(name);
    const read = inherited === undefined ? alone : over(inherited);
    problems.push(...read.problems);
    byName.set(name, read.table ?? inherited ?? standIn(name));
  }
  return { byName, files: found.map(([, { file }]) => file), problems };
}

/** In place of one that has problems of its own: mappings that use it have none for that. */
function standIn(name: string): CodeTable {
  return { name, unmapped: 'keep', codes: {} };
}

/** A site that wants no codes misses none. */
const NO_CODES: CodeTable = { name: CHOSEN_TABLE, unmapped: 'ignore', codes: {} };

export type ChosenTable = { readonly table: CodeTable; readonly problems: readonly Problem[] };

/** `%codes.diagnosis` */
export function chooseTable(tables: ReadonlyMap<string, CodeTable>, read: SettingsRead): ChosenTable {
  const choice = read.settings?.codes.diagnosis;
  if (choice === 'none') return { table: NO_CODES, problems: [] };
  const table = choice && tables.get(tableName(choice));
  if (table !== undefined) return { table: { ...table, name: CHOSEN_TABLE }, problems: [] };
  const missing = choice ? missingFile(read, ['codes', 'diagnosis'], `table codes/${choice}.yaml`) : [];
  return { table: standIn(CHOSEN_TABLE), problems: missing };
}

/** A folder that is no site need not have what only the defaults ask for. */
function missingFile(read: SettingsRead, path: SettingPath, what: string, hint = ''): readonly Problem[] {
  const isDefault = read.isDefault(...path);
  if (isDefault && !read.isSite) return [];
  const setting = path.filter((step) => typeof step === 'string').join('.');
  const message = `${setting}: there is no ${what}${isDefault ? '; extends: base would bring it' : hint}`;
  return [{ place: read.placeOf(...path), message }];
}

/** Notes of what is never a real chart may go without the AI notice. */
const FOLDER_WITHOUT_NOTICE = 'sandbox';

type CompileParts = {
  readonly folder: string;
  readonly documents: ReadonlyMap<string, SourceFile>;
  readonly tables: DocumentContext['tables'];
  readonly cache: MappingCache;
};

export async function compileDocuments(parts: CompileParts): Promise<Collected<DocumentMapping>> {
  const { folder, documents, tables, cache } = parts;
  const needsNotice = folder !== FOLDER_WITHOUT_NOTICE;
  const context = makeContext({ documents: [...documents.keys()].sort(), tables, needsNotice });
  const byName = new Map<string, DocumentMapping>();
  const problems: Problem[] = [];
  for (const [document, { shown, bytes, problem }] of documents) {
    if (problem !== undefined) problems.push(problem);
    if (bytes === undefined) continue;
    const compiled = await cache.compile({ document, shown, bytes }, context);
    problems.push(...compiled.problems);
    if (compiled.mapping !== undefined) byName.set(document, compiled.mapping);
  }
  return { byName, problems };
}

/** What the settings ask for and no file makes. */
export function missingDocuments(
  { write }: SiteSettings,
  documents: ReadonlyMap<string, SourceFile>,
  read: SettingsRead,
): readonly Problem[] {
  const look = (document: string, ...path: SettingPath) =>
    documents.has(document)
      ? []
      : missingFile(read, path, `mapping ${document}`, didYouMean(document, documents.keys()));
  return [
    ...write.note.flatMap((document, index) => look(document, 'write', 'note', index)),
    ...write.diagnosis.flatMap((document, index) => look(document, 'write', 'diagnosis', index)),
    ...(write.provenance ? look('provenance', 'write', 'provenance') : []),
    ...(write.differential === 'separate-document' ? look('differential', 'write', 'differential') : []),
  ];
}
