// The environment of the benchmarks of runs: a database server, a broker, the world around the engine, and a folder of mappings for one site.
// All of it ends with the benchmark.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { learnProven } from '../support/proven-ehrs.ts';
import type { RabbitClient } from '../support/rabbit-client.ts';
import { startBroker } from '../support/rabbitmq.ts';
import { until } from '../support/until.ts';
import { MAPPINGS } from './peers/base-set.ts';
import type { WorldAnswer, WorldQuestion } from './run-world.ts';

export const SITE = 'mercy';
export const EXCHANGE = 'ehr.events';

export type World = {
  readonly baseUrl: string;
  readonly speechUrl: string;
  readonly modelUrl: string;
  readonly ask: (question: WorldQuestion) => Promise<WorldAnswer>;
  readonly stop: () => Promise<void>;
};

export type RunTestbed = {
  readonly world: World;
  readonly brokerUrl: string;
  /** Makes a new database on the server, with what a write test of the world's EHR would have learned. */
  readonly makeDatabase: (name: string) => Promise<string>;
  /** Starts an engine whose one site is the world's EHR, with errors as its only log. */
  readonly startEngine: (databaseUrl: string, env?: Readonly<Record<string, string>>) => Promise<Engine>;
  /** Waits until the engine consumes events of the broker, which is a moment after it is ready. */
  readonly untilListening: (rabbit: RabbitClient) => Promise<void>;
};

/** Closes all parts in reverse order, whatever happens. */
export async function withRunTestbed<T>(work: (testbed: RunTestbed) => Promise<T>): Promise<T> {
  const opened: (() => Promise<void>)[] = [];
  try {
    return await work(await openRunTestbed(opened));
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}

async function openRunTestbed(opened: (() => Promise<void>)[]): Promise<RunTestbed> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chartwright-bench-'));
  opened.push(() => rm(folder, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({
    dataDir: path.join(folder, 'postgres'),
    homesFolder: path.join(folder, 'homes'),
    onUnexpectedExit: (error) => console.error(error.message),
  });
  opened.push(server.stop);
  const broker = await startBroker();
  opened.push(broker.close);
  const world = await startWorld();
  opened.push(world.stop);
  const mappings = path.join(folder, 'mappings');
  await writeSite(mappings, world.baseUrl);
  return {
    world,
    brokerUrl: broker.url,
    untilListening: (rabbit) =>
      until(async () => ((await rabbit.look(`chartwright.${SITE}.encounters`))?.consumers ?? 0) > 0),
    makeDatabase: (name) => makeDatabase(server.connectionString, name),
    startEngine: async (databaseUrl, env = {}) => {
      return startEngine({
        env: {
          DATABASE_URL: databaseUrl,
          AMQP_URL: broker.url,
          MAPPINGS_DIR: mappings,
          MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
          OPENAI_BASE_URL: world.modelUrl,
          DEEPGRAM_BASE_URL: world.speechUrl,
          LOG_LEVEL: 'error',
          ...env,
        },
      });
    },
  };
}

async function writeSite(mappings: string, baseUrl: string): Promise<void> {
  await cp(path.join(MAPPINGS, 'base'), path.join(mappings, 'base'), { recursive: true });
  await mkdir(path.join(mappings, SITE));
  const lines = [
    'extends: base',
    'organization: mercy-general',
    'mode: live',
    `ehr: { baseUrl: ${baseUrl}, maxConcurrentWrites: 20 }`,
    `events: { amqp: { exchange: ${EXCHANGE}, bindings: ["encounter.#"] } }`,
    'recording: { settle: 0s }',
    '',
  ];
  await writeFile(path.join(mappings, SITE, 'site.yaml'), lines.join('\n'));
}

async function makeDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await learnProven(url.href, [SITE]);
  return url.href;
}

async function startWorld(): Promise<World> {
  const child = fork(path.join(import.meta.dirname, 'run-world.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const first = await hear(child, exited);
  if (!('baseUrl' in first)) throw new Error('the world of the bench did not say where it is');
  return {
    ...first,
    ask: (question) => {
      const answer = hear(child, exited);
      child.send(question);
      return answer;
    },
    stop: async () => {
      child.kill();
      await exited;
    },
  };
}

function hear(child: ChildProcess, exited: Promise<unknown>): Promise<WorldAnswer> {
  const heard = once(child, 'message').then(([answer]) => answer as WorldAnswer);
  const ended = exited.then(() => Promise.reject(new Error('the world of the bench has ended')));
  return Promise.race([heard, ended]);
}
