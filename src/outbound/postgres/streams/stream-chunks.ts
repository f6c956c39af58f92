// Files in the database: cut into chunks, sealed, a row each, so that no file is ever whole in memory. A missing, changed or misplaced
// chunk is an error and is never passed on.
import { createHash } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import { guarded } from '../errors.ts';
import type { Sealing } from '../secrets/secrets.ts';

export const CHUNK_BYTES = 524_288;

/** The table of a file's rows. */
export type ChunkRows = {
  readonly insert: (chunkIndex: number, bytes: Buffer) => Promise<unknown>;
  readonly select: (chunkIndex: number) => Promise<Uint8Array | undefined>;
};

type FileParts = {
  readonly rows: ChunkRows;
  readonly sealing: Sealing;
  /** The identity of the file, which is bound to its bytes. */
  readonly context: string;
};

type StoreParts = FileParts & {
  readonly source: AsyncIterable<Uint8Array>;
  /** The expected size, if known: another size is an error. */
  readonly sizeBytes?: number;
};

export async function storeFile(parts: StoreParts): Promise<{ readonly sha256: string; readonly sizeBytes: number }> {
  const { rows, sealing, context, source, sizeBytes } = parts;
  const hash = createHash('sha256');
  let index = 0;
  let storedBytes = 0;
  for await (const { plain, isLast } of cutIntoChunks(source)) {
    storedBytes += plain.length;
    if (sizeBytes !== undefined && storedBytes > sizeBytes) break;
    hash.update(plain);
    const sealed = sealing.seal(plain, { context, index, isLast });
    const chunkIndex = index;
    await guarded(() => rows.insert(chunkIndex, sealed));
    index += 1;
  }
  if (sizeBytes !== undefined && storedBytes !== sizeBytes) {
    throw new AppError('internal', 'A file changed while it was being stored');
  }
  return { sha256: hash.digest('hex'), sizeBytes: storedBytes };
}

type ReadParts = FileParts & { readonly sizeBytes: number };

/** Reads the file from its start with one chunk in memory, and holds no connection while the reader is busy. */
export async function* readFile({ rows, sealing, context, sizeBytes }: ReadParts): AsyncGenerator<Uint8Array> {
  // An empty file is one empty chunk, so that it differs from a lost one.
  const chunkCount = Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));
  for (let index = 0; index < chunkCount; index += 1) {
    const isLast = index === chunkCount - 1;
    const sealed = await guarded(() => rows.select(index));
    const plain = sealed && sealing.open(sealed, { context, index, isLast });
    if (!plain) throw new AppError('internal', 'A stored file is damaged or gone');
    if (plain.length > 0) yield plain;
  }
}

type Cut = { readonly plain: Uint8Array; readonly isLast: boolean };

/** Cuts pieces of any size into chunks of one size; the last may be shorter. There is at least one, perhaps empty. */
async function* cutIntoChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Cut> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  for await (const piece of source) {
    for (let taken = 0; taken < piece.length; ) {
      if (filled === CHUNK_BYTES) {
        yield { plain: chunk, isLast: false };
        chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        filled = 0;
      }
      const part = piece.subarray(taken, taken + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      filled += part.length;
      taken += part.length;
    }
  }
  yield { plain: chunk.subarray(0, filled), isLast: true };
}
