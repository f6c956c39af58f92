// Walks a GIF from its header to the trailer: size, frames, metadata. Does not decode the pixels.
import type { ByteReader } from './byte-reader.ts';
import { checkSize, expectOnlyPadding, ImageBudget } from './image-limits.ts';
import { Refusal } from './refusal.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

export async function walkGif(reader: ByteReader): Promise<void> {
  const budget = new ImageBudget();
  const head = await reader.take(13);
  checkSize({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) });
  await skipColourTable(reader, head[10]);
  for (;;) {
    const [block] = await reader.take(1);
    if (block === TRAILER) break;
    if (block === EXTENSION) {
      await reader.skip(1);
      budget.addMetadata(3 + (await skipBlocks(reader)));
    } else if (block === IMAGE) {
      await readFrame(reader, budget);
    } else {
      throw new Refusal('imageDamaged');
    }
  }
  if (budget.frames === 0) throw new Refusal('imageDamaged');
  await expectOnlyPadding(reader);
}

async function readFrame(reader: ByteReader, budget: ImageBudget): Promise<void> {
  const frame = await reader.take(9);
  budget.addFrame({ width: frame.readUInt16LE(4), height: frame.readUInt16LE(6) });
  await skipColourTable(reader, frame[8]);
  const [codeBits = 0] = await reader.take(1);
  if (codeBits < 1 || codeBits > 11) throw new Refusal('imageDamaged');
  if ((await skipBlocks(reader)) === 0) throw new Refusal('imageDamaged');
}

async function skipColourTable(reader: ByteReader, flags = 0): Promise<void> {
  if ((flags & 0x80) !== 0) await reader.skip(3 * 2 ** ((flags & 7) + 1));
}

/** Passes over blocks up to the empty one, and returns how many bytes they were. */
async function skipBlocks(reader: ByteReader): Promise<number> {
  const start = reader.offset;
  for (;;) {
    const bytes = await reader.atHand();
    let at = 0;
    // Without waiting from block to block: twenty megabytes of blocks of one byte would take seconds.
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
    if (at < bytes.length) {
      await reader.skip(at + 1);
      return reader.offset - start - 1;
    }
    await reader.skip(at);
  }
}
