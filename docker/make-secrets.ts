// Makes the secrets of docker/compose.yaml at the first start, in three folders, so that each service sees only its own. Existing secrets are
// never changed: stored data cannot be read with another key.
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.argv[2] ?? '/secrets';
const USER = 'chartwright';
/** The database and the broker run as separate users; no other service has their volumes. */
const THEIRS = 0o444;
const OURS = 0o400;

const makePassword = () => randomBytes(24).toString('hex');
const database = keep('database/password', makePassword, THEIRS);
const broker = keep('broker/password', makePassword, OURS);
keep('broker/rabbitmq.conf', () => brokerSettings(broker), THEIRS);
keep('engine/database-url', () => `postgres://${USER}:${database}@database:5432/${USER}`, OURS);
keep('engine/amqp-url', () => `amqp://${USER}:${broker}@broker:5672`, OURS);
keep('engine/master-key', () => randomBytes(32).toString('base64'), OURS);
keep('engine/operator-key', () => randomBytes(32).toString('base64url'), OURS);

/** Writes a file completely or not at all, so that a killed start leaves no partial secret. */
function keep(name: string, make: () => string, mode: number): string {
  const file = path.join(folder, name);
  const known = readIfThere(file);
  if (known !== undefined) return known;
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.new-${randomUUID()}`;
  try {
    writeFileSync(temporary, `${make()}\n`, { mode: 0o600, flush: true });
    chmodSync(temporary, mode);
    linkSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (thrown) {
    if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** RabbitMQ reads its first user from this file; a file name in its environment is not supported any more. */
function brokerSettings(password: string): string {
  return [`default_user = ${USER}`, `default_pass = ${password}`, 'log.console = true', 'log.file = false'].join('\n');
}
