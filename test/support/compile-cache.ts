// What Node has compiled once, it need not compile for each process that a test starts.
import path from 'node:path';

/** As the scripts of package.json have it. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../node_modules/.cache/node'),
} as const;
