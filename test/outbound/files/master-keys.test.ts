// Tests the master keys of an engine: in files that are replaced without a gap, or in settings.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeMasterKeys } from '../../../src/outbound/files/master-keys.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-keys-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inFiles = () => makeMasterKeys({ setting: undefined, nextSetting: undefined, folder });
const keyIn = async (name: string) =>
  new Uint8Array(Buffer.from(await readFile(path.join(folder, name), 'utf8'), 'base64'));
const begun = async () => true;
const unused = async () => false;

describe('master keys in files', () => {
  it('the first key is made for a database that has none, and never beside one that has', async () => {
    await expect(inFiles().read(begun)).rejects.toThrow(/The master key is missing: there is no .*master\.key/);
    expect(await readdir(folder)).toEqual([]);
    const [key, next] = await inFiles().read(unused);
    expect(key).toEqual(await keyIn('master.key'));
    expect(next).toBeUndefined();
  });

  it('the next key is made once, beside the one in force, and only its owner may read it', async () => {
    const [first] = await inFiles().read(unused);
    const next = await inFiles().next();
    expect(await inFiles().next()).toEqual(next);
    expect(await inFiles().read(begun)).toEqual([first, next]);
    expect((await stat(path.join(folder, 'master.key.next'))).mode & 0o777).toBe(0o600);
  });

  it('the next key becomes the key once it is in force, and the old one stays beside it', async () => {
    const [first] = await inFiles().read(unused);
    const next = await inFiles().next();
    await inFiles().settle(first);
    expect(await readdir(folder)).toContain('master.key.next');
    await inFiles().settle(next);
    await inFiles().settle(next);
    expect(await inFiles().read(begun)).toEqual([next]);
    const names = (await readdir(folder)).toSorted();
    expect(names).toEqual(['master.key', expect.stringMatching(/^master\.key\.replaced-[0-9a-f]{8}$/)]);
    expect(await keyIn(names[1] ?? '')).toEqual(first);
    expect((await stat(path.join(folder, names[1] ?? ''))).mode & 0o777).toBe(0o600);
  });

  it('the change of the files is finished after a kill in its middle', async () => {
    const [first] = await inFiles().read(unused);
    const next = await inFiles().next();
    await inFiles().settle(next);
    // As before the last step: the old file has its second name, and the new one is not in its place yet.
    await writeFile(path.join(folder, 'master.key.next'), Buffer.from(next).toString('base64'), { mode: 0o600 });
    await writeFile(path.join(folder, 'master.key'), Buffer.from(first).toString('base64'), { mode: 0o600 });
    await inFiles().settle(next);
    expect(await inFiles().read(begun)).toEqual([next]);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('a file that holds no key is refused', async () => {
    await writeFile(path.join(folder, 'master.key'), 'c2hvcnQ=', { mode: 0o600 });
    await expect(inFiles().read(begun)).rejects.toThrow(/master\.key must hold 32 bytes in base64/);
  });
});

describe('master keys in settings', () => {
  const setting = new Uint8Array(32).fill(1);
  const nextSetting = new Uint8Array(32).fill(2);

  it('no file is read or made, and the next key has to be a setting, too', async () => {
    const keys = makeMasterKeys({ setting, nextSetting: undefined, folder });
    expect(await keys.read(begun)).toEqual([setting]);
    await expect(keys.next()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/MASTER_KEY_NEXT/),
    });
    await keys.settle(setting);
    expect(await readdir(folder)).toEqual([]);
  });

  it('once the next key is in force, it remains to write it into MASTER_KEY', async () => {
    const keys = makeMasterKeys({ setting, nextSetting, folder });
    expect(await keys.read(begun)).toEqual([setting, nextSetting]);
    expect(await keys.next()).toEqual(nextSetting);
    expect(await keys.remains(setting)).toBeUndefined();
    expect(await keys.remains(nextSetting)).toMatch(/^Write the value of MASTER_KEY_NEXT into MASTER_KEY/);
  });
});
