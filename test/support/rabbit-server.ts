// One RabbitMQ server as its operator has it at hand: Debian's, as a process of ours without root's services, or one in Docker where
// there is no other.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { processStart, signalProcess } from '../../src/platform/process-table.ts';
import { until } from './until.ts';

/** All a broker is: written down, so that another process can end it. */
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

/** False also where Docker is installed and does not run. */
export function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** Starts it on what it has stored; does not wait until it answers. */
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

/** SIGKILL, and gone. */
export async function killBroker(place: BrokerPlace): Promise<void> {
  if (!hasLocalRabbitmq()) return void runDocker(['kill', '--signal', 'KILL', dockerName(place)]);
  const pid = await pidOf(place);
  if (pid === undefined) return;
  signalProcess(pid, 'SIGKILL');
  await until(async () => (await processStart(pid)) === undefined);
}

/** Ends it and all that it has stored. */
export async function removeBroker(place: BrokerPlace): Promise<void> {
  await killBroker(place);
  if (!hasLocalRabbitmq()) runDocker(['rm', '--force', '--volumes', dockerName(place)]);
  // Its name server is a daemon of its own, which refuses to go while it believes that the broker lives.
  else await until(() => !hasNameServer(place));
  await rm(place.folder, { recursive: true, force: true });
}

/** `rabbitmqctl …`; gives what it prints. */
export function controlBroker(place: BrokerPlace, args: readonly string[]): string {
  const [command, all] = hasLocalRabbitmq()
    ? [path.join(SCRIPTS, 'rabbitmqctl'), args]
    : ['docker', ['exec', dockerName(place), 'rabbitmqctl', ...args]];
  const result = spawnSync(command, [...all], { env: environmentOf(place), encoding: 'utf8', timeout: 60_000 });
  if (result.status !== 0) throw new Error(`rabbitmqctl ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** Where none runs (any more), that is what was wanted. */
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
  // A number in a file may belong to anybody by now.
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
