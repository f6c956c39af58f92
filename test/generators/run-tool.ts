// Runs the generators of clients and the checkers of OpenAPI documents, which are installed beside their lockfile.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = import.meta.dirname;

/** The tools must neither report their use nor look for newer versions. */
const QUIET = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  NO_COLOR: '1',
  CI: '1',
  DO_NOT_TRACK: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

export type Ended = { readonly code: number; readonly text: string };

/** Runs a command of an installed package, or another program, and returns everything that it printed. */
export async function runTool(
  command: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Ended> {
  const installed = path.join(FOLDER, 'node_modules/.bin', command);
  // The scripts of the packages begin with `env node`, which would find the machine's own Node.
  const [file, ...first] = existsSync(installed) ? [process.execPath, installed] : [command];
  try {
    const options = { cwd: FOLDER, env: { ...QUIET, ...variables }, maxBuffer: 16 * 1_048_576 };
    const { stdout, stderr } = await run(file, [...first, ...args], options);
    return { code: 0, text: `${stdout}${stderr}` };
  } catch (thrown) {
    const { code = 1, stdout = '', stderr = '' } = thrown as { code?: number; stdout?: string; stderr?: string };
    return { code, text: `${stdout}${stderr}${stdout === '' && stderr === '' ? String(thrown) : ''}` };
  }
}
