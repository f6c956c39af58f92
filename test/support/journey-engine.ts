// An engine in its own folder, with only the settings of the test and without an operator's key. For tests of starts and stops.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from './compile-cache.ts';
import { clusterOf, databaseProcessesOf, farClusterIn, postmasterOf } from './embedded-database.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const SOURCES = path.join(import.meta.dirname, '../../src');

export type Environment = Readonly<Record<string, string>>;

export type RunningEngine = {
  readonly pid: number;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  readonly hasExited: () => boolean;
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Throws with the engine's output if it ends instead. */
  readonly ready: () => Promise<{ readonly url: string; readonly port: number }>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Signals the engine's whole process group, as Ctrl-C at a terminal does. */
  readonly signalGroup: (signal: NodeJS.Signals) => void;
};

/** A folder in which the engine is started; its data is in `.data`, as by default. */
export type Site = {
  readonly folder: string;
  readonly dataDir: string;
  readonly start: (env?: Environment) => RunningEngine;
  /** Runs `npm run cli -- …` in the same folder. */
  readonly cli: (port: number, ...args: readonly string[]) => Promise<string>;
  readonly operatorKey: () => Promise<string>;
  /** As the operator; throws for anything but 2xx. */
  readonly ops: (url: string, method: string, path: string, body?: unknown) => Promise<unknown>;
  /** The processes of the embedded database of this folder. */
  readonly databaseProcesses: () => Promise<readonly number[]>;
  readonly postmaster: () => Promise<number>;
  /** The folder of the embedded database. */
  readonly cluster: () => string;
  /** Kills all processes and removes the folder. */
  readonly remove: () => Promise<void>;
};

export async function makeSite(): Promise<Site> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'chartwright-testbed-')));
  const dataDir = path.join(folder, '.data');
  const started: RunningEngine[] = [];
  const operatorKey = () => readFile(path.join(dataDir, 'operator.key'), 'utf8').then((text) => text.trim());

  const printed = () => started.map(({ output }) => output().stdout);
  const cluster = () => clusterOf(dataDir, printed());
  const databaseProcesses = () => databaseProcessesOf(cluster());

  return {
    folder,
    dataDir,
    operatorKey,
    databaseProcesses,
    start: (env = {}) => {
      const engine = spawnEngineIn(folder, env);
      started.push(engine);
      return engine;
    },
    async cli(port, ...args) {
      const env = {
        ...COMPILE_CACHE,
        PATH: process.env['PATH'] ?? '',
        npm_lifecycle_event: 'cli',
        PORT: String(port),
      };
      const { stdout } = await run(process.execPath, [path.join(SOURCES, 'cli/main.ts'), ...args], {
        cwd: folder,
        env,
      });
      return stdout;
    },
    async ops(url, method, opsPath, body) {
      const headers = { authorization: `Bearer ${await operatorKey()}`, 'content-type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`${url}/ops${opsPath}`, init);
      if (!response.ok) throw new Error(`${method} /ops${opsPath}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    cluster,
    async postmaster() {
      const pid = await postmasterOf(cluster());
      if (pid === undefined) throw new Error('no database runs');
      return pid;
    },
    async remove() {
      for (const engine of started) {
        if (!engine.hasExited()) engine.signal('SIGKILL');
        await engine.exited;
      }
      for (const pid of await databaseProcesses()) kill(pid, 'SIGKILL');
      await until(async () => (await databaseProcesses()).length === 0);
      await rm(folder, { recursive: true, force: true });
      const far = farClusterIn(printed());
      if (far !== undefined) await rm(path.dirname(far), { recursive: true, force: true });
    },
  };
}

function spawnEngineIn(folder: string, env: Environment): RunningEngine {
  const child = spawn(process.execPath, [path.join(SOURCES, 'main.ts')], {
    cwd: folder,
    env: { ...COMPILE_CACHE, PATH: process.env['PATH'] ?? '', npm_lifecycle_event: 'start', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that a signal to the group does not reach the tests.
    detached: true,
  });
  const heard = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      heard[name] += text;
    });
  }
  let isOver = false;
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true;
      resolve(code ?? signal ?? 'SIGKILL');
    });
  });
  const pid = pidOf(child);
  return {
    pid,
    exited,
    output: () => ({ ...heard }),
    hasExited: () => isOver,
    signal: (signal) => kill(pid, signal),
    signalGroup: (signal) => kill(-pid, signal),
    async ready() {
      // After its last line the startup message is complete.
      await until(() => isOver || heard.stdout.includes('Ctrl-C'));
      const url = /REST interface\s+(http:\S+)/.exec(heard.stdout)?.[1];
      if (url === undefined) throw new Error(`the engine did not get ready:\n${heard.stdout}\n${heard.stderr}`);
      return { url, port: Number(new URL(url).port) };
    },
  };
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the engine could not be spawned');
  return pid;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended already.
  }
}
