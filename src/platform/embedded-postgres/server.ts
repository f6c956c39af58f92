// One run of the database server: started in a session of its own, so that a signal to the engine's group passes it by.
// Its log never holds a statement, a parameter or a value.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Home } from './home.ts';
import { childEnvironment } from './launcher.ts';
import { STEPS_WHILE_STARTING, type StopSteps, stopServer } from './leftover.ts';

export type Server = { readonly pid: number; readonly stop: () => Promise<void> };

/** The server ended before it was ready. */
export class ServerStartError extends Error {
  /** Another program took the port in the meantime: a try with another port may succeed. */
  readonly isPortTaken: boolean;

  constructor(message: string, isPortTaken: boolean) {
    super(message);
    this.name = 'ServerStartError';
    this.isPortTaken = isPortTaken;
  }
}

/** After a crash the server first repairs what was cut off; a large one needs its time. */
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 10;
const LOG_TAIL_BYTES = 2000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  jit: 'off',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // Errors of statements hold values and are returned to the client; the log is for the server's own messages.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_temp_files: '-1',
  log_lock_waits: 'off',
  log_line_prefix: '%m [%p] ',
} as const;

type ServerParts = {
  readonly home: Home;
  readonly port: number;
  readonly logPath: string;
  /** Called when the server ends without having been asked to. */
  readonly onUnexpectedExit: (how: string) => void;
  /** Ends the start, and the server with it. */
  readonly signal?: AbortSignal;
};

/** Resolves when the server takes connections. */
export async function startServer({ home, port, logPath, onUnexpectedExit, signal }: ServerParts): Promise<Server> {
  signal?.throwIfAborted();
  const log = await open(logPath, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const child = spawnServer(home, port, log.fd);
  let isExpected = true;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  void ended.then((how) => {
    if (!isExpected) onUnexpectedExit(how);
  });
  await log.close();
  const stop = async () => {
    isExpected = true;
    await stopChild(child);
  };
  try {
    const pid = await waitUntilReady({ child, cluster: home.cluster, ended, signal });
    isExpected = false;
    // The engine may end without waiting for its database; a server that is still running is stopped at the next start.
    child.unref();
    return { pid, stop };
  } catch (error) {
    await stopChild(child, signal?.aborted === true ? STEPS_WHILE_STARTING : undefined);
    throw error instanceof ServerEndedError ? await explainEnd(error, logPath, logStart) : error;
  }
}

function spawnServer(home: Home, port: number, logFd: number): ChildProcess {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', home.cluster, '-p', String(port), ...settings];
  const command = home.launcher.command(home.binaries.postgres, args);
  return spawn(command.file, command.args, {
    ...command.options,
    cwd: '/',
    env: childEnvironment(),
    detached: true,
    stdio: ['ignore', logFd, logFd],
  });
}

class ServerEndedError extends Error {}

type Beginning = {
  readonly child: ChildProcess;
  readonly cluster: string;
  readonly ended: Promise<string>;
  readonly signal: AbortSignal | undefined;
};

async function waitUntilReady({ child, cluster, ended, signal }: Beginning): Promise<number> {
  let how: string | undefined;
  void ended.then((text) => {
    how = text;
  });
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    await wait(POLL_MS);
    signal?.throwIfAborted();
    if (how !== undefined) throw new ServerEndedError(how);
    if (child.pid !== undefined && (await isReady(child.pid, cluster))) return child.pid;
  }
  throw new Error(`The embedded database was not ready after ${READY_TIMEOUT_MS / 1000} s.`);
}

/** PostgreSQL keeps its state in the eighth line of this file. */
async function isReady(pid: number, cluster: string): Promise<boolean> {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

async function stopChild(child: ChildProcess, steps?: StopSteps): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  if (child.pid === undefined || hasEnded()) return;
  child.ref();
  const exited = once(child, 'exit');
  await stopServer(child.pid, async () => hasEnded(), steps);
  await exited;
}

async function explainEnd(end: Error, logPath: string, logStart: number): Promise<ServerStartError> {
  const log = await readFile(logPath);
  const tail = log.subarray(Math.max(logStart, log.length - LOG_TAIL_BYTES)).toString('utf8');
  const reason = tail.split('\n').findLast((line) => /FATAL|PANIC|could not|error/i.test(line)) ?? '';
  return new ServerStartError(
    `The embedded database did not start (${end.message}). ${reason} More in ${logPath}.`,
    /could not bind|Address already in use/.test(tail),
  );
}
