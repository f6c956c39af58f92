// The bytes of Binaries, beside the resources that describe them: as an opener, so that a recording of any size need not be in memory.
import type { UndoLog } from './undo.ts';

export type BinaryBytes = {
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly sizeBytes: number;
  /** Where it is kept on disk. */
  readonly file?: string;
};

export function makeBinaryShelf(undo: UndoLog) {
  const shelf = new Map<string, BinaryBytes>();
  return {
    get: (id: string): BinaryBytes | undefined => shelf.get(id),
    files: (): ReadonlySet<string> => new Set([...shelf.values()].flatMap(({ file }) => file ?? [])),
    clear: (): void => shelf.clear(),
    /** As it was kept. Undefined: its bytes were lost. */
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

/** Base64 of a stream, as a stream: each part is a whole number of groups of three bytes, but the last one. */
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
