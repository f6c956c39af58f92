// Tests the container's start command without Docker: as an ordinary user, on a read-only tree of the image's files, with secrets in files.
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeEmptyDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { type ImageTree, makeImageTree, type Ran } from './image-tree.ts';

const OPERATOR_KEY = 'made-up-operator-key-for-tests-0123456789';
const MAX_IMAGE_BYTES = 100_000_000;

describe('the engine of the image', () => {
  let tree: ImageTree;
  let database: Awaited<ReturnType<typeof makeEmptyDatabase>>;
  let engine: Ran;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    [tree, database] = await Promise.all([makeImageTree(), makeEmptyDatabase()]);
    env = {
      PORT: String(await freePort()),
      SANDBOX_PORT: '0',
      ...(await secretFile('DATABASE_URL', database.connectionString)),
      ...(await secretFile('OPERATOR_KEY', OPERATOR_KEY)),
      ...(await secretFile('MASTER_KEY', randomBytes(32).toString('base64'))),
    };
    engine = tree.start(env);
    await until(async () => engine.child.exitCode !== null || (await isReady()));
  });
  afterAll(async () => {
    engine?.child.kill('SIGKILL');
    await engine?.exited;
    await database?.drop();
    await tree?.remove();
  });

  const secretFile = async (name: string, secret: string) => {
    const file = path.join(tree.secretsDir, name.toLowerCase());
    await writeFile(file, `${secret}\n`, { mode: 0o400 });
    await tree.give(file);
    return { [`${name}_FILE`]: file };
  };
  const url = () => `http://127.0.0.1:${env['PORT']}`;
  const isReady = () =>
    fetch(`${url()}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );

  it('becomes ready with the database address and the keys from files', async () => {
    expect(engine.output()).toMatch(/Chartwright \d+\.\d+\.\d+ is ready/);
    expect(engine.output()).toMatch(/Operator key\s+as OPERATOR_KEY gives it/);
    expect(await readdir(tree.dataDir)).not.toContain('master.key');
    const answer = await fetch(`${url()}/ops/keys`, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } });
    expect(answer.status).toBe(200);
  });

  it('has the sandbox, as without a container', () => {
    expect(engine.output()).toMatch(/Sites\s+sandbox \(live\)/);
  });

  it('has at most 100 MB of files in its folder, with the packages', async () => {
    expect(await sizeOf(tree.folder)).toBeLessThan(MAX_IMAGE_BYTES);
  });

  it('cannot write outside of its data folder and /tmp', async () => {
    const attempt = tree.run(['node', '-e', 'fs.writeFileSync("src/main.ts", "")'], env);
    expect(await attempt.exited).toBe(1);
    expect(attempt.output()).toMatch(/EACCES|EROFS/);
  });

  it('has no secret in its environment, and prints none', async () => {
    const environment = await readFile(`/proc/${engine.child.pid}/environ`, 'utf8').catch(() => '');
    expect(environment).not.toContain(OPERATOR_KEY);
    expect(engine.output()).not.toContain(OPERATOR_KEY);
  });

  it('issues a first key by the command line in the container', async () => {
    const command = tree.run(['docker/chartwright', 'keys', 'create', '--organization', 'my-clinic', '--json'], env);
    expect([await command.exited, command.output()]).toEqual([
      0,
      expect.stringContaining('"organization": "my-clinic"'),
    ]);
  });

  it('is healthy while it runs, ends at SIGTERM, and is not healthy afterwards', async () => {
    const healthy = tree.checkHealth(env);
    expect([await healthy.exited, healthy.output()]).toEqual([0, expect.stringMatching(/"status":"(ok|degraded)"/)]);
    engine.child.kill('SIGTERM');
    expect(await engine.exited).toBe(0);
    const after = tree.checkHealth(env);
    expect([await after.exited, after.output()]).toEqual([1, `no answer at port ${env['PORT']}\n`]);
  });

  it('does not start if the file of a secret is missing, and names the file', async () => {
    const missing = path.join(tree.secretsDir, 'nothing');
    const refused = tree.start({ ...env, MASTER_KEY_FILE: missing });
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toBe(`The secrets cannot be read:\n  MASTER_KEY_FILE: ${missing} is not there\n`);
  });

  it('does not start if its user may not read the file of a secret, and names file and user', async () => {
    const file = path.join(tree.secretsDir, 'foreign');
    await writeFile(file, 'hidden words');
    await chmod(file, 0o000);
    const refused = tree.start({ ...env, MASTER_KEY_FILE: file });
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toMatch(/MASTER_KEY_FILE: \S+ may not be read by the user \d+ of the engine\n$/);
  });
});

/** Links are followed. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(file)).map((name) => sizeOf(path.join(file, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
