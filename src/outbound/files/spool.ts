// Stores bytes on disk while one request needs them. Each file has its own key, which never leaves memory, so files left by a crash cannot
// be read. A file that was changed or cut on disk is an error, never shorter data.
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { openChunk, SEAL_OVERHEAD_BYTES, sealChunk } from '../../platform/crypto.ts';
import type { Spool, SpooledFile, SpoolWriter } from '../../ports/spool.ts';

export type SpoolParts = {
  /** A folder of this engine alone; created if it is missing. */
  readonly folder: string;
  readonly minFreeBytes: number;
};

const CHUNK_BYTES = 65_536;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + SEAL_OVERHEAD_BYTES;
const OWN_NAME = /^[0-9a-f]{32}\.spool$/;
const NO_SPACE_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Deletes files that an earlier process left. `close` deletes all remaining files and accepts no more. */
export async function openSpool({ folder, minFreeBytes }: SpoolParts): Promise<Spool & { close(): Promise<void> }> {
  await makeFolder(folder);
  await sweep(folder);
  const writers = new Set<SpoolFile>();
  let isClosed = false;
  return {
    async create() {
      if (isClosed) throw stopping();
      const writer = await SpoolFile.create(folder, (removed) => writers.delete(removed));
      writers.add(writer);
      // The spool may have been closed while the file was being created.
      if (isClosed) {
        await writer.discard();
        throw stopping();
      }
      return writer;
    },
    async hasRoom() {
      try {
        await makeFolder(folder);
        const { bavail, bsize } = await statfs(folder);
        return bavail * bsize >= minFreeBytes;
      } catch {
        return false;
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...writers].map((writer) => writer.discard()));
    },
  };
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(names.filter((name) => OWN_NAME.test(name)).map((name) => rm(join(folder, name), { force: true })));
}

type Secret = { readonly key: Uint8Array; readonly context: string };

class SpoolFile implements SpoolWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #secret: Secret = { key: randomBytes(32), context: randomBytes(16).toString('hex') };
  readonly #onRemoved: (removed: SpoolFile) => void;
  /** Filled up to `#bufferedBytes`. Held back until more bytes arrive, because only then it is not the last chunk. */
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  #bufferedBytes = 0;
  #chunkCount = 0;
  #sizeBytes = 0;
  #state: 'writing' | 'finished' | 'broken' | 'removed' = 'writing';
  #removal: Promise<void> | undefined;

  private constructor(path: string, handle: FileHandle, onRemoved: (removed: SpoolFile) => void) {
    this.#path = path;
    this.#handle = handle;
    this.#onRemoved = onRemoved;
  }

  static async create(folder: string, onRemoved: (removed: SpoolFile) => void): Promise<SpoolFile> {
    const path = join(folder, `${randomBytes(16).toString('hex')}.spool`);
    try {
      await makeFolder(folder);
      return new SpoolFile(path, await open(path, 'wx', 0o600), onRemoved);
    } catch (error) {
      throw writeFailure(error);
    }
  }

  readonly write = async (bytes: Uint8Array): Promise<void> => {
    this.#mustBeWriting();
    for (let from = 0; from < bytes.length; ) {
      if (this.#bufferedBytes === CHUNK_BYTES) await this.#flush(false);
      const part = bytes.subarray(from, from + CHUNK_BYTES - this.#bufferedBytes);
      this.#buffer.set(part, this.#bufferedBytes);
      this.#bufferedBytes += part.length;
      from += part.length;
    }
    this.#sizeBytes += bytes.length;
  };

  readonly finish = async (): Promise<SpooledFile> => {
    this.#mustBeWriting();
    await this.#flush(true);
    await this.#handle.close().catch((error) => this.#break(error));
    this.#mustBeWriting();
    this.#state = 'finished';
    const chunkCount = this.#chunkCount;
    return { sizeBytes: this.#sizeBytes, open: () => this.#read(chunkCount), dispose: this.discard };
  };

  readonly discard = (): Promise<void> => {
    this.#removal ??= this.#remove();
    return this.#removal;
  };

  async #remove(): Promise<void> {
    this.#state = 'removed';
    this.#secret.key.fill(0);
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true });
    this.#onRemoved(this);
  }

  #mustBeWriting(): void {
    if (this.#state !== 'writing') throw new AppError('internal', `A spooled file is already ${this.#state}`);
  }

  /** After a missing chunk, nothing that follows may be returned as the whole. */
  #break(error: unknown): never {
    if (this.#state === 'writing') this.#state = 'broken';
    throw writeFailure(error);
  }

  async #flush(isLast: boolean): Promise<void> {
    const place = { context: this.#secret.context, index: this.#chunkCount, isLast };
    const sealed = sealChunk(this.#secret.key, this.#buffer.subarray(0, this.#bufferedBytes), place);
    await this.#handle.writeFile(sealed).catch((error) => this.#break(error));
    this.#mustBeWriting();
    this.#chunkCount += 1;
    this.#bufferedBytes = 0;
  }

  async *#read(chunkCount: number): AsyncGenerator<Uint8Array> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.#path, 'r');
      const sealed = Buffer.allocUnsafe(SEALED_CHUNK_BYTES);
      for (let index = 0; index < chunkCount; index += 1) {
        const { bytesRead } = await handle.read(sealed, 0, SEALED_CHUNK_BYTES, index * SEALED_CHUNK_BYTES);
        const place = { context: this.#secret.context, index, isLast: index === chunkCount - 1 };
        const plain = openChunk(this.#secret.key, sealed.subarray(0, bytesRead), place);
        if (plain.length > 0) yield plain;
      }
    } catch (error) {
      throw new AppError('internal', 'A spooled file cannot be read back', { cause: error });
    } finally {
      await handle?.close();
    }
  }
}

function stopping(): AppError {
  return new AppError('shuttingDown', 'The engine is stopping');
}

function writeFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return NO_SPACE_CODES.has(code)
    ? new AppError('overloaded', 'There is no disk space for more uploads', { cause: error })
    : new AppError('internal', 'An upload cannot be kept', { cause: error });
}
