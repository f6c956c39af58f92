// Installs packages that a single test needs, beside a lockfile of their own: the product does not need them, so they are not among its
// packages, and they are installed once for each lockfile.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

/** `folder` has a package.json and a package-lock.json. */
export async function installPackages(folder: string): Promise<void> {
  const mark = path.join(folder, 'node_modules/.installed');
  const lock = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--prefer-offline'], { cwd: folder });
  } catch (cause) {
    throw new Error(
      `The packages of this test could not be installed. It needs the registry of npm once: run \`npm ci --ignore-scripts\` in ${folder} to see why`,
      { cause },
    );
  }
  writeFileSync(mark, lock);
}
