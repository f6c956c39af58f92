// The Binaries' bytes of one store: in memory, or on their way to the disk and read from there at the next opening.
import { randomUUID } from 'node:crypto';
import type { BinaryFiles } from './binary-files.ts';
import { type BinaryBytes, inMemory } from './binary-shelf.ts';

export type KeptBinaries = {
  /** Whole on disk when it returns, where there is one. */
  readonly keep: (bytes: Uint8Array) => Promise<BinaryBytes>;
  /** At once; its bytes follow. Where they never become whole, it is gone at the next opening. */
  readonly keepLater: (bytes: BinaryBytes) => BinaryBytes;
  /** Resolves when nothing is on its way any more. */
  readonly settled: () => Promise<void>;
};

export function makeKeptBinaries(files: BinaryFiles | undefined): KeptBinaries {
  const underWay = new Set<Promise<void>>();
  return {
    keep: async (bytes) => {
      const given = inMemory(bytes);
      if (!files) return given;
      const file = randomUUID();
      await files.copy(file, given.open);
      return files.of({ file, sizeBytes: given.sizeBytes }) ?? given;
    },
    keepLater: (given) => {
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
    settled: async () => {
      await Promise.all(underWay);
    },
  };
}
