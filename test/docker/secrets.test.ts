// Tests the secrets of the containers: they are made once and read from files, and a file that cannot be read is named with the reason.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSecretVariables, SECRETS } from '../../docker/secret-variables.ts';
import { readConfig } from '../../src/config.ts';
import { ROOT } from './dockerfile.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-secrets-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the secrets of docker/compose.yaml', () => {
  const made = () => path.join(folder, 'made');
  const make = () => {
    const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'docker/make-secrets.ts'), made()], {
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  const readAll = async () => {
    const names = (await readdir(made(), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const files = names.map((entry) => path.join(entry.parentPath, entry.name)).toSorted();
    return Promise.all(files.map(async (file) => [path.relative(made(), file), await readFile(file, 'utf8')] as const));
  };

  it('are valid settings of the engine, with the passwords of database and broker', async () => {
    expect(make()).toEqual({ status: 0, stderr: '' });
    const all = Object.fromEntries(await readAll());
    const files = Object.fromEntries(
      ['database-url', 'amqp-url', 'master-key', 'operator-key'].map((name) => [
        `${name.toUpperCase().replace('-', '_')}_FILE`,
        path.join(made(), 'engine', name),
      ]),
    );
    const config = readConfig(readSecretVariables(files));
    expect(new URL(config.DATABASE_URL ?? '').password).toBe(all['database/password']?.trim());
    expect(all['broker/rabbitmq.conf']).toContain(`default_pass = ${new URL(config.AMQP_URL ?? '').password}\n`);
    expect(config.MASTER_KEY).toHaveLength(32);
    expect(config.OPERATOR_KEY).toMatch(/^[\w-]{43}$/);
  });

  it('stay the same at every later start, and a missing file is made again to fit the others', async () => {
    const before = await readAll();
    await rm(path.join(made(), 'engine/database-url'));
    expect(make()).toEqual({ status: 0, stderr: '' });
    expect(await readAll()).toEqual(before);
  });

  it('can be read only by the engine, except the files that database and broker read in their own volumes', async () => {
    const open = [];
    for (const [file] of await readAll())
      if (((await stat(path.join(made(), file))).mode & 0o077) !== 0) open.push(file);
    expect(open).toEqual(['broker/rabbitmq.conf', 'database/password']);
  });

  it('differ between two installations', async () => {
    const before = await readAll();
    await rm(made(), { recursive: true, force: true });
    make();
    const after = await readAll();
    expect(after.map(([file]) => file)).toEqual(before.map(([file]) => file));
    expect(after.filter(([, secret], index) => secret === before[index]?.[1])).toEqual([]);
  });
});

describe('a secret in a file', () => {
  const given = async (name: string, text: string) => {
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  const problems = (environment: Readonly<Record<string, string>>) => {
    try {
      return Object.keys(readSecretVariables(environment));
    } catch (thrown) {
      return String(thrown).split('\n').slice(1);
    }
  };

  it.each(SECRETS)('can hold %s, and its trailing newline is ignored', async (name) => {
    const file = await given(name, 'made-up words\n');
    expect(readSecretVariables({ [`${name}_FILE`]: file })).toEqual({ [name]: 'made-up words' });
  });

  it('is not read if no file is named, or if the setting is not a secret', () => {
    expect(readSecretVariables({ DATABASE_URL_FILE: ' ', SSL_CERT_FILE: '/nowhere', PORT_FILE: '/nowhere' })).toEqual(
      {},
    );
  });

  it('is refused with all reasons at once, and no message contains a secret', async () => {
    const [empty, long] = await Promise.all([given('empty', ' \n'), given('long', 'x'.repeat(70_000))]);
    const twice = await given('twice', 'hidden words');
    await mkdir(path.join(folder, 'a-folder'));
    const environment = {
      DATABASE_URL_FILE: empty,
      AMQP_URL_FILE: path.join(folder, 'a-folder'),
      MASTER_KEY_FILE: path.join(folder, 'nothing'),
      OPERATOR_KEY_FILE: twice,
      OPERATOR_KEY: 'other hidden words',
      OPENAI_API_KEY_FILE: long,
    };
    const found = problems(environment);
    expect(found).toEqual([
      `  DATABASE_URL_FILE: ${empty} is empty`,
      `  AMQP_URL_FILE: ${environment.AMQP_URL_FILE} is a folder: what was mounted there did not exist on the host`,
      `  MASTER_KEY_FILE: ${environment.MASTER_KEY_FILE} is not there`,
      '  OPERATOR_KEY_FILE: OPERATOR_KEY is set, too: give one of them',
      `  OPENAI_API_KEY_FILE: ${long} is too long for a secret`,
    ]);
    expect(found.join()).not.toContain('hidden');
  });
});
