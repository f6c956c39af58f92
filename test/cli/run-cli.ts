// Runs the command line as its users do: a process of its own, with exactly the environment that is given.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

export const PROJECT = join(import.meta.dirname, '../..');
const MAIN = join(PROJECT, 'src/cli/main.ts');

export type Run = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

type RunParts = {
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder: string;
};

export async function runCli({ args, environment = {}, folder }: RunParts): Promise<Run> {
  return run(process.execPath, [MAIN, ...args], { environment, folder });
}

export async function run(
  command: string,
  args: readonly string[],
  { environment, folder }: { readonly environment: Readonly<Record<string, string>>; readonly folder: string },
): Promise<Run> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...COMPILE_CACHE, npm_lifecycle_event: 'cli', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, ...output };
}

export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'chartwright-cli-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
