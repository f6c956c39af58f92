import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSpool } from '../../../src/outbound/files/spool.ts';
import { describeSpool, readAll, someBytes, spooled } from '../../contracts/spool-contract.ts';
import { makeFakeSpool } from '../../fakes/spool.ts';

describeSpool('The spool on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spool-'));
  const spool = await openSpool({ folder, minFreeBytes: 0 });
  return {
    spool,
    fileCount: async () => (await readdir(folder)).length,
    async close() {
      await spool.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describeSpool('The fake spool', async () => {
  const spool = makeFakeSpool();
  return { spool, fileCount: async () => spool.fileCount(), close: async () => undefined };
});

describe('The spool on disk', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'spool-'));
    folder = join(root, 'spool');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const onlyFile = async () => {
    const [name, ...others] = await readdir(folder);
    expect(others).toEqual([]);
    return join(folder, name ?? 'none');
  };
  const openDescriptors = async () => (await readdir('/dev/fd')).length;

  it('the spool deletes files of a crashed engine at the next start, and no other file', async () => {
    const crashed = await openSpool({ folder, minFreeBytes: 0 });
    await spooled(crashed, someBytes(1000), 1000);
    await writeFile(join(folder, 'notes-of-an-operator.txt'), 'not ours');
    await openSpool({ folder, minFreeBytes: 0 });
    expect(await readdir(folder)).toEqual(['notes-of-an-operator.txt']);
  });

  it('no byte of an upload can be found on disk, and no other user may read the file', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    const sentence = 'the patient says that her knee hurts';
    await spooled(spool, Buffer.from(sentence.repeat(10_000)), 50_000);
    const path = await onlyFile();
    expect((await readFile(path)).includes('knee')).toBe(false);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('the same bytes look different in each file', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    await spooled(spool, someBytes(100), 100);
    const first = await readFile(await onlyFile());
    await rm(await onlyFile());
    await spooled(spool, someBytes(100), 100);
    expect((await readFile(await onlyFile())).equals(first)).toBe(false);
  });

  it.each([0, 20, 65_600, 140_000])(
    'the spool refuses a file with byte %i flipped, and does not return changed bytes',
    async (at) => {
      const spool = await openSpool({ folder, minFreeBytes: 0 });
      const file = await spooled(spool, someBytes(150_000), 50_000);
      const handle = await open(await onlyFile(), 'r+');
      const byte = Buffer.alloc(1);
      await handle.read(byte, 0, 1, at);
      await handle.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
      await handle.close();
      await expect(readAll(file)).rejects.toMatchObject({ code: 'internal' });
    },
  );

  it.each([0, 10, 65_564, 131_128, 150_000])(
    'the spool refuses a file cut after %i bytes, and does not return a shorter recording',
    async (at) => {
      const spool = await openSpool({ folder, minFreeBytes: 0 });
      const file = await spooled(spool, someBytes(150_000), 50_000);
      await truncate(await onlyFile(), at);
      await expect(readAll(file)).rejects.toMatchObject({ code: 'internal' });
    },
  );

  it('the spool refuses a file in the place of another one', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    const first = await spooled(spool, someBytes(100), 100);
    const path = await onlyFile();
    await spooled(spool, someBytes(100), 100);
    const other = (await readdir(folder)).map((name) => join(folder, name)).find((name) => name !== path);
    await writeFile(path, await readFile(other ?? path));
    await expect(readAll(first)).rejects.toMatchObject({ code: 'internal' });
  });

  it('a reader that stops half way leaves no open file', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    const file = await spooled(spool, someBytes(300_000), 100_000);
    const before = await openDescriptors();
    for (let turn = 0; turn < 20; turn += 1) {
      for await (const chunk of file.open()) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(await openDescriptors()).toBe(before);
  });

  it('uploads that are given up leave no open file and no bytes', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    const before = await openDescriptors();
    for (let turn = 0; turn < 20; turn += 1) {
      const writer = await spool.create();
      const writing = writer.write(someBytes(200_000)).catch(() => undefined);
      await writer.discard();
      await writing;
    }
    expect(await readdir(folder)).toEqual([]);
    expect(await openDescriptors()).toBe(before);
  });

  it('the spool deletes everything when it stops, and accepts nothing more', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    const finished = await spooled(spool, someBytes(100), 100);
    const writer = await spool.create();
    await writer.write(someBytes(100_000));
    await spool.close();
    expect(await readdir(folder)).toEqual([]);
    await expect(spool.create()).rejects.toMatchObject({ code: 'shuttingDown' });
    await expect(readAll(finished)).rejects.toMatchObject({ code: 'internal' });
    await expect(writer.finish()).rejects.toMatchObject({ code: 'internal' });
    await spool.close();
  });

  it('the spool has no room if the disk has less free space than required', async () => {
    const spool = await openSpool({ folder, minFreeBytes: Number.MAX_SAFE_INTEGER });
    expect(await spool.hasRoom()).toBe(false);
  });

  it('the spool makes its folder again after it was deleted', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    await rm(folder, { recursive: true });
    expect(await spool.hasRoom()).toBe(true);
    await rm(folder, { recursive: true });
    const file = await spooled(spool, someBytes(10), 10);
    expect((await readAll(file)).equals(someBytes(10))).toBe(true);
  });

  it('the spool has no room and accepts nothing if its folder cannot be made', async () => {
    const spool = await openSpool({ folder, minFreeBytes: 0 });
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file stands in the way');
    expect(await spool.hasRoom()).toBe(false);
    await expect(spool.create()).rejects.toMatchObject({ code: 'internal' });
    await rm(folder);
    await mkdir(folder);
  });
});
