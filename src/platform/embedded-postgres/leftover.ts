// What an engine that was killed left running. Nothing is signalled but PostgreSQL's processes on our own cluster: a number
// in a file may belong to anybody by now.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processCommand, processFolder, processStart, signalProcess } from '../process-table.ts';

const POLL_MS = 20;
/** In turn: let it write everything, then only what it must, then take it away. */
const STEPS: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 5000 },
  { signal: 'SIGKILL', waitMs: 5000 },
];

/** The pid of the orphaned server that was stopped; undefined where there was none. */
export async function stopLeftover(cluster: string): Promise<number | undefined> {
  const pid = await readServerPid(cluster);
  const isOurs = pid !== undefined && (await isServerOf(pid, cluster));
  if (isOurs) await stopServer(pid);
  await killBackends(cluster);
  // PostgreSQL would take another process with this number, or one that nobody has buried yet, for a running server. Where
  // the number is free it clears the file away by itself.
  if (pid !== undefined && signalProcess(pid, 0)) await rm(join(cluster, 'postmaster.pid'), { force: true });
  return isOurs ? pid : undefined;
}

/** Signals the server, harder each time, until it is gone. */
export async function stopServer(pid: number, hasStopped = () => isGone(pid)): Promise<void> {
  for (const { signal, waitMs } of STEPS) {
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

/** By the folder it works in, which is right also after the data folder was moved; by its command line elsewhere. */
async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  const command = (await processCommand(pid)) ?? '';
  if (!command.includes('postgres')) return false;
  return (await processFolder(pid)) === cluster || command.includes(`postgres -D ${cluster} `);
}

/** Where the server itself was killed, a process of it may still be busy; it would write into the cluster of the next one. */
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
