// Walks a JPEG from SOI to EOI: segments, size, scans, metadata. Cameras and phones keep more pictures, films and notes of
// their own behind EOI; these are tolerated unless they look like another kind of file. Does not decode the pixels.
import type { ByteReader } from './byte-reader.ts';
import { checkSize, ImageBudget } from './image-limits.ts';
import { Refusal } from './refusal.ts';
import { looksForeign } from './signatures.ts';

const MAX_SCANS = 500;
const LOOK_BEHIND_BYTES = 4096;

const EOI = 0xd9;
const SOS = 0xda;
/** Baseline, extended, progressive. What else there is (lossless, hierarchical, arithmetic) hardly any reader shows. */
const FRAME_MARKERS = new Set([0xc0, 0xc1, 0xc2]);
const TABLE_MARKERS = new Set([0xc4, 0xdb, 0xdd]);

type Walk = {
  readonly reader: ByteReader;
  readonly budget: ImageBudget;
  hasFrame: boolean;
  scans: number;
};

export async function walkJpeg(reader: ByteReader): Promise<void> {
  const walk: Walk = { reader, budget: new ImageBudget(), hasFrame: false, scans: 0 };
  await reader.skip(2);
  let marker = await readMarker(reader);
  while (marker !== EOI) marker = await readSegment(walk, marker);
  if (walk.scans === 0) throw new Refusal('imageDamaged');
  if (looksForeign(await reader.takeUpTo(LOOK_BEHIND_BYTES))) throw new Refusal('twoKinds');
}

/** Reads a marker, which any number of 0xFF may precede. */
async function readMarker(reader: ByteReader): Promise<number> {
  if ((await reader.take(1))[0] !== 0xff) throw new Refusal('imageDamaged');
  return readMarkerCode(reader);
}

async function readMarkerCode(reader: ByteReader): Promise<number> {
  for (;;) {
    const bytes = await reader.atHand();
    const at = bytes.findIndex((byte) => byte !== 0xff);
    await reader.skip(at < 0 ? bytes.length : at + 1);
    if (at >= 0) return bytes[at] ?? 0;
  }
}

/** APP0 to APP15 and comments. */
function isNote(marker: number): boolean {
  return (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
}

/** Reads one segment and returns the marker of the next one. */
async function readSegment(walk: Walk, marker: number): Promise<number> {
  const { reader, budget } = walk;
  const length = (await reader.take(2)).readUInt16BE(0) - 2;
  if (length < 0) throw new Refusal('imageDamaged');
  budget.addMetadata(length + 4);
  if (FRAME_MARKERS.has(marker)) {
    if (walk.hasFrame) throw new Refusal('imageDamaged');
    checkFrame(await reader.take(length));
    walk.hasFrame = true;
  } else if (marker === SOS) {
    await reader.skip(length);
    return readScan(walk);
  } else if (TABLE_MARKERS.has(marker) || isNote(marker)) {
    await reader.skip(length);
  } else {
    throw new Refusal('imageDamaged');
  }
  return readMarker(reader);
}

function checkFrame(frame: Buffer): void {
  if (frame.length < 6) throw new Refusal('imageDamaged');
  const [precision, , , , , components = 0] = frame;
  const isKnown = (precision === 8 || precision === 12) && components >= 1 && components <= 4;
  if (!isKnown || frame.length !== 6 + 3 * components) throw new Refusal('imageDamaged');
  checkSize({ height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) });
}

/** Passes over the coded pixels to the marker that ends them. */
async function readScan(walk: Walk): Promise<number> {
  const { reader } = walk;
  walk.scans += 1;
  if (!walk.hasFrame || walk.scans > MAX_SCANS) throw new Refusal('imageDamaged');
  const start = reader.offset;
  let isAfterFill = false;
  for (;;) {
    const bytes = await reader.atHand();
    const at = markerIndex(bytes, isAfterFill);
    isAfterFill = bytes.at(-1) === 0xff;
    await reader.skip(at < 0 ? bytes.length : at + 1);
    if (at < 0) continue;
    if (reader.offset === start + 2) throw new Refusal('imageDamaged');
    return bytes[at] ?? 0;
  }
}

/** Where the code of the first marker is; a 0xFF among the pixels is followed by 0 or is a restart. */
function markerIndex(bytes: Buffer, isAfterFill: boolean): number {
  let isCode = isAfterFill;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    const isOfPixels = byte === 0 || byte === 0xff || (byte >= 0xd0 && byte <= 0xd7);
    if (isCode && !isOfPixels) return index;
    isCode = byte === 0xff;
  }
  return -1;
}
