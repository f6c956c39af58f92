import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
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

describe('The operator’s key', () => {
  it('the key is read from OPERATOR_KEY before the file', async () => {
    const found = await readSettings({ OPERATOR_KEY: 'from-the-environment', DATA_DIR: '/nowhere' }).readOperatorKey();
    expect(found).toEqual({ key: 'from-the-environment', source: 'OPERATOR_KEY' });
  });

  it('the key is read from the file that the engine made, without its line end', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'operator.key'), 'from-the-file\n');
      expect((await readSettings({ DATA_DIR: folder }).readOperatorKey()).key).toBe('from-the-file');
    }));

  it('the command line says that the key is missing if there is no file', () =>
    inFolder(async (folder) => {
      const asked = readSettings({ DATA_DIR: join(folder, 'none') }).readOperatorKey();
      await expect(asked).rejects.toThrow(/There is no operator key at .*npm start/);
    }));

  it('the command line refuses a file that does not hold a key', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'operator.key'), 'two\nlines\n');
      await expect(readSettings({ DATA_DIR: folder }).readOperatorKey()).rejects.toThrow(
        /does not hold an operator key/,
      );
    }));

  it('the command line says that the key cannot be read if the file cannot be read', () =>
    inFolder(async (folder) => {
      // No user, not even root, can read a folder in place of the file.
      await mkdir(join(folder, 'operator.key'));
      await expect(readSettings({ DATA_DIR: folder }).readOperatorKey()).rejects.toThrow(/cannot be read/);
    }));
});
