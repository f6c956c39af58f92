import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { writeLogin } from '../../../src/cli/shared/logins.ts';
import { readSettings } from '../../../src/cli/shared/settings.ts';
import { inFolder } from '../run-cli.ts';

describe('The address of the engine', () => {
  it.each([
    [{}, 'http://127.0.0.1:3000'],
    [{ PORT: '8080' }, 'http://127.0.0.1:8080'],
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://127.0.0.1:8080'],
    [{ HOST: '::' }, 'http://[::1]:3000'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ HOST: 'charts.example.org' }, 'http://charts.example.org:3000'],
    [{ HOST: ' ', PORT: '' }, 'http://127.0.0.1:3000'],
    [{ CHARTWRIGHT_URL: 'https://charts.example.org/', PORT: '8080' }, 'https://charts.example.org'],
    [{ CHARTWRIGHT_URL: 'https://example.org/charts/' }, 'https://example.org/charts'],
  ])('the environment %j leads to the address %s', (environment, baseUrl) => {
    expect(readSettings(environment).baseUrl).toBe(baseUrl);
  });

  it.each([
    { CHARTWRIGHT_URL: 'localhost:3000' },
    { CHARTWRIGHT_URL: 'file:///etc/passwd' },
    { CHARTWRIGHT_URL: 'http://user:word@example.org' },
    { PORT: 'x' },
    { PORT: '0' },
  ])('the environment %j is refused, and the error says what to set', (environment) => {
    expect(() => readSettings(environment)).toThrow(/Set CHARTWRIGHT_URL/);
  });
});

describe('What is sent to the engine', () => {
  const URL = 'http://127.0.0.1:3000';
  const LOGIN = { token: 'ps_of-the-login', expiresAt: '2026-11-21T20:00:00.000Z' };
  const NOW = () => new Date('2026-11-21T08:00:00Z');

  async function aLogin(folder: string, mode = 0o600): Promise<Record<string, string>> {
    const environment = { XDG_CONFIG_HOME: folder, OPERATOR_KEY: 'the-operator-key' };
    const { loginsFile = '' } = readSettings(environment);
    await writeLogin(loginsFile, URL, LOGIN);
    await chmod(loginsFile, mode);
    return environment;
  }

  it('is a token before a login, and a login before the operator’s key', () =>
    inFolder(async (folder) => {
      const environment = await aLogin(folder);
      const read = (more: Record<string, string>) => readSettings({ ...environment, ...more }, NOW).readKey();
      expect(await read({ CHARTWRIGHT_TOKEN: 'st_x' })).toEqual({ key: 'st_x', source: 'CHARTWRIGHT_TOKEN' });
      expect(await read({})).toEqual({ key: LOGIN.token, source: 'login' });
      expect(await read({ CHARTWRIGHT_URL: 'https://other.example' })).toMatchObject({ source: 'OPERATOR_KEY' });
      expect(await read({ XDG_CONFIG_HOME: '' })).toMatchObject({ source: 'OPERATOR_KEY' });
    }));

  it('is a login that is kept below HOME if there is no XDG_CONFIG_HOME', () => {
    expect(readSettings({ HOME: '/home/sam' }).loginsFile).toBe('/home/sam/.config/chartwright/logins.json');
    expect(readSettings({}).loginsFile).toBeUndefined();
  });

  it('is no login that has ended, or that others can read, and the error says what to do', () =>
    inFolder(async (folder) => {
      const late = () => new Date(LOGIN.expiresAt);
      await expect(readSettings(await aLogin(folder), late).readKey()).rejects.toThrow(/has ended: sign in again/);
      await expect(readSettings(await aLogin(folder, 0o640), NOW).readKey()).rejects.toThrow(/run chmod 600 /);
    }));

  it('is no login of a damaged file', () =>
    inFolder(async (folder) => {
      const environment = await aLogin(folder);
      await writeFile(readSettings(environment).loginsFile ?? '', '{"http://127.0');
      await expect(readSettings(environment, NOW).readKey()).rejects.toThrow(/Delete it and sign in again/);
    }));

  it('refuses a token that no header can hold', async () => {
    const asked = readSettings({ CHARTWRIGHT_TOKEN: 'two words' }).readKey();
    await expect(asked).rejects.toThrow(/CHARTWRIGHT_TOKEN does not hold a token/);
  });
});

describe('The operator’s key', () => {
  it('the key is read from OPERATOR_KEY before the file', async () => {
    const found = await readSettings({ OPERATOR_KEY: 'from-the-environment', DATA_DIR: '/nowhere' }).readKey();
    expect(found).toEqual({ key: 'from-the-environment', source: 'OPERATOR_KEY' });
  });

  it('the key is read from the file that the engine made, without its line end', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'operator.key'), 'from-the-file\n');
      expect((await readSettings({ DATA_DIR: folder }).readKey()).key).toBe('from-the-file');
    }));

  it('the command line says that the key is missing if there is no file', () =>
    inFolder(async (folder) => {
      const asked = readSettings({ DATA_DIR: join(folder, 'none') }).readKey();
      await expect(asked).rejects.toThrow(/There is no operator key at .*npm start/);
    }));

  it('the command line refuses a file that does not hold a key', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'operator.key'), 'two\nlines\n');
      await expect(readSettings({ DATA_DIR: folder }).readKey()).rejects.toThrow(/does not hold an operator key/);
    }));

  it('the command line says that the key cannot be read if the file cannot be read', () =>
    inFolder(async (folder) => {
      // No user, not even root, can read a folder in place of the file.
      await mkdir(join(folder, 'operator.key'));
      await expect(readSettings({ DATA_DIR: folder }).readKey()).rejects.toThrow(/cannot be read/);
    }));
});
