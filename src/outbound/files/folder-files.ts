// Reads the files of a mappings directory into memory in one pass, so that a load never mixes two versions. A file that cannot be read
// becomes a problem of that file alone. Nothing here interprets the content.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, isAbsolute, normalize, sep } from 'node:path';
import type { Problem } from '../../domain/mapping/mapping.ts';
import {
  FILE_LIMITS,
  type ListedFile,
  type ListedFolder,
  type Listing,
  listMappings,
  problemAt,
  unreadable,
  type Where,
} from './folder-listing.ts';

const MAX_PASSES = 3;
const FILES_AT_ONCE = 16;

export type SourceFile = Pick<ListedFile, 'path' | 'shown' | 'problem'> & {
  /** Absent if there is a problem. */
  readonly bytes?: Uint8Array;
};

export type SourceFolder = Omit<ListedFolder, 'files'> & {
  /** Keyed by the path inside the folder: `site.yaml`, `composition.yaml`, `codes/sections.yaml`, `knee-clinic.md`. */
  readonly files: ReadonlyMap<string, SourceFile>;
};

export type MappingsSource = Omit<Listing, 'folders'> & {
  readonly folders: readonly SourceFolder[];
  /** Problems of the directory itself. */
  readonly problems: readonly Problem[];
  /** False if files kept changing while they were read. */
  readonly isSettled: boolean;
};

/** The prefix of paths in messages: the directory as the user typed it, or the last part of an absolute path. */
export function shownDirectory(directory: string): string {
  const shown = isAbsolute(directory) ? basename(directory) : normalize(directory);
  return shown.split(sep).join('/').replace(/\/$/, '');
}

export async function readMappingsSource(where: Where): Promise<MappingsSource> {
  for (let pass = 1; ; pass++) {
    const listing = await listMappings(where);
    const folders: SourceFolder[] = [];
    for (const folder of listing.folders) folders.push({ ...folder, files: await readFiles(folder.files) });
    const isSettled = (await listMappings(where)).fingerprint === listing.fingerprint;
    if (!isSettled && pass < MAX_PASSES) continue;
    const missing = problemAt(where.shown, 'there is no such folder: the settings and mappings of sites stand there');
    return { ...listing, folders, problems: listing.isThere ? [] : [missing], isSettled };
  }
}

async function readFiles(listed: readonly ListedFile[]): Promise<ReadonlyMap<string, SourceFile>> {
  const files = new Map<string, SourceFile>();
  for (let from = 0; from < listed.length; from += FILES_AT_ONCE) {
    const read = await Promise.all(listed.slice(from, from + FILES_AT_ONCE).map(readFile));
    for (const { inside, ...file } of read) files.set(inside, file);
  }
  return files;
}

async function readFile({
  inside,
  path,
  shown,
  onDisk,
  problem,
}: ListedFile): Promise<SourceFile & { inside: string }> {
  if (problem !== undefined) return { inside, path, shown, problem };
  const read = await readWhole(onDisk, FILE_LIMITS.maxFileBytes);
  if (typeof read !== 'string') return { inside, path, shown, bytes: read };
  return { inside, path, shown, problem: problemAt(shown, `this file ${read}`) };
}

/**
 * Returns the bytes of an ordinary file, or what is wrong with it, as in "cannot be read". It never waits for a pipe and never reads more
 * than the limit.
 */
export async function readWhole(path: string, maxBytes: number): Promise<Uint8Array | string> {
  try {
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile()) return 'is no ordinary file';
    if (found.size > maxBytes) return `is larger than ${maxBytes / 1024} KiB`;
    const buffer = Buffer.alloc(found.size);
    let size = 0;
    for (let got = -1; got !== 0 && size < buffer.length; size += got) {
      got = (await handle.read(buffer, size, buffer.length - size)).bytesRead;
    }
    return buffer.subarray(0, size);
  } catch (error) {
    return unreadable(error);
  }
}
