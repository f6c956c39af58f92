// The bytes of Binaries, separate from the resources. They are openers, so that a recording of any size is not held in memory.
import type { UndoLog } from './undo.ts';

export type BinaryBytes = {
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly sizeBytes: number;
  /** The name of its file on disk. */
  readonly file?: string;
};

export function makeBinaryShelf(undo: UndoLog) {
  const shelf = new Map<string, BinaryBytes>();
  return {
    get: (id: string): BinaryBytes | undefined => shelf.get(id),
    files: (): ReadonlySet<string> => new Set([...shelf.values()].flatMap(({ file }) => file ?? [])),
    clear: (): void => shelf.clear(),
    /** Restores stored bytes; undefined bytes were lost and are removed. */
    load: (id: string, bytes: BinaryBytes | undefined): void => {
      if (bytes) shelf.set(id, bytes);
      else shelf.delete(id);
    },
    put: (id: string, bytes: BinaryBytes): void => {
      const { file, sizeBytes } = bytes;
      if (file !== undefined) undo.note({ bytes: { id, file, sizeBytes } });
      const before = shelf.get(id);
      shelf.set(id, bytes);
      undo.remember(() => {
        if (before) shelf.set(id, before);
        else shelf.delete(id);
      });
    },
  };
}

export function inMemory(bytes: Uint8Array): BinaryBytes {
  return {
    sizeBytes: bytes.length,
    open: async function* () {
      yield bytes;
    },
  };
}

/** Encodes a stream as a stream of base64. Each part except the last has a multiple of three bytes. */
export async function* toBase64(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    const joined = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const wholeBytes = joined.length - (joined.length % 3);
    if (wholeBytes > 0) yield joined.toString('base64', 0, wholeBytes);
    rest = joined.subarray(wholeBytes);
  }
  if (rest.length > 0) yield Buffer.from(rest).toString('base64');
}
