// What every spool keeps. Run on the fake and on the real one.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Spool, SpooledFile } from '../../src/ports/spool.ts';

export type SpoolStage = {
  readonly spool: Spool;
  /** How many files there are in it now. */
  readonly fileCount: () => Promise<number>;
  readonly close: () => Promise<void>;
};

export function describeSpool(name: string, setUp: () => Promise<SpoolStage>): void {
  describe(`${name} keeps the contract of the spool`, () => {
    let stage: SpoolStage;
    beforeEach(async () => {
      stage = await setUp();
    });
    afterEach(() => stage.close());

    it.each([0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])('%i bytes come back as they were', async (sizeBytes) => {
      const bytes = someBytes(sizeBytes);
      const file = await spooled(stage.spool, bytes, 30_000);
      expect(file.sizeBytes).toBe(sizeBytes);
      expect((await readAll(file)).equals(bytes)).toBe(true);
    });

    it('a file may be written in pieces of any size', async () => {
      const bytes = someBytes(150_000);
      for (const pieceBytes of [7919, 65_536, 150_000]) {
        const file = await spooled(stage.spool, bytes, pieceBytes);
        expect((await readAll(file)).equals(bytes)).toBe(true);
      }
    });

    it('a file may be opened as often as wanted, also twice at the same time', async () => {
      const bytes = someBytes(150_000);
      const file = await spooled(stage.spool, bytes, 40_000);
      const [first, second] = await Promise.all([readAll(file), readAll(file)]);
      const third = await readAll(file);
      for (const read of [first, second, third]) expect(read.equals(bytes)).toBe(true);
    });

    it('what is written may be changed by its owner afterwards', async () => {
      const bytes = someBytes(1000);
      const writer = await stage.spool.create();
      const lent = Buffer.from(bytes);
      await writer.write(lent);
      lent.fill(0);
      expect((await readAll(await writer.finish())).equals(bytes)).toBe(true);
    });

    it('several files at a time do not get into each other', async () => {
      const contents = [someBytes(70_000), someBytes(90_000), someBytes(0)];
      const files = await Promise.all(contents.map((bytes) => spooled(stage.spool, bytes, 10_000)));
      expect(await stage.fileCount()).toBe(3);
      for (const [index, file] of files.entries()) {
        expect((await readAll(file)).equals(contents[index] ?? someBytes(1))).toBe(true);
      }
    });

    it('nothing is left of a file that was disposed of, and it cannot be opened any more', async () => {
      const file = await spooled(stage.spool, someBytes(100_000), 100_000);
      await file.dispose();
      await file.dispose();
      expect(await stage.fileCount()).toBe(0);
      await expect(readAll(file)).rejects.toMatchObject({ code: 'internal' });
    });

    it('nothing is left of a file that was given up while it was written', async () => {
      const writer = await stage.spool.create();
      await writer.write(someBytes(100_000));
      await writer.discard();
      await writer.discard();
      expect(await stage.fileCount()).toBe(0);
      await expect(writer.write(someBytes(1))).rejects.toMatchObject({ code: 'internal' });
      await expect(writer.finish()).rejects.toMatchObject({ code: 'internal' });
    });

    it('giving up after the end deletes the finished file too', async () => {
      const writer = await stage.spool.create();
      await writer.write(someBytes(10));
      const file = await writer.finish();
      await writer.discard();
      expect(await stage.fileCount()).toBe(0);
      await expect(readAll(file)).rejects.toMatchObject({ code: 'internal' });
    });

    it('nothing can be added to a finished file', async () => {
      const writer = await stage.spool.create();
      await writer.finish();
      await expect(writer.write(someBytes(1))).rejects.toMatchObject({ code: 'internal' });
      await expect(writer.finish()).rejects.toMatchObject({ code: 'internal' });
    });

    it('an empty spool has room', async () => {
      expect(await stage.spool.hasRoom()).toBe(true);
    });
  });
}

/** Bytes without a pattern that a cipher or an offset could hide in; the same each time. */
export function someBytes(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  let state = 42;
  for (let index = 0; index < sizeBytes; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 16;
  }
  return bytes;
}

export async function spooled(spool: Spool, bytes: Uint8Array, pieceBytes: number): Promise<SpooledFile> {
  const writer = await spool.create();
  for (let from = 0; from < bytes.length; from += pieceBytes)
    await writer.write(bytes.subarray(from, from + pieceBytes));
  return writer.finish();
}

export async function readAll(file: SpooledFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
