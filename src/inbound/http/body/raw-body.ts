// Reads the body of a notification as raw bytes, because a signature is verified over them before they are parsed. Limits apply to
// its size, also decompressed, to its time, and to the number of large bodies in memory.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '../../../domain/errors.ts';
import { memberOf } from '../../../domain/raw-members.ts';
import { MINIMUM_RATE, type MinimumRate } from './body-pace.ts';
import { IncomingBody } from './incoming-body.ts';
import { MEBIBYTE, mebibytes } from './sizes.ts';
import type { UploadSlots } from './upload-slots.ts';

export type RawBody = {
  /** The bytes as they were sent, and decompressed; both are the same without a Content-Encoding. */
  readonly wire: Uint8Array;
  readonly bytes: Uint8Array;
  /** The caller must call it when the bytes are not needed any more. */
  readonly dispose: () => void;
};

export type RawBodyLimits = {
  readonly maxBytes: number;
  /** Larger and compressed bodies wait for a slot. */
  readonly smallBytes: number;
  readonly deadlineMs: number;
  readonly minimumRate: MinimumRate;
};

const RAW_BODY_LIMITS: RawBodyLimits = {
  maxBytes: 16 * MEBIBYTE,
  smallBytes: MEBIBYTE / 4,
  deadlineMs: 60_000,
  minimumRate: MINIMUM_RATE,
};

type ReadRawBodyParts = { readonly slots: UploadSlots; readonly limits?: RawBodyLimits };

/** Throws `unsupportedMedia`, `payloadTooLarge`, `slowRequest`, `overloaded`, `cancelled`, or `invalidRequest` for a broken gzip. */
export type ReadRawBody = (req: IncomingMessage, signal: AbortSignal) => Promise<RawBody>;

const unpack = promisify(gunzip);

/** They are all alike to the slots: who sends is known only after the body is there. */
const SENDERS = 'senders';

export function makeReadRawBody({ slots, limits = RAW_BODY_LIMITS }: ReadRawBodyParts): ReadRawBody {
  return async (req, signal) => {
    const isPacked = isGzip(req.headers['content-encoding']);
    const body = new IncomingBody(req, limits, signal);
    let leave = (): void => undefined;
    let hasSlot = false;
    const takeSlot = async (): Promise<void> => {
      if (hasSlot) return;
      leave = await slots.enter(SENDERS, signal);
      hasSlot = true;
    };
    try {
      if (isPacked) await takeSlot();
      const pieces: Uint8Array[] = [];
      let sizeBytes = 0;
      for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
        pieces.push(piece);
        sizeBytes += piece.length;
        // Senders are not authenticated yet, so that the memory for their bodies is limited in total.
        if (sizeBytes > limits.smallBytes) await takeSlot();
      }
      const wire = Buffer.concat(pieces);
      return { wire, bytes: isPacked ? await unpackAtMost(wire, limits.maxBytes) : wire, dispose: leave };
    } catch (thrown) {
      leave();
      throw thrown;
    } finally {
      body.release();
    }
  };
}

function isGzip(contentEncoding = 'identity'): boolean {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  if (encoding === 'identity') return false;
  throw new AppError('unsupportedMedia', 'The Content-Encoding must be identity or gzip');
}

/** A compression bomb stops at the first byte too many. */
async function unpackAtMost(wire: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (wire.length === 0) return wire;
  try {
    return await unpack(wire, { maxOutputLength: maxBytes });
  } catch (thrown) {
    if (memberOf(thrown, 'code') === 'ERR_BUFFER_TOO_LARGE') {
      throw new AppError('payloadTooLarge', `The request body is larger than ${mebibytes(maxBytes)} when unpacked`);
    }
    throw new AppError('invalidRequest', 'The body does not match its Content-Encoding', { cause: thrown });
  }
}
