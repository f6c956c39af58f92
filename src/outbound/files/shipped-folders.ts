// The base and the profiles that come with the engine. A mappings directory that does not have a folder to extend gets it from here, so
// that a hospital's own repository holds its sites alone.
import path from 'node:path';
import { readMappingsSource } from './folder-files.ts';
import { type ParsedFolder, parseFolder } from './parse-folders.ts';

export const SHIPPED_MAPPINGS = path.join(import.meta.dirname, '../../../mappings');
/** The name of the directory in messages. */
const SHOWN = 'shipped';

type Folders = ReadonlyMap<string, ParsedFolder>;
type Parts = {
  readonly shipped: string;
  /** Folders that were in the directory before: one that has disappeared is not replaced by another one of its name. */
  readonly seen: ReadonlySet<string>;
};

/** The folders that can be extended: all of the directory, and shipped ones for names that it does not have. */
export async function extendableFolders(own: Folders, { shipped, seen }: Parts): Promise<Folders> {
  const isMissing = ({ extends: wanted }: ParsedFolder) => wanted !== undefined && !own.has(wanted.target);
  if (![...own.values()].some(isMissing)) return own;
  const source = await readMappingsSource({ directory: shipped, shown: SHOWN });
  const others = source.folders.filter(({ name, kind }) => kind !== 'folder' && !own.has(name) && !seen.has(name));
  return new Map([...own, ...others.map((folder) => [folder.name, parseFolder(folder, SHOWN)] as const)]);
}
