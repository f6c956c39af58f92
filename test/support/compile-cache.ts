// Lets all Node processes that a test starts share one compile cache, so that each file is compiled once.
import path from 'node:path';

/** The folder is the one in the scripts of package.json. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../node_modules/.cache/node'),
} as const;
