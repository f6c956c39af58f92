// Limits on the work of decoding an image, counted while its structure is walked.
import type { ByteReader } from './byte-reader.ts';
import { Refusal } from './refusal.ts';

const MAX_SIDE_PIXELS = 12_000;
const MAX_PIXELS = 40_000_000;
const MAX_FRAMES = 500;
const MAX_FRAME_PIXELS = 1_000_000_000;
const MAX_METADATA_BYTES = 4 * 1_048_576;

export type Size = { readonly width: number; readonly height: number };

export function checkSize({ width, height }: Size): void {
  if (width < 1 || height < 1) throw new Refusal('imageDamaged');
  if (width * height > MAX_PIXELS) throw new Refusal('imagePixels');
  if (width > MAX_SIDE_PIXELS || height > MAX_SIDE_PIXELS) throw new Refusal('imageSides');
}

/** Counts of one image: frames, their pixels, and the bytes that are not pixels. */
export class ImageBudget {
  #frames = 0;
  #framePixels = 0;
  #metadataBytes = 0;

  get frames(): number {
    return this.#frames;
  }

  get metadataBytesLeft(): number {
    return MAX_METADATA_BYTES - this.#metadataBytes;
  }

  addFrame(size: Size): void {
    checkSize(size);
    this.#frames += 1;
    this.#framePixels += size.width * size.height;
    if (this.#frames > MAX_FRAMES) throw new Refusal('imageFrames');
    if (this.#framePixels > MAX_FRAME_PIXELS) throw new Refusal('imageFramePixels');
  }

  /** Call it with the headers of parts, too: a million empty parts are as bad as a long one. */
  addMetadata(bytes: number): void {
    this.#metadataBytes += bytes;
    if (this.#metadataBytes > MAX_METADATA_BYTES) throw new Refusal('imageMetadata');
  }
}

/** After the end of the image there may be NULs, as storage in blocks leaves them, and nothing else. */
export async function expectOnlyPadding(reader: ByteReader): Promise<void> {
  while (!(await reader.atEnd())) {
    const piece = await reader.atHand();
    if (piece.some((byte) => byte !== 0)) throw new Refusal('imageTrailer');
    await reader.skip(piece.length);
  }
}
