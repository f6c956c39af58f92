// Compiles src/ to dist/ for a packed engine: `npm pack` runs it. Node refuses to strip types below node_modules, so a tarball holds
// JavaScript. Files that are no TypeScript (pages, definitions, patients of the sandbox) are copied to the same places.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, rmSync } from 'node:fs';
import path from 'node:path';

const SOURCE = 'src';
const TARGET = 'dist';

rmSync(TARGET, { recursive: true, force: true });
const { status } = spawnSync(
  'tsc',
  [
    ...['-p', '.ci/tsconfig.build.json'],
    ...['--noEmit', 'false', '--outDir', TARGET, '--rootDir', SOURCE],
    ...['--rewriteRelativeImportExtensions', '--sourceMap', 'false'],
  ],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);
for (const file of globSync(`${SOURCE}/**/*.*`).filter((name) => !name.endsWith('.ts'))) {
  cpSync(file, path.join(TARGET, path.relative(SOURCE, file)), { recursive: true });
}
chmodSync(path.join(TARGET, 'bin.js'), 0o755);
