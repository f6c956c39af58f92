// Stops a server that a killed engine left running. It signals PostgreSQL's processes of our own cluster only: a pid from a file may
// belong to an unrelated process by now.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processCommand, processFolder, processStart, signalProcess } from '../process-table.ts';

const POLL_MS = 20;
/** The signals in turn: fast shutdown, immediate shutdown, kill. */
export type StopSteps = readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[];
const STEPS: StopSteps = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];
/** For a server that has taken no connection yet: it has nothing to finish, and blocks signals at the beginning of its start. */
export const STEPS_WHILE_STARTING: StopSteps = [
  { signal: 'SIGINT', waitMs: 1000 },
  { signal: 'SIGQUIT', waitMs: 1000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];

/** Returns the pid of the orphaned server that was stopped; undefined if there was none. */
export async function stopLeftover(cluster: string): Promise<number | undefined> {
  const pid = await readServerPid(cluster);
  const isOurs = pid !== undefined && (await isServerOf(pid, cluster));
  if (isOurs) await stopServer(pid);
  await killBackends(cluster);
  // PostgreSQL would take an unrelated or zombie process with this pid for a running server. If no process has the pid, it
  // removes the file itself.
  if (pid !== undefined && signalProcess(pid, 0)) await rm(join(cluster, 'postmaster.pid'), { force: true });
  return isOurs ? pid : undefined;
}

/** Signals the server, harder each time, until it is gone. */
export async function stopServer(pid: number, hasStopped = () => isGone(pid), steps = STEPS): Promise<void> {
  for (const { signal, waitMs } of steps) {
    if (!signalProcess(pid, signal)) return;
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      if (await hasStopped()) return;
      await wait(POLL_MS);
    }
  }
  throw new Error(`The database server (pid ${pid}) cannot be stopped.`);
}

async function isGone(pid: number): Promise<boolean> {
  return (await processStart(pid)) === undefined;
}

async function readServerPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

/** Compares its working folder, which is right also after the data folder was moved; on other systems its command line. */
async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  const command = (await processCommand(pid)) ?? '';
  if (!command.includes('postgres')) return false;
  return (await processFolder(pid)) === cluster || command.includes(`postgres -D ${cluster} `);
}

/** After the server itself was killed, one of its processes may still be busy and would write into the next server's cluster. */
async function killBackends(cluster: string): Promise<void> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  for (const pid of pids) {
    if ((await processFolder(pid)) !== cluster) continue;
    if (!(await processCommand(pid))?.startsWith('postgres:')) continue;
    signalProcess(pid, 'SIGKILL');
    const deadline = performance.now() + 5000;
    while (!(await isGone(pid)) && performance.now() < deadline) await wait(POLL_MS);
  }
}
