// A whole engine in its own process, for journeys: started as by an operator, on free ports, with vendors that the test simulates.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';

/** The same as in `npm start`. */
export const NODE_FLAGS = ['--disable-sigusr1', '--max-semi-space-size=4'] as const;
export const OPERATOR_KEY = 'made-up-operator-key-for-tests-0123456789';
const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

export type Engine = {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** The output so far. */
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  /** Calls with the operator's key; throws unless the answer is 2xx. */
  readonly ops: (method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Makes a key of the organization and returns its text for `x-api-key`. */
  readonly makeKey: (order?: { readonly organization?: string; readonly plan?: string }) => Promise<string>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number | NodeJS.Signals>;
  /** Sends SIGTERM and waits for the end; removes a data folder that was made for this engine. */
  readonly stop: () => Promise<void>;
};

type EngineParts = {
  /** For example DATABASE_URL, OPENAI_BASE_URL. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: a new folder, which `stop` removes. */
  readonly dataDir?: string;
};

/** Throws with the engine's output if it does not get ready. */
export async function startEngine({ env = {}, dataDir: givenDir }: EngineParts = {}): Promise<Engine> {
  const dataDir = givenDir ?? (await mkdtemp(path.join(tmpdir(), 'chartwright-engine-')));
  const { child, output, exited } = spawnEngine({ DATA_DIR: dataDir, ...env });
  const url = await readUrl(output, exited);

  async function ops(method: string, opsPath: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${url}/ops${opsPath}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} /ops${opsPath}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return text.startsWith('{') ? JSON.parse(text) : text;
  }

  return {
    url,
    dataDir,
    pid: child.pid ?? 0,
    output,
    exited,
    ops,
    makeKey: async ({ organization = 'test-clinic', plan = 'unlimited' } = {}) => {
      const { key } = (await ops('POST', '/keys', { organization, plan })) as { readonly key: string };
      return key;
    },
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      child.kill('SIGTERM');
      const lateKill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(lateKill);
      if (givenDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type Spawned = {
  readonly child: ChildProcess;
  readonly output: Engine['output'];
  readonly exited: Promise<number | NodeJS.Signals>;
};

/** Also for starts that are expected to fail. The machine's own settings are not used. `main`: the entry point of a copy. */
export function spawnEngine(env: Readonly<Record<string, string>>, main: string = MAIN): Spawned {
  const child = spawn(process.execPath, [...NODE_FLAGS, main], {
    // Another folder, so that a developer's .env is not read.
    cwd: tmpdir(),
    env: {
      ...COMPILE_CACHE,
      PATH: process.env['PATH'] ?? '',
      npm_lifecycle_event: 'start',
      PORT: '0',
      SANDBOX: 'off',
      // One call less of the model for each note; journeys about the second check set a model.
      VERIFIER_MODEL: 'off',
      OPERATOR_KEY,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const heard = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    heard.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    heard.stderr += text;
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  return { child, output: () => ({ ...heard }), exited };
}

async function readUrl(output: Engine['output'], exited: Promise<unknown>): Promise<string> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadlineMs && !hasEnded) {
    const url = /REST interface\s+(http:\S+)/.exec(output().stdout)?.[1];
    if (url !== undefined) return url;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the engine did not get ready:\n${output().stdout}\n${output().stderr}`);
}
