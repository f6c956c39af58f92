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
import type { SettingsRead } from './site-settings.ts';

/** The AI notice belongs into every note; what is never a real chart may go without. */
const FOLDER_WITHOUT_NOTICE = 'sandbox';

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
    byName.set(name, read.table ?? inherited ?? emptyTable(name));
  }
  return { byName, files: found.map(([, { file }]) => file), problems };
}

/** In place of one that has problems of its own: mappings that use it have none. */
function emptyTable(name: string): CodeTable {
  return { name, unmapped: 'report', codes: {} };
}

export type ChosenTable = { readonly table: CodeTable; readonly problems: readonly Problem[] };

/** `%codes.diagnosis`. Without settings nobody will use it. */
export function chooseTable(tables: ReadonlyMap<string, CodeTable>, { settings, placeOf }: SettingsRead): ChosenTable {
  const choice = settings?.codes.diagnosis ?? 'none';
  if (choice === 'none') return { table: emptyTable(CHOSEN_TABLE), problems: [] };
  const table = tables.get(tableName(choice));
  if (table !== undefined) return { table: { ...table, name: CHOSEN_TABLE }, problems: [] };
  const message = `codes.diagnosis: there is no table codes/${choice}.yaml, neither here nor in what this folder extends`;
  return { table: emptyTable(CHOSEN_TABLE), problems: [{ place: placeOf('codes', 'diagnosis'), message }] };
}

export async function compileDocuments(
  documents: ReadonlyMap<string, SourceFile>,
  tables: DocumentContext['tables'],
  cache: MappingCache,
): Promise<Collected<DocumentMapping>> {
  const context = makeContext([...documents.keys()].sort(), tables);
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

type Fit = {
  readonly name: string;
  readonly settings: SiteSettings;
  readonly placeOf: SettingsRead['placeOf'];
  readonly documents: ReadonlyMap<string, SourceFile>;
  readonly mappings: ReadonlyMap<string, DocumentMapping>;
};

/** What the settings ask for and no file makes, and notes that do not say who wrote them. */
export function fitProblems({ name, settings: { write }, placeOf, documents, mappings }: Fit): readonly Problem[] {
  const wanted: readonly (readonly [document: string, setting: string, place: readonly (string | number)[]])[] = [
    ...write.note.map((document, index) => [document, 'write.note', ['write', 'note', index]] as const),
    ...write.diagnosis.map((document, index) => [document, 'write.diagnosis', ['write', 'diagnosis', index]] as const),
    ...(write.provenance ? [['provenance', 'write.provenance', ['write', 'provenance']] as const] : []),
    ...(write.differential === 'separate-document'
      ? [['differential', 'write.differential', ['write', 'differential']] as const]
      : []),
  ];
  const missing = wanted
    .filter(([document]) => !documents.has(document))
    .map(([document, setting, place]) => ({
      place: placeOf(...place),
      message: `${setting}: there is no mapping ${document}${didYouMean(document, documents.keys())}`,
    }));
  const silent = name === FOLDER_WITHOUT_NOTICE ? [] : write.note.flatMap((document) => mappings.get(document) ?? []);
  const withoutNotice = silent
    .filter((mapping) => !mapping.reads.has('notice'))
    .map(({ file }) => ({
      place: { file, line: 1, column: 1 },
      message: 'a note says in its first line that AI drafted it: put %notice into its text and its narrative',
    }));
  return [...missing, ...withoutNotice];
}
