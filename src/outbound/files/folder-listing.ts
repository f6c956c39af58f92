// Lists the files of a mappings directory that belong to mappings, by names, sizes and times alone: no file is opened. Files that must not
// be read are refused here, each with its own message.
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { isNativeError } from 'node:util/types';
import type { Problem } from '../../domain/mapping/mapping.ts';

export const FILE_LIMITS = { maxFileBytes: 1_048_576, maxFilesPerFolder: 500 } as const;

/** Allowed names of folders and, without their endings, of files: a name becomes part of paths, identifiers and queues. */
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const NAMES_NEVER_ALLOWED = new Set(['constructor', 'prototype']);

export type Where = {
  readonly directory: string;
  /** The name of the directory in messages. */
  readonly shown: string;
};

export type ListedFile = {
  /** Path inside its folder: `codes/sections.yaml`. */
  readonly inside: string;
  /** Path inside the mappings directory: `mercy/codes/sections.yaml`. */
  readonly path: string;
  /** Path in messages: `mappings/mercy/codes/sections.yaml`. */
  readonly shown: string;
  readonly onDisk: string;
  readonly problem?: Problem;
  /** Differs if the file differs. */
  readonly signature: string;
  readonly changedAtMs: number;
};

export type ListedFolder = {
  /** `mercy`, `base` or `profiles/us-core`. */
  readonly name: string;
  readonly kind: 'base' | 'profile' | 'folder';
  readonly files: readonly ListedFile[];
  /** Problems of the folder, and of files that are not read. */
  readonly problems: readonly Problem[];
};

export type Listing = {
  readonly isThere: boolean;
  readonly folders: readonly ListedFolder[];
  /** Two listings with the same print have the same files, as far as names, sizes and times show. */
  readonly fingerprint: string;
  /** Time of the latest change of a file, in milliseconds of the file system's clock. */
  readonly changedAtMs: number;
  /** Folders in which a file of mappings could appear. */
  readonly watchable: readonly string[];
};

export async function listMappings({ directory, shown }: Where): Promise<Listing> {
  const root = await realpath(directory).catch(() => undefined);
  const names = root === undefined ? undefined : await folderNames(root);
  if (root === undefined || names === undefined) {
    return { isThere: false, folders: [], fingerprint: 'not there', changedAtMs: 0, watchable: [] };
  }
  const profiles = names.includes('profiles') ? ((await folderNames(join(root, 'profiles'))) ?? []) : [];
  const all = [...names.filter((name) => name !== 'profiles'), ...profiles.map((name) => `profiles/${name}`)];
  const folders: ListedFolder[] = [];
  for (const name of all) folders.push(...(await listFolder({ root, shown, name })));
  const watched = [...names, ...all].flatMap((name) => [join(root, name), join(root, name, 'codes')]);
  return {
    isThere: true,
    folders,
    fingerprint: JSON.stringify(folders.map(({ name, problems, files }) => [name, problems, files.map(printOf)])),
    changedAtMs: Math.max(0, ...folders.flatMap(({ files }) => files.map((file) => file.changedAtMs))),
    watchable: [...new Set([root, ...watched])],
  };
}

function printOf({ inside, signature, problem }: ListedFile): readonly string[] {
  return [inside, signature, problem?.message ?? ''];
}

/** Returns the folders in it, and links, which may lead to folders; hidden entries are ignored. Undefined if it cannot be read. */
async function folderNames(path: string): Promise<readonly string[] | undefined> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  return entries
    ?.filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort();
}

type FolderPlace = { readonly root: string; readonly shown: string; readonly name: string };

/** Returns undefined if no file in it belongs to mappings. */
async function listFolder({ root, shown, name }: FolderPlace): Promise<readonly ListedFolder[]> {
  const onDisk = join(root, name);
  const kind = name === 'base' ? 'base' : name.startsWith('profiles/') ? 'profile' : 'folder';
  const names = await fileNames(onDisk).catch((error: unknown) =>
    problemAt(`${shown}/${name}`, `this folder ${unreadable(error)}`),
  );
  if ('place' in names) return [{ name, kind, files: [], problems: [names] }];
  if (!names.some((file) => extname(file) !== '.md')) return [];
  const place = { path: name, shown: `${shown}/${name}`, onDisk, root };
  const refusal = await folderRefusal(place, names.length);
  if (refusal !== undefined) return [{ name, kind, files: [], problems: [problemAt(place.shown, refusal)] }];

  const files: ListedFile[] = [];
  const problems: Problem[] = [];
  for (const inside of names) {
    const message = nameRefusal(inside);
    if (message === undefined) files.push(await listFile(inside, place));
    else problems.push(problemAt(`${place.shown}/${inside}`, message));
  }
  return [{ name, kind, files, problems }];
}

/** Lists the folder and its `codes`. */
async function fileNames(path: string): Promise<readonly string[]> {
  const here = await visibleNames(path);
  const codes = here.includes('codes') ? await visibleNames(join(path, 'codes')) : [];
  return [...here, ...codes.map((name) => `codes/${name}`)].filter(isOurs).sort();
}

async function visibleNames(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch((error: unknown) => {
    if (isNativeError(error) && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  });
  return names.filter((name) => !name.startsWith('.'));
}

/** A README is ignored; a template that settings may name is not. */
function isOurs(inside: string): boolean {
  const ending = extname(inside).toLowerCase();
  if (ending === '.md') return !inside.includes('/') && NAME.test(stem(inside));
  return ['.yaml', '.yml', '.json'].includes(ending);
}

function stem(inside: string): string {
  return basename(inside, extname(inside));
}

function isGoodName(name: string): boolean {
  return NAME.test(name) && !NAMES_NEVER_ALLOWED.has(name);
}

/** Suggests `visit-kinds` for `visit_kinds` and `VisitKinds`. Undefined if no similar name is allowed. */
function goodNameFor(name: string): string | undefined {
  if (isGoodName(name)) return name;
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
  const good = words.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return isGoodName(good) ? good : undefined;
}

function nameRule(what: string): string {
  return `the name of ${what} is made of a–z, 0–9 and "-", and begins with a letter or digit: rename it`;
}

function nameRefusal(inside: string): string | undefined {
  const ending = extname(inside);
  const name = goodNameFor(stem(inside));
  if (name === undefined) return nameRule('a file');
  if (ending.toLowerCase() === '.yml') return `files that end in .yml are not read: name it ${name}.yaml`;
  if (ending !== ending.toLowerCase()) return `write its ending in small letters: ${name}${ending.toLowerCase()}`;
  if (ending === '.json' && inside.includes('/')) return `a table of codes is a YAML file: name it ${name}.yaml`;
  if (inside === 'site.json') return 'settings are a YAML file: name it site.yaml';
  return isGoodName(stem(inside)) ? undefined : nameRule('a file');
}

type DiskPlace = { readonly path: string; readonly shown: string; readonly onDisk: string; readonly root: string };

async function folderRefusal({ path, onDisk, root }: DiskPlace, fileCount: number): Promise<string | undefined> {
  if (!isGoodName(basename(path))) return nameRule('a folder');
  if (!(await isInside(onDisk, root)))
    return 'this link leads out of the mappings folder: put the files themselves here';
  const { maxFilesPerFolder } = FILE_LIMITS;
  return fileCount > maxFilesPerFolder ? `there are more than ${maxFilesPerFolder} files in this folder` : undefined;
}

async function listFile(inside: string, folder: DiskPlace): Promise<ListedFile> {
  const place = {
    inside,
    path: `${folder.path}/${inside}`,
    shown: `${folder.shown}/${inside}`,
    onDisk: join(folder.onDisk, inside),
  };
  try {
    const found = await stat(place.onDisk);
    const message = (await isInside(place.onDisk, folder.root))
      ? fileRefusal(found)
      : 'this link leads out of the mappings folder: put the file itself here';
    const problem = message && { problem: problemAt(place.shown, message) };
    return { ...place, ...problem, signature: signatureOf(found), changedAtMs: found.mtimeMs };
  } catch (error) {
    return {
      ...place,
      problem: problemAt(place.shown, `this file ${unreadable(error)}`),
      signature: '',
      changedAtMs: 0,
    };
  }
}

function signatureOf(found: Stats): string {
  return [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(':');
}

/** The print of a file outside of the directory; it differs if the file differs. */
export async function printOfFile(path: string): Promise<string> {
  return stat(path).then(signatureOf, unreadable);
}

function fileRefusal(found: Stats): string | undefined {
  if (found.isDirectory()) return 'this is a folder, where a file is expected';
  if (!found.isFile()) return 'this file is no ordinary file';
  return found.size > FILE_LIMITS.maxFileBytes ? 'this file is larger than 1 MiB, and is not read' : undefined;
}

/** Resolves a path with all its links. */
async function isInside(path: string, root: string): Promise<boolean> {
  return (await realpath(path)).startsWith(root + sep);
}

/** The end of a sentence that begins with "this file" or "it". */
export function unreadable(error: unknown): string {
  const code = isNativeError(error) && 'code' in error ? error.code : 'for an unknown reason';
  return code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
}

export function problemAt(file: string, message: string): Problem {
  return { place: { file, line: 1, column: 1 }, message };
}
