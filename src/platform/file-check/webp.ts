// Walks a WebP chunk by chunk to the length that its header claims: size, frames, metadata. Does not decode the pixels.
import type { ByteReader } from './byte-reader.ts';
import { checkSize, expectOnlyPadding, ImageBudget, type Size } from './image-limits.ts';
import { Refusal } from './refusal.ts';

/** Enough of a bitstream to know its size. */
const LOSSY_HEAD_BYTES = 10;
const LOSSLESS_HEAD_BYTES = 5;

const CHUNK_HEAD_BYTES = 8;

type Walk = { readonly reader: ByteReader; readonly budget: ImageBudget };
type Chunk = { readonly id: string; readonly length: number; readonly paddedLength: number };

export async function walkWebp(reader: ByteReader): Promise<void> {
  const head = await reader.take(12);
  const end = 8 + head.readUInt32LE(4);
  const walk: Walk = { reader, budget: new ImageBudget() };
  let stills = 0;
  for (let index = 0; reader.offset < end; index += 1) {
    const chunk = await readChunkHead(reader, end);
    if (chunk.id === 'VP8X' && index > 0) throw new Refusal('imageDamaged');
    stills += await readChunk(walk, chunk);
  }
  // Either one picture or frames.
  if (stills + Math.min(walk.budget.frames, 1) !== 1) throw new Refusal('imageDamaged');
  await expectOnlyPadding(reader);
}

async function readChunkHead(reader: ByteReader, end: number): Promise<Chunk> {
  if (reader.offset + CHUNK_HEAD_BYTES > end) throw new Refusal('imageDamaged');
  const head = await reader.take(CHUNK_HEAD_BYTES);
  const length = head.readUInt32LE(4);
  const paddedLength = length + (length % 2);
  if (reader.offset + paddedLength > end) throw new Refusal('imageDamaged');
  return { id: head.toString('latin1', 0, 4), length, paddedLength };
}

/** Reads one chunk and returns how many still pictures it is. */
async function readChunk({ reader, budget }: Walk, chunk: Chunk): Promise<number> {
  budget.addMetadata(CHUNK_HEAD_BYTES);
  switch (chunk.id) {
    case 'VP8X':
      checkSize(canvasSize(await takePart(reader, chunk, 10), 4));
      return 0;
    case 'VP8 ':
      checkSize(lossySize(await takePart(reader, chunk, LOSSY_HEAD_BYTES)));
      return 1;
    case 'VP8L':
      checkSize(losslessSize(await takePart(reader, chunk, LOSSLESS_HEAD_BYTES)));
      return 1;
    case 'ANMF':
      await readFrame({ reader, budget }, chunk);
      return 0;
    case 'ALPH':
      await reader.skip(chunk.paddedLength);
      return 0;
    default:
      budget.addMetadata(chunk.length);
      await reader.skip(chunk.paddedLength);
      return 0;
  }
}

async function readFrame({ reader, budget }: Walk, chunk: Chunk): Promise<void> {
  if (chunk.length < 16) throw new Refusal('imageDamaged');
  const end = reader.offset + chunk.paddedLength;
  budget.addFrame(canvasSize(await reader.take(16), 6));
  let pictures = 0;
  while (reader.offset < end) {
    const part = await readChunkHead(reader, end);
    if (part.id === 'ANMF' || part.id === 'VP8X') throw new Refusal('imageDamaged');
    pictures += await readChunk({ reader, budget }, part);
  }
  if (pictures !== 1) throw new Refusal('imageDamaged');
}

async function takePart(reader: ByteReader, chunk: Chunk, count: number): Promise<Buffer> {
  if (chunk.length < count) throw new Refusal('imageDamaged');
  const part = await reader.take(count);
  await reader.skip(chunk.paddedLength - count);
  return part;
}

function canvasSize(part: Buffer, offset: number): Size {
  return { width: part.readUIntLE(offset, 3) + 1, height: part.readUIntLE(offset + 3, 3) + 1 };
}

function lossySize(part: Buffer): Size {
  const isKeyFrame = ((part[0] ?? 1) & 1) === 0;
  if (!isKeyFrame || part.readUIntBE(3, 3) !== 0x9d012a) throw new Refusal('imageDamaged');
  return { width: part.readUInt16LE(6) & 0x3fff, height: part.readUInt16LE(8) & 0x3fff };
}

function losslessSize(part: Buffer): Size {
  if (part[0] !== 0x2f) throw new Refusal('imageDamaged');
  const bits = part.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
