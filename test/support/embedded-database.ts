// The embedded database of an engine, seen from outside: its folder, its processes, and the one that leads them.
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { DATABASE_USER } from '../../src/platform/embedded-postgres/cluster.ts';

/** It is elsewhere if root cannot make user namespaces; the engine prints that in its startup message. */
export function clusterOf(dataDir: string, startupMessages: readonly string[]): string {
  return farClusterIn(startupMessages) ?? path.join(dataDir, 'postgres');
}

export function farClusterIn(startupMessages: readonly string[]): string | undefined {
  const notes = startupMessages.map((text) => /keeps its data in (\S+\/postgres): /.exec(text)?.[1]);
  return notes.find((note) => note !== undefined);
}

/** Undefined while no server runs or starts. */
export async function postmasterOf(cluster: string): Promise<number | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return pid > 0 ? pid : undefined;
}

export async function databaseProcessesOf(cluster: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_pid, index) => folders[index] === cluster);
}

/** The processes that serve connections of the engine. */
export async function servingProcessesOf(cluster: string): Promise<readonly number[]> {
  const pids = await databaseProcessesOf(cluster);
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_pid, index) => commands[index]?.startsWith(`postgres: ${DATABASE_USER} `));
}

export async function connectionStringOf(dataDir: string, cluster: string): Promise<string> {
  const password = (await readFile(path.join(dataDir, 'postgres.password'), 'utf8')).trim();
  // The fourth line is the port.
  const port = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[3];
  return `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/postgres`;
}
