// Walks a PNG from signature to IEND: chunk order, lengths and checksums, size, frames, metadata also when unpacked.
// Does not decode the pixels.
import { promisify } from 'node:util';
import { crc32, inflate } from 'node:zlib';
import type { ByteReader } from './byte-reader.ts';
import { checkSize, expectOnlyPadding, ImageBudget } from './image-limits.ts';
import { Refusal } from './refusal.ts';
import { isTooLong } from './unpack-limit.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum. */
const CHUNK_FRAME_BYTES = 12;
/** Colour type → the bit depths that it may have. */
const BIT_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const PACKED_METADATA = new Set(['iCCP', 'zTXt', 'iTXt']);

type Chunk = { readonly type: string; readonly length: number };
type Walk = { readonly reader: ByteReader; readonly budget: ImageBudget };

export async function walkPng(reader: ByteReader): Promise<void> {
  const walk: Walk = { reader, budget: new ImageBudget() };
  await reader.skip(SIGNATURE_BYTES);
  const seen = { header: false, palette: false, pixels: 0 };
  let previous = '';
  for (;;) {
    const chunk = await readChunkHead(reader);
    if (seen.header === (chunk.type === 'IHDR')) throw new Refusal('imageDamaged');
    if (chunk.type === 'IDAT' && seen.pixels > 0 && previous !== 'IDAT') throw new Refusal('imageDamaged');
    walk.budget.addMetadata(CHUNK_FRAME_BYTES);
    await readChunk(walk, chunk);
    if (chunk.type === 'IEND') break;
    seen.header = true;
    if (chunk.type === 'IDAT') seen.pixels += chunk.length;
    previous = chunk.type;
  }
  if (seen.pixels === 0) throw new Refusal('imageDamaged');
  await expectOnlyPadding(reader);
}

async function readChunkHead(reader: ByteReader): Promise<Chunk> {
  const head = await reader.take(8);
  const length = head.readUInt32BE(0);
  const type = head.toString('latin1', 4);
  if (length > 0x7fffffff || !/^[A-Za-z]{4}$/.test(type)) throw new Refusal('imageDamaged');
  return { type, length };
}

async function readChunk({ reader, budget }: Walk, { type, length }: Chunk): Promise<void> {
  switch (type) {
    case 'IHDR':
      if (length !== 13) throw new Refusal('imageDamaged');
      checkHeader(await takeChecked(reader, { type, length }));
      return;
    case 'IDAT':
      return skipChecked(reader, { type, length });
    case 'PLTE':
      if (length === 0 || length > 768 || length % 3 !== 0) throw new Refusal('imageDamaged');
      return skipChecked(reader, { type, length });
    case 'IEND':
      if (length !== 0) throw new Refusal('imageDamaged');
      return skipChecked(reader, { type, length });
    case 'fcTL':
      if (length !== 26) throw new Refusal('imageDamaged');
      budget.addFrame(frameSize(await takeChecked(reader, { type, length })));
      return;
    case 'fdAT':
      return skipChecked(reader, { type, length });
    default:
      return readMetadata({ reader, budget }, { type, length });
  }
}

function checkHeader(header: Buffer): void {
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = header.subarray(8);
  const isKnown = BIT_DEPTHS[colour]?.includes(depth) === true && compression === 0 && filter === 0 && interlace <= 1;
  if (!isKnown) throw new Refusal('imageDamaged');
  checkSize({ width: header.readUInt32BE(0), height: header.readUInt32BE(4) });
}

function frameSize(control: Buffer): { width: number; height: number } {
  return { width: control.readUInt32BE(4), height: control.readUInt32BE(8) };
}

async function readMetadata({ reader, budget }: Walk, chunk: Chunk): Promise<void> {
  // An upper-case first letter says "nothing can be shown without me": a reader that does not know it must give up.
  if (/^[A-Z]/.test(chunk.type)) throw new Refusal('imageDamaged');
  budget.addMetadata(chunk.length);
  if (!PACKED_METADATA.has(chunk.type)) return reader.skip(chunk.length + 4);
  const packed = packedPart(chunk.type, await takeChecked(reader, chunk));
  if (packed !== undefined) budget.addMetadata(await unpackedLength(packed, budget.metadataBytesLeft));
}

/** The deflated part of a chunk: behind the keyword, and in iTXt behind two flags and two more texts. */
function packedPart(type: string, data: Buffer): Buffer | undefined {
  const keywordEnd = data.indexOf(0);
  if (keywordEnd < 1) throw new Refusal('imageDamaged');
  if (type !== 'iTXt') return data.subarray(keywordEnd + 2);
  if (data[keywordEnd + 1] !== 1) return undefined;
  const languageEnd = data.indexOf(0, keywordEnd + 3);
  const translationEnd = languageEnd < 0 ? -1 : data.indexOf(0, languageEnd + 1);
  if (translationEnd < 0) throw new Refusal('imageDamaged');
  return data.subarray(translationEnd + 1);
}

async function unpackedLength(packed: Buffer, maxBytes: number): Promise<number> {
  try {
    return (await promisify(inflate)(packed, { maxOutputLength: Math.max(1, maxBytes) })).length;
  } catch (error) {
    throw new Refusal(isTooLong(error) ? 'imageMetadata' : 'imageDamaged');
  }
}

async function takeChecked(reader: ByteReader, chunk: Chunk): Promise<Buffer> {
  const data = await reader.take(chunk.length);
  await expectChecksum(reader, crc32(data, crc32(chunk.type)));
  return data;
}

async function skipChecked(reader: ByteReader, chunk: Chunk): Promise<void> {
  let checksum = crc32(chunk.type);
  await reader.skip(chunk.length, (piece) => {
    checksum = crc32(piece, checksum);
  });
  await expectChecksum(reader, checksum);
}

async function expectChecksum(reader: ByteReader, expected: number): Promise<void> {
  if ((await reader.take(4)).readUInt32BE(0) !== expected) throw new Refusal('imageDamaged');
}
