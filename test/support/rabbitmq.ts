// RabbitMQ for tests. One broker serves all suites of a run, which use unique names; a suite that kills or starves its broker has its own. All
// brokers end with the run, and those of a killed run when the next run starts one.
import { createHash, randomInt } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'amqplib';
import { processStart } from '../../src/platform/process-table.ts';
import { type BrokerPlace, controlBroker, killBroker, launchBroker, removeBroker } from './rabbit-server.ts';
import { until, untilFound } from './until.ts';

export type TestBroker = {
  readonly url: string;
  readonly port: number;
  /** Sends SIGKILL. A quorum queue that is younger than 5 s may not survive it. */
  readonly kill: () => Promise<void>;
  /** Starts it with its stored data; resolves when it answers. */
  readonly start: () => Promise<void>;
  /** Sets or clears the memory alarm. */
  readonly setAlarm: (isOn: boolean) => void;
  /** Runs `rabbitmqctl`. */
  readonly control: (...args: readonly string[]) => string;
  readonly close: () => Promise<void>;
};

const PREFIX = 'chartwright-test-brokers-';
const SHARED = 'shared';
/** Below the ephemeral ports of the system: a client that polls one of those can connect to itself. */
const PORTS = [20_000, 32_000] as const;

/** A broker for one suite. It is started unless `isStarted` is false. */
export async function startBroker({ isStarted = true } = {}): Promise<TestBroker> {
  await removeKilledRuns();
  const folder = await mkdtemp(path.join(await runFolder(), 'own-'));
  const broker = brokerAt(await freePlace(folder));
  if (isStarted) await broker.start();
  return broker;
}

/** The shared broker, started by the first suite that uses it. No suite may kill it. */
export async function sharedBroker(): Promise<Pick<TestBroker, 'url' | 'port' | 'control'>> {
  const folder = path.join(await runFolder(), SHARED);
  const ready = path.join(folder, 'ready');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await removeKilledRuns();
    const place = await freePlace(folder);
    await brokerAt(place).start();
    await writeFile(ready, 'ready');
    return brokerAt(place);
  }
  await until(async () => (await readFile(ready, 'utf8').catch(() => '')) !== '');
  const place: BrokerPlace = JSON.parse(await readFile(path.join(folder, 'place.json'), 'utf8'));
  return brokerAt(place);
}

/** Called at the end of the run. */
export async function endBrokers(): Promise<void> {
  await removeRun(path.join(tmpdir(), runName()));
}

function brokerAt(place: BrokerPlace): TestBroker {
  const url = `amqp://guest:guest@127.0.0.1:${place.port}`;
  const control = (...args: readonly string[]) => controlBroker(place, args);
  return {
    url,
    port: place.port,
    control,
    kill: () => killBroker(place),
    start: async () => {
      await launchBroker(place);
      await untilFound(() => answers(url));
    },
    setAlarm: (isOn) => void control('set_vm_memory_high_watermark', isOn ? '0.000001' : '0.6'),
    close: () => removeBroker(place),
  };
}

async function answers(url: string): Promise<true | undefined> {
  try {
    const connection = await connect(url, { timeout: 5_000 });
    connection.on('error', () => undefined);
    await connection.close();
    return true;
  } catch {
    return undefined;
  }
}

async function freePlace(folder: string): Promise<BrokerPlace> {
  return untilFound(async () => {
    const first = randomInt(...PORTS);
    const ports = [first, first + 1, first + 2] as const;
    const areFree = (await Promise.all(ports.map(isFree))).every(Boolean);
    return areFree ? { folder, port: ports[0], distPort: ports[1], epmdPort: ports[2] } : undefined;
  });
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}

/** All workers of a run share its database server, which identifies the run. */
function runName(): string {
  const run = process.env['TEST_DATABASE_URL'] ?? `process ${process.pid}`;
  return `${PREFIX}${createHash('sha256').update(run).digest('hex').slice(0, 12)}`;
}

async function runFolder(): Promise<string> {
  const folder = path.join(tmpdir(), runName());
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'owner.json'), JSON.stringify(await owner()), { flag: 'wx' }).catch(
    () => undefined,
  );
  return folder;
}

type Owner = { readonly pid: number; readonly start: string };

/** The pid of Jest itself, because its workers are replaced. */
async function owner(): Promise<Owner> {
  const isWorker = (process.argv[1] ?? '').includes('jest-worker');
  const pid = isWorker ? process.ppid : process.pid;
  return { pid, start: (await processStart(pid)) ?? '' };
}

async function removeKilledRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX) || name === runName()) continue;
    const folder = path.join(tmpdir(), name);
    const text = await readFile(path.join(folder, 'owner.json'), 'utf8').catch(() => '');
    // The folder is just being made.
    if (text === '') continue;
    const { pid, start }: Owner = JSON.parse(text);
    if ((await processStart(pid)) !== start) await removeRun(folder).catch(() => undefined);
  }
}

async function removeRun(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const text = await readFile(path.join(folder, name, 'place.json'), 'utf8').catch(() => '');
    if (text !== '') await removeBroker(JSON.parse(text));
  }
  await rm(folder, { recursive: true, force: true });
}
