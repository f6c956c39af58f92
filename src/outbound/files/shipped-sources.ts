// The list of sources that comes with the engine, for an engine whose mappings folder has no base.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSource, parseSourceHosts, SOURCES_FILE } from '../../mapping/mapping.ts';
import { SHIPPED_MAPPINGS } from './shipped-folders.ts';

const FILE = path.join(SHIPPED_MAPPINGS, 'base', SOURCES_FILE);

/** Without the file no links are shown. */
export function readShippedSources(file: string = FILE): readonly string[] {
  try {
    const { root } = parseSource({ file: SOURCES_FILE, text: readFileSync(file) });
    return (root && parseSourceHosts(root).hosts) ?? [];
  } catch {
    return [];
  }
}
