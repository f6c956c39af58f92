// The bytes of prepared streams: cut into chunks, sealed, a row each, so that no file is ever whole in memory. A chunk that
// is missing, changed or in another's place is refused, never passed on.
import { AppError } from '../../domain/errors.ts';
import { openChunk, sealChunk } from '../../platform/crypto.ts';
import type { Database } from './database.ts';
import { guarded } from './errors.ts';

export const CHUNK_BYTES = 524_288;

/** Whose file it is; all of it is bound to the bytes. */
export type FilePlace = { readonly streamId: string; readonly context: string; readonly fileIndex: number };

type StoreParts = {
  readonly database: Database;
  readonly key: Uint8Array;
  readonly place: FilePlace;
  readonly source: AsyncIterable<Uint8Array>;
  /** What the source is to give; another count is an error. */
  readonly sizeBytes: number;
};

export async function storeFile({ database, key, place, source, sizeBytes }: StoreParts): Promise<void> {
  const chunkCount = countChunks(sizeBytes);
  let chunkIndex = 0;
  let storedBytes = 0;
  for await (const plain of cutIntoChunks(source)) {
    storedBytes += plain.length;
    if (storedBytes > sizeBytes) break;
    const isLast = chunkIndex === chunkCount - 1;
    const bytes = sealChunk(key, plain, { context: fileContext(place), index: chunkIndex, isLast });
    await guarded(() => insertChunk(database, place, chunkIndex, bytes));
    chunkIndex += 1;
  }
  if (storedBytes !== sizeBytes) throw new AppError('internal', 'A file changed while it was being stored');
}

async function insertChunk({ db }: Database, place: FilePlace, chunkIndex: number, bytes: Uint8Array): Promise<void> {
  await db
    .insertInto('prepared_stream_chunks')
    .values({
      stream_id: place.streamId,
      file_index: place.fileIndex,
      chunk_index: chunkIndex,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    })
    .execute();
}

type ReadParts = Omit<StoreParts, 'source'>;

/** The file from its start; one chunk in memory, and no connection held while the reader is busy with it. */
export async function* readFile({ database, key, place, sizeBytes }: ReadParts): AsyncGenerator<Uint8Array> {
  const chunkCount = countChunks(sizeBytes);
  for (let chunkIndex = 0; chunkIndex < chunkCount; chunkIndex += 1) {
    const isLast = chunkIndex === chunkCount - 1;
    const sealed = await guarded(() => selectChunk(database, place, chunkIndex));
    const plain = sealed && openSealed(key, sealed, { context: fileContext(place), index: chunkIndex, isLast });
    if (!plain) throw new AppError('internal', 'A stored file is damaged or gone');
    if (plain.length > 0) yield plain;
  }
}

async function selectChunk({ db }: Database, place: FilePlace, chunkIndex: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('prepared_stream_chunks')
    .select('bytes')
    .where('stream_id', '=', place.streamId)
    .where('file_index', '=', place.fileIndex)
    .where('chunk_index', '=', chunkIndex)
    .executeTakeFirst();
  return row?.bytes;
}

/** Undefined where the bytes are not what was sealed for this place. */
export function openSealed(
  key: Uint8Array,
  sealed: Uint8Array,
  place: Parameters<typeof openChunk>[2],
): Uint8Array | undefined {
  try {
    return openChunk(key, sealed, place);
  } catch {
    return undefined;
  }
}

/** An empty file is one empty chunk, so that it cannot be told from a lost one by its absence. */
function countChunks(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));
}

function fileContext({ context, fileIndex }: FilePlace): string {
  return JSON.stringify([context, 'file', fileIndex]);
}

/** Chunks of one size, whatever the pieces are; the last may be shorter. At least one, which may be empty. */
async function* cutIntoChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  let count = 0;
  for await (const piece of source) {
    for (let taken = 0; taken < piece.length; ) {
      if (filled === CHUNK_BYTES) {
        yield chunk;
        count += 1;
        chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        filled = 0;
      }
      const part = piece.subarray(taken, taken + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      filled += part.length;
      taken += part.length;
    }
  }
  if (filled > 0 || count === 0) yield chunk.subarray(0, filled);
}
