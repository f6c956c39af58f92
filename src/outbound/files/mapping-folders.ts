// The folders of a mappings directory as they are on disk at one moment, each with all that it inherits: settings, tables and
// compiled mappings, or what is wrong with them. A folder with problems never takes another one with it.
import { join, resolve } from 'node:path';
import { describeProblem, type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type MappingsSource, readMappingsSource, readWhole, shownDirectory } from './folder-files.ts';
import { printOfFile } from './folder-listing.ts';
import { type Chain, followExtends } from './inheritance.ts';
import { loadFolder } from './load-folder.ts';
import { type MappingCache, makeMappingCache } from './mapping-cache.ts';
import { type ParsedFolder, parseFolder } from './parse-folders.ts';
import { filesNeeded, hasEhr } from './site-settings.ts';
import type { SecretFile, Secrets } from './substitution.ts';

export type Folder = {
  /** `mercy`, `base` or `profiles/us-core`. */
  readonly name: string;
  /** A site has an `ehr.baseUrl`; a plain folder beside it has none, and can be extended. */
  readonly kind: 'site' | 'base' | 'profile' | 'folder';
  /** So much cannot be read that nobody knows whether it is a site. */
  readonly isUnclear: boolean;
  /** Absent where anything that it is made of has problems. Also there for folders that are no sites. */
  readonly site?: LoadedSite;
  /** All that keep it from being loaded, also in files that it inherits. */
  readonly problems: readonly Problem[];
  /** Documents that the folder itself has, by name. */
  readonly ownDocuments: readonly string[];
  /** What it extends, nearest first: `['profiles/us-core', 'base']`. */
  readonly inheritedFrom: readonly string[];
};

export type ReadFolders = {
  readonly folders: readonly Folder[];
  /** Of all folders and of the directory, each once, in the order in which somebody would read them. */
  readonly problems: readonly Problem[];
};

export type ReadFoldersParts = {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What people see in front of a path; the directory as it was given where absent. */
  readonly displayRoot?: string;
  /** A directory that is not there is no problem, only empty. */
  readonly isOptional?: boolean;
};

/** For whoever reads them again and again. */
export type LoadedFolders = ReadFolders &
  Pick<MappingsSource, 'isThere' | 'isSettled' | 'fingerprint' | 'changedAtMs' | 'watchable'> & {
    /** Of files that settings were made of beside those of the folders, by path. */
    readonly secretPrints: ReadonlyMap<string, string>;
  };

const MAX_SECRET_BYTES = 65_536;

export async function readFolders(parts: ReadFoldersParts): Promise<ReadFolders> {
  const { folders, problems } = await loadFolders(parts, makeMappingCache());
  return { folders, problems };
}

export async function loadFolders(
  { directory, environment, displayRoot, isOptional = false }: ReadFoldersParts,
  cache: MappingCache,
): Promise<LoadedFolders> {
  const shown = displayRoot ?? shownDirectory(directory);
  const source = await readMappingsSource({ directory, shown });
  const parsed = new Map(source.folders.map((folder) => [folder.name, parseFolder(folder, shown)]));
  const folders: Folder[] = [];
  const secretPrints = new Map<string, string>();
  for (const own of parsed.values()) {
    const chain = followExtends(own, parsed);
    const kind = kindOf(own, chain.folders);
    const files = kind === 'site' ? await readSecretFiles(join(directory, own.name), chain.folders) : [];
    for (const { path, print } of files) secretPrints.set(path, print);
    const secrets: Secrets = { environment, files: new Map(files.map(({ written, file }) => [written, file])) };
    const load = await loadFolder({ chain, secrets, cache });
    folders.push({
      name: own.name,
      kind,
      isUnclear: kind === 'folder' && isUnclear(chain),
      ...(load.site && { site: load.site }),
      problems: onlyOnce(load.problems),
      ownDocuments: [...own.documents.keys()].sort(),
      inheritedFrom: chain.folders.slice(1).map(({ name }) => name),
    });
  }
  cache.sweep();
  const problems = onlyOnce([...(isOptional ? [] : source.problems), ...folders.flatMap((folder) => folder.problems)]);
  return { ...source, folders, problems, secretPrints };
}

function kindOf({ kind }: ParsedFolder, chain: readonly ParsedFolder[]): Folder['kind'] {
  return kind === 'folder' && hasEhr(chain.flatMap(({ settings }) => settings ?? [])) ? 'site' : kind;
}

/** The address of the EHR may stand in what is not there or cannot be read. That of the base would be every site's: it has none. */
function isUnclear({ folders, problem }: Chain): boolean {
  return problem !== undefined || folders.some(({ kind, settings }) => kind !== 'base' && settings === undefined);
}

/** An inherited file has its problems once, whoever inherits it. */
function onlyOnce(problems: readonly Problem[]): readonly Problem[] {
  return sortProblems([...new Map(problems.map((problem) => [describeProblem(problem), problem])).values()]);
}

type NamedFile = { readonly written: string; readonly path: string; readonly print: string; readonly file: SecretFile };

/** Relative to the site's own folder, also where an inherited line names them. */
async function readSecretFiles(folder: string, chain: readonly ParsedFolder[]): Promise<readonly NamedFile[]> {
  const found: NamedFile[] = [];
  for (const written of filesNeeded(chain.flatMap(({ settings }) => settings ?? []))) {
    const path = resolve(folder, written);
    // Before it is read, so that a change meanwhile is seen as one.
    const print = await printOfFile(path);
    found.push({ written, path, print, file: secretOf(await readWhole(path, MAX_SECRET_BYTES)) });
  }
  return found;
}

function secretOf(read: Uint8Array | string): SecretFile {
  if (typeof read === 'string') return { message: `it ${read}` };
  try {
    // Editors and `echo` end a file with a line end that belongs to nobody's password.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read).replace(/(?<!\n)(?:\r?\n)+$/, '');
    return text === '' ? { message: 'it is empty' } : { text };
  } catch {
    return { message: 'it is not UTF-8' };
  }
}
