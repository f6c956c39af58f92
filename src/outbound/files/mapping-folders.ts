// Loads the folders of a mappings directory as they are on disk at one moment, each with everything it inherits: settings, tables and
// compiled mappings, or their problems. A folder with problems never affects another one.
import { join, resolve } from 'node:path';
import { describeProblem, type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type MappingsSource, readMappingsSource, readWhole, shownDirectory } from './folder-files.ts';
import { printOfFile } from './folder-listing.ts';
import { lostAddress } from './incomplete-site.ts';
import { type Chain, followExtends } from './inheritance.ts';
import { loadFolder } from './load-folder.ts';
import { type MappingCache, makeMappingCache } from './mapping-cache.ts';
import { type ParsedFolder, parseFolder } from './parse-folders.ts';
import { extendableFolders, SHIPPED_MAPPINGS } from './shipped-folders.ts';
import { filesNeeded, hasEhr } from './site-settings.ts';
import type { SecretFile, Secrets } from './substitution.ts';

export type Folder = {
  /** `mercy`, `base` or `profiles/us-core`. */
  readonly name: string;
  /** A site has an `ehr.baseUrl`; a plain folder beside it has none, and can be extended. */
  readonly kind: 'site' | 'base' | 'profile' | 'folder';
  /** `unknown`: too much cannot be read to know whether the folder is a site. */
  readonly isUnclear: boolean;
  /** Absent if any file that it is made of has problems. Also present for folders that are not sites. */
  readonly site?: LoadedSite;
  /** All problems that keep it from being loaded, including those in inherited files. */
  readonly problems: readonly Problem[];
  /** What keeps no site from being used, and is probably not what its author expects. */
  readonly warnings: readonly Problem[];
  /** Names of the documents in the folder itself. */
  readonly ownDocuments: readonly string[];
  /** The folders it extends, nearest first: `['profiles/us-core', 'base']`. */
  readonly inheritedFrom: readonly string[];
};

export type ReadFolders = {
  readonly folders: readonly Folder[];
  /** Problems of all folders and of the directory, each once, in reading order. */
  readonly problems: readonly Problem[];
};

export type ReadFoldersParts = {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The prefix of paths in messages; by default the directory as given. */
  readonly displayRoot?: string;
  /** The name of the site that an extension brings with it: see `LoadedSite.isTrial`. */
  readonly trialSite?: string;
  /** The directory of the base and the profiles that come with the engine. Default: those of this engine. */
  readonly shipped?: string;
  /** Folders that were in the directory before; see `extendableFolders`. */
  readonly seen?: ReadonlySet<string>;
  /** With true, a secret that is missing is a warning, and its setting counts as absent: for checks where there are no secrets. */
  readonly mayLackSecrets?: boolean;
  /** With true, a missing directory counts as empty instead of as a problem. */
  readonly isOptional?: boolean;
};

/** For a caller that loads the folders repeatedly. */
export type LoadedFolders = ReadFolders &
  Pick<MappingsSource, 'isThere' | 'isSettled' | 'fingerprint' | 'changedAtMs' | 'watchable'> & {
    /** Prints of files outside of the folders that settings read, by path. */
    readonly secretPrints: ReadonlyMap<string, string>;
  };

const MAX_SECRET_BYTES = 65_536;

export async function readFolders(parts: ReadFoldersParts): Promise<ReadFolders> {
  const { folders, problems } = await loadFolders(parts, makeMappingCache());
  return { folders, problems };
}

export async function loadFolders(parts: ReadFoldersParts, cache: MappingCache): Promise<LoadedFolders> {
  const { directory, environment, displayRoot, trialSite, isOptional = false, mayLackSecrets = false } = parts;
  const { shipped = SHIPPED_MAPPINGS, seen = new Set() } = parts;
  const shown = displayRoot ?? shownDirectory(directory);
  const source = await readMappingsSource({ directory, shown });
  const parsed = new Map(source.folders.map((folder) => [folder.name, parseFolder(folder, shown)]));
  const extendable = await extendableFolders(parsed, { shipped, seen });
  const folders: Folder[] = [];
  const secretPrints = new Map<string, string>();
  const extended = new Set([...parsed.values()].flatMap((folder) => folder.extends?.target ?? []));
  for (const own of parsed.values()) {
    const chain = followExtends(own, extendable);
    const kind = kindOf(own, chain.folders);
    const files = kind === 'site' ? await readSecretFiles(join(directory, own.name), chain.folders) : [];
    for (const { path, print } of files) secretPrints.set(path, print);
    const secretFiles = new Map(files.map(({ written, file }) => [written, file]));
    const secrets: Secrets = { environment, files: secretFiles, mayLack: mayLackSecrets };
    const load = await loadFolder({ chain, secrets, cache, isTrial: own.name === trialSite, extended });
    folders.push({
      name: own.name,
      kind,
      isUnclear: kind === 'folder' && (isUnclear(chain) || isLost(own, extended)),
      ...(load.site && { site: load.site }),
      problems: onlyOnce(load.problems),
      warnings: load.warnings,
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

/** The address of the EHR may be in a file that is missing or cannot be read. The base has none, because it would be every site's. */
function isUnclear({ folders, problem }: Chain): boolean {
  return problem !== undefined || folders.some(({ kind, settings }) => kind !== 'base' && settings === undefined);
}

/** A site that lost the address of its EHR is reported as one that is not in force. */
function isLost(own: ParsedFolder, extended: ReadonlySet<string>): boolean {
  return !extended.has(own.name) && lostAddress(own).length > 0;
}

/** Problems of an inherited file are reported once, whatever the number of folders that inherit it. */
function onlyOnce(problems: readonly Problem[]): readonly Problem[] {
  return sortProblems([...new Map(problems.map((problem) => [describeProblem(problem), problem])).values()]);
}

type NamedFile = { readonly written: string; readonly path: string; readonly print: string; readonly file: SecretFile };

/** Paths are relative to the site's own folder, even if an inherited line names them. */
async function readSecretFiles(folder: string, chain: readonly ParsedFolder[]): Promise<readonly NamedFile[]> {
  const found: NamedFile[] = [];
  for (const written of filesNeeded(chain.flatMap(({ settings }) => settings ?? []))) {
    const path = resolve(folder, written);
    // The print is taken before the file is read, so that a change in between is noticed.
    const print = await printOfFile(path);
    found.push({ written, path, print, file: secretOf(await readWhole(path, MAX_SECRET_BYTES)) });
  }
  return found;
}

function secretOf(read: Uint8Array | string): SecretFile {
  if (typeof read === 'string') return { message: `it ${read}` };
  try {
    // Editors and `echo` end a file with a line end that is not part of the password.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(read).replace(/(?<!\n)(?:\r?\n)+$/, '');
    return text === '' ? { message: 'it is empty' } : { text };
  } catch {
    return { message: 'it is not UTF-8' };
  }
}
