// Applies inheritance to documents and tables: the nearest file of each name wins; tables merge key by key.
import type { CodeTable } from '../../domain/mapping/code-table.ts';
import type { DocumentMapping, Problem } from '../../domain/mapping/mapping.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import { tableName } from '../../mapping/mapping.ts';
import type { SourceFile } from './folder-files.ts';
import { type DocumentContext, type MappingCache, makeContext } from './mapping-cache.ts';
import { CHOSEN_TABLE, type ParsedFolder } from './parse-folders.ts';

export type Collected<T> = { readonly byName: ReadonlyMap<string, T>; readonly problems: readonly Problem[] };
type Chain = readonly ParsedFolder[];

/** Merges folders, nearest first, by name. */
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

/** Replaces a table with problems, so that mappings that use it do not report the same problem. */
function standIn(name: string): CodeTable {
  return { name, unmapped: 'keep', codes: {} };
}

/** A site without codes needs no table. */
const NO_CODES: CodeTable = { name: CHOSEN_TABLE, unmapped: 'ignore', codes: {} };

/** The name of the table: `%codes.diagnosis`. */
export function chooseTable(tables: ReadonlyMap<string, CodeTable>, settings: SiteSettings | undefined): CodeTable {
  const choice = settings?.codes.diagnosis;
  if (choice === 'none') return NO_CODES;
  const table = choice && tables.get(tableName(choice));
  return table === undefined ? standIn(CHOSEN_TABLE) : { ...table, name: CHOSEN_TABLE };
}

type CompileParts = {
  /** Notes that never reach a real chart may omit the AI notice. */
  readonly needsNotice: boolean;
  readonly documents: ReadonlyMap<string, SourceFile>;
  readonly tables: DocumentContext['tables'];
  readonly cache: MappingCache;
};

export async function compileDocuments(parts: CompileParts): Promise<Collected<DocumentMapping>> {
  const { needsNotice, documents, tables, cache } = parts;
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
