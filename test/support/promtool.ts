// Finds promtool, which checks alert rules: that of the machine, or as root on Debian the one in the package `prometheus`, unpacked without
// installing a server.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from '../cli/run-cli.ts';

const run = promisify(execFile);
const FOLDER = path.join(PROJECT, 'node_modules/.cache/promtool');
const UNPACKED = path.join(FOLDER, 'usr/bin/promtool');
const DOWNLOAD_MS = 120_000;

/** Undefined if it cannot be had here. */
export async function findPromtool(): Promise<string | undefined> {
  for (const known of ['promtool', UNPACKED]) if (await works(known)) return known;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  try {
    mkdirSync(FOLDER, { recursive: true });
    await run('apt-get', ['download', 'prometheus'], { cwd: FOLDER, timeout: DOWNLOAD_MS });
    const [file] = (await readdir(FOLDER)).filter((name) => name.endsWith('.deb'));
    await run('dpkg', ['-x', path.join(FOLDER, file ?? ''), FOLDER]);
  } catch {
    return undefined;
  }
  return (await works(UNPACKED)) ? UNPACKED : undefined;
}

function works(command: string): Promise<boolean> {
  return run(command, ['--version']).then(
    () => true,
    () => false,
  );
}
