// The Binaries' bytes of one store: in memory, or on their way to the disk and read from there at the next opening.
import { randomUUID } from 'node:crypto';
import type { BinaryFiles } from './binary-files.ts';
import { type BinaryBytes, inMemory } from './binary-shelf.ts';

export type StoredBinaries = {
  /** Whole on disk when it returns, where there is one. */
  readonly store: (bytes: Uint8Array) => Promise<BinaryBytes>;
  /** At once; its bytes follow. Where they never become whole, it is gone at the next opening. */
  readonly storeLater: (bytes: BinaryBytes) => BinaryBytes;
  /** Resolves when nothing is on its way any more. */
  readonly flushed: () => Promise<void>;
};

export function makeStoredBinaries(files: BinaryFiles | undefined): StoredBinaries {
  const underWay = new Set<Promise<void>>();
  return {
    store: async (bytes) => {
      const given = inMemory(bytes);
      if (!files) return given;
      const file = randomUUID();
      await files.copy(file, given.open);
      return files.of({ file, sizeBytes: given.sizeBytes }) ?? given;
    },
    storeLater: (given) => {
      if (!files) return given;
      const file = randomUUID();
      const copy: Promise<void> = files
        .copy(file, given.open)
        // Whoever opens it sees the same failure.
        .catch(() => undefined)
        .finally(() => underWay.delete(copy));
      underWay.add(copy);
      return { ...given, file };
    },
    flushed: async () => {
      await Promise.all(underWay);
    },
  };
}
