// Stores the bytes of one store's Binaries on disk if there is one, else in memory.
import { randomUUID } from 'node:crypto';
import type { BinaryFiles } from './binary-files.ts';
import { type BinaryBytes, inMemory } from './binary-shelf.ts';

export type StoredBinaries = {
  /** Resolves when the bytes are completely on disk. */
  readonly store: (bytes: Uint8Array) => Promise<BinaryBytes>;
  /** Returns at once and writes the bytes later. If they are never completed, the Binary is removed at the next start. */
  readonly storeLater: (bytes: BinaryBytes) => BinaryBytes;
  /** Resolves when all bytes are written. */
  readonly flushed: () => Promise<void>;
};

export function makeStoredBinaries(files: BinaryFiles | undefined): StoredBinaries {
  const underWay = new Set<Promise<void>>();
  return {
    store: async (bytes) => {
      const original = inMemory(bytes);
      if (!files) return original;
      const file = randomUUID();
      await files.copy(file, original.open);
      return files.of({ file, sizeBytes: original.sizeBytes }) ?? original;
    },
    storeLater: (original) => {
      if (!files) return original;
      const file = randomUUID();
      const copy: Promise<void> = files
        .copy(file, original.open)
        // A reader of the bytes gets the same failure.
        .catch(() => undefined)
        .finally(() => underWay.delete(copy));
      underWay.add(copy);
      return { ...original, file };
    },
    flushed: async () => {
      await Promise.all(underWay);
    },
  };
}
