// Installs the independent clients beside their lockfile. The product does not need them, so they are not among its packages, and only the
// test that runs them installs them: once for each lockfile.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const FOLDER = import.meta.dirname;
const MARK = path.join(FOLDER, 'node_modules/.installed');

export async function installClients(): Promise<void> {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === lock) return;
  try {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--prefer-offline'];
    await promisify(execFile)('npm', args, { cwd: FOLDER });
  } catch (cause) {
    throw new Error(
      `The clients could not be installed. This test needs the registry of npm once: run \`npm ci --ignore-scripts\` in ${FOLDER} to see why`,
      { cause },
    );
  }
  writeFileSync(MARK, lock);
}
