// Reads facts of other processes from the operating system: enough to tell a running process from a later one with the same pid.
import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PS_TIMEOUT_MS = 2000;
/** The index of the start time (field 22 of /proc/<pid>/stat) after the command's name, which may hold spaces itself. */
const START_INDEX = 19;

/**
 * When the process began, as a text that differs between two processes that had the same number one after the other.
 * Undefined if there is no such process.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  const [stat, bootId] = await Promise.all([
    readText(`/proc/${pid}/stat`),
    readText('/proc/sys/kernel/random/boot_id'),
  ]);
  if (stat !== undefined) {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isGone = fields[0] === 'Z' || fields[0] === 'X';
    return isGone ? undefined : `${bootId?.trim() ?? ''} ${fields[START_INDEX] ?? ''}`;
  }
  // With a boot id this is Linux, and no such process is there: `ps` would not know more.
  return bootId === undefined ? askPs(pid, 'lstart=') : undefined;
}

/** The command line of the process, with spaces between its words; undefined if there is no such process. */
export async function processCommand(pid: number): Promise<string | undefined> {
  const command = await readText(`/proc/${pid}/cmdline`);
  if (command !== undefined) return command.replaceAll('\0', ' ').trim();
  return process.platform === 'linux' ? undefined : askPs(pid, 'command=');
}

/** The working folder of the process, if the system shows it. */
export async function processFolder(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined);
}

/** False if there is no such process, or we may not signal it. The signal 0 only checks. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function askPs(pid: number, column: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-ww', '-o', column, '-p', String(pid)], {
      timeout: PS_TIMEOUT_MS,
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
