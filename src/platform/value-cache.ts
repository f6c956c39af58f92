// A file that holds one value between starts. It is beside the code that Node has compiled (NODE_COMPILE_CACHE): an engine that keeps
// no compiled code keeps no value either. A file that is missing, damaged or of another key only costs time.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';

type CachedParts<T> = {
  /** Of the file. */
  readonly name: string;
  readonly key: string;
  readonly make: () => T;
  readonly folder?: string | undefined;
};

/** Returns the cached value if it was made for this key; else makes and caches it. */
export function cached<T>({ name, key, make, folder = getCompileCacheDir() }: CachedParts<T>): T {
  if (folder === undefined) return make();
  const file = path.join(folder, `chartwright-${name}`);
  const head = createHash('sha256').update(key).digest();
  const found = readCache(file, head);
  if (found !== undefined) return found.value as T;
  const value = make();
  writeCache(file, Buffer.concat([head, serialize(value)]));
  return value;
}

function readCache(file: string, head: Buffer): { readonly value: unknown } | undefined {
  try {
    const bytes = readFileSync(file);
    return bytes.subarray(0, head.length).equals(head)
      ? { value: deserialize(bytes.subarray(head.length)) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Another engine may start at the same time: a reader must never see half of a file. */
function writeCache(file: string, bytes: Buffer): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(unfinished, bytes);
    renameSync(unfinished, file);
  } catch {
    // A folder that cannot be written leaves the engine as it is without a cache.
  }
}

/** Of the contents of a file, or of all files in a folder and below. */
export function hashOfFiles(place: string): string {
  const hash = createHash('sha256');
  const names = statSync(place).isFile() ? [''] : readdirSync(place, { recursive: true, encoding: 'utf8' }).toSorted();
  for (const name of names) {
    const file = path.join(place, name);
    if (statSync(file).isFile()) hash.update(`${name}\n`).update(readFileSync(file)).update('\n');
  }
  return hash.digest('hex');
}
