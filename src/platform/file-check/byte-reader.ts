// Reads a stream of bytes in the pieces that a file format asks for, with constant memory. A stream that ends where
// bytes are still due is an image that was cut.
import { Refusal } from './refusal.ts';

/** As much as the end record of a ZIP archive and its longest comment. */
const TAIL_BYTES = 22 + 65_535;

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  #seenBytes = 0;
  /** A ring of the last bytes: copied, because a chunk may be a view into a buffer that its owner uses again. */
  readonly #ring = Buffer.allocUnsafe(TAIL_BYTES);

  constructor(source: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    this.#source = source[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** How many bytes were taken or skipped. */
  get offset(): number {
    return this.#seenBytes - (this.#chunk.length - this.#at);
  }

  async atEnd(): Promise<boolean> {
    while (this.#at >= this.#chunk.length) {
      if (!(await this.#pull())) return true;
    }
    return false;
  }

  /** Exactly so many bytes. Meant for headers, because bytes that span chunks are copied. */
  async take(count: number): Promise<Buffer> {
    if (this.#at + count <= this.#chunk.length) {
      this.#at += count;
      return this.#chunk.subarray(this.#at - count, this.#at);
    }
    const pieces: Buffer[] = [];
    await this.skip(count, (piece) => pieces.push(piece));
    return Buffer.concat(pieces);
  }

  /** Passes over so many bytes, showing them piece by piece. */
  async skip(count: number, onPiece?: (piece: Buffer) => void): Promise<void> {
    let missing = count;
    while (missing > 0) {
      if (await this.atEnd()) throw new Refusal('imageDamaged');
      const piece = this.#chunk.subarray(this.#at, this.#at + missing);
      this.#at += piece.length;
      missing -= piece.length;
      onPiece?.(piece);
    }
  }

  /** What is at hand without waiting, at least one byte: for loops over single bytes, which must not wait for each. */
  async atHand(): Promise<Buffer> {
    if (await this.atEnd()) throw new Refusal('imageDamaged');
    return this.#chunk.subarray(this.#at);
  }

  /** Up to so many bytes, fewer only at the end of the stream. */
  async takeUpTo(count: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let missing = count;
    while (missing > 0 && !(await this.atEnd())) {
      const piece = this.#chunk.subarray(this.#at, this.#at + missing);
      this.#at += piece.length;
      missing -= piece.length;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** Reads on to the end and returns the last 64 KiB of the whole stream. */
  async drain(): Promise<Buffer> {
    while (!(await this.atEnd())) this.#at = this.#chunk.length;
    const seam = this.#seenBytes % TAIL_BYTES;
    if (this.#seenBytes <= TAIL_BYTES) return this.#ring.subarray(0, this.#seenBytes);
    return Buffer.concat([this.#ring.subarray(seam), this.#ring.subarray(0, seam)]);
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #pull(): Promise<boolean> {
    this.#signal.throwIfAborted();
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    this.#at = 0;
    this.#keepTail(this.#chunk.subarray(-TAIL_BYTES), this.#seenBytes + Math.max(0, this.#chunk.length - TAIL_BYTES));
    this.#seenBytes += this.#chunk.length;
    return true;
  }

  #keepTail(piece: Buffer, offset: number): void {
    const start = offset % TAIL_BYTES;
    const untilSeam = piece.copy(this.#ring, start);
    piece.copy(this.#ring, 0, untilSeam);
  }
}
