// One RabbitMQ server: Debian's as an ordinary process, or else one in Docker.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { processStart, signalProcess } from '../../src/platform/process-table.ts';
import { until } from './until.ts';

/** The description of a broker, stored so that another process can end it. */
export type BrokerPlace = {
  readonly folder: string;
  readonly port: number;
  readonly distPort: number;
  readonly epmdPort: number;
};

const SCRIPTS = '/usr/lib/rabbitmq/bin';
const NAME_SERVER = '/usr/bin/epmd';
const DOCKER_IMAGE = 'rabbitmq:3.13-alpine';

export function hasLocalRabbitmq(): boolean {
  return existsSync(path.join(SCRIPTS, 'rabbitmq-server'));
}

/** False also if Docker is installed and not running. */
export function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** Starts the broker with its stored data; does not wait until it answers. */
export async function launchBroker(place: BrokerPlace): Promise<void> {
  await mkdir(path.join(place.folder, 'home'), { recursive: true });
  await writeFile(path.join(place.folder, 'plugins'), '[].');
  await writeFile(path.join(place.folder, 'place.json'), JSON.stringify(place));
  if (!hasLocalRabbitmq()) return launchInDocker(place);
  const output = await open(path.join(place.folder, 'output'), 'a');
  const server = spawn(path.join(SCRIPTS, 'rabbitmq-server'), [], {
    env: environmentOf(place),
    stdio: ['ignore', output.fd, output.fd],
    detached: true,
  });
  server.on('error', () => undefined);
  server.unref();
  await output.close();
}

/** Ends the broker with SIGKILL. */
export async function killBroker(place: BrokerPlace): Promise<void> {
  if (!hasLocalRabbitmq()) return void runDocker(['kill', '--signal', 'KILL', dockerName(place)]);
  const pid = await pidOf(place);
  if (pid === undefined) return;
  signalProcess(pid, 'SIGKILL');
  await until(async () => (await processStart(pid)) === undefined);
}

/** Ends the broker and deletes its data. */
export async function removeBroker(place: BrokerPlace): Promise<void> {
  await killBroker(place);
  if (!hasLocalRabbitmq()) runDocker(['rm', '--force', '--volumes', dockerName(place)]);
  // The name server is a separate daemon that refuses to end while it knows a running broker.
  else await until(() => !hasNameServer(place));
  await rm(place.folder, { recursive: true, force: true });
}

/** Runs `rabbitmqctl …` and returns its output. */
export function controlBroker(place: BrokerPlace, args: readonly string[]): string {
  const [command, all] = hasLocalRabbitmq()
    ? [path.join(SCRIPTS, 'rabbitmqctl'), args]
    : ['docker', ['exec', dockerName(place), 'rabbitmqctl', ...args]];
  const result = spawnSync(command, [...all], { env: environmentOf(place), encoding: 'utf8', timeout: 60_000 });
  if (result.status !== 0) throw new Error(`rabbitmqctl ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** Does nothing if the process has ended. */
function hasNameServer(place: BrokerPlace): boolean {
  const args = ['-port', String(place.epmdPort), '-kill'];
  const { stdout, stderr } = spawnSync(NAME_SERVER, args, {
    env: environmentOf(place),
    encoding: 'utf8',
    timeout: 10_000,
  });
  return /living nodes/i.test(`${stdout}${stderr}`);
}

async function pidOf({ folder }: BrokerPlace): Promise<number | undefined> {
  const pid = Number(await readFile(path.join(folder, 'pid'), 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined;
  // The pid in the file may belong to an unrelated process by now.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(folder) ? pid : undefined;
}

function environmentOf({ folder, port, distPort, epmdPort }: BrokerPlace): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: path.join(folder, 'home'),
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `chartwright${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: path.join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: path.join(folder, 'log'),
    RABBITMQ_PID_FILE: path.join(folder, 'pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(folder, 'plugins'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

function launchInDocker(place: BrokerPlace): void {
  const name = dockerName(place);
  if (runDocker(['start', name])) return;
  if (!runDocker(['run', '--detach', '--name', name, '--publish', `127.0.0.1:${place.port}:5672`, DOCKER_IMAGE])) {
    throw new Error(
      'The tests need RabbitMQ: install it (Debian: apt-get install rabbitmq-server), or start Docker. Nothing of it has to run: they start their own.',
    );
  }
}

function dockerName({ port }: BrokerPlace): string {
  return `chartwright-test-${port}`;
}

function runDocker(args: readonly string[]): boolean {
  return spawnSync('docker', [...args], { stdio: 'ignore', timeout: 300_000 }).status === 0;
}
