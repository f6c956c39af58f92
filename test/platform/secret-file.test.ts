// A secret is made once, stored, and readable by its owner only.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readOrMakeSecret } from '../../src/platform/secret-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chartwright-secret-'));
  path = join(folder, 'data', 'operator.key');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const refuseToMake = () => {
  throw new Error('must not be made');
};

describe('a secret file', () => {
  it('is made at the first start and read at every later one', async () => {
    expect(await readOrMakeSecret({ path, make: () => 'first' })).toBe('first');
    expect(await readOrMakeSecret({ path, make: refuseToMake })).toBe('first');
  });

  it('can be read by its owner only, and leaves nothing else behind', async () => {
    await readOrMakeSecret({ path, make: () => 'first' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'data'))).toEqual(['operator.key']);
  });

  it('is closed to other users again if its permissions were opened', async () => {
    await readOrMakeSecret({ path, make: () => 'first' });
    await chmod(path, 0o644);
    expect(await readOrMakeSecret({ path, make: refuseToMake })).toBe('first');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is the same for all processes that create it at once', async () => {
    const secrets = await Promise.all(
      Array.from({ length: 20 }, (_, index) => readOrMakeSecret({ path, make: () => `secret-${index}` })),
    );
    expect(new Set(secrets).size).toBe(1);
    expect((await readFile(path, 'utf8')).trim()).toBe(secrets[0]);
    expect(await readdir(join(folder, 'data'))).toEqual(['operator.key']);
  });

  it('may end in a line break, as editors write it', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(path, 'by-hand\r\n');
    expect(await readOrMakeSecret({ path, make: refuseToMake })).toBe('by-hand');
  });

  it('is never replaced if it is empty, or not a file', async () => {
    await mkdir(join(folder, 'data'));
    await writeFile(path, '\n');
    await expect(readOrMakeSecret({ path, make: refuseToMake })).rejects.toThrow(/is empty/);
    await rm(path);
    await mkdir(path);
    await expect(readOrMakeSecret({ path, make: refuseToMake })).rejects.toThrow(/is not a file with a secret/);
  });
});
