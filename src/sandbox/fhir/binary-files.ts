// The bytes of Binaries on disk, one file for each. A file gets its name when it is complete; unused files are deleted.
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BinaryBytes } from './binary-shelf.ts';

export type BinaryFiles = {
  readonly copy: (file: string, open: BinaryBytes['open']) => Promise<void>;
  /** Undefined if the file was never completed. */
  readonly of: (stored: { readonly file: string; readonly sizeBytes: number }) => BinaryBytes | undefined;
  /** Deletes all files except these. */
  readonly sweep: (used: ReadonlySet<string>) => void;
};

export function openBinaryFiles(folder: string): BinaryFiles {
  mkdirSync(folder, { recursive: true });
  const placeOf = (file: string) => path.join(folder, file);
  return {
    copy: async (file, open) => {
      await pipeline(Readable.from(open()), createWriteStream(placeOf(`${file}.part`), { mode: 0o600 }));
      renameSync(placeOf(`${file}.part`), placeOf(file));
    },
    of: ({ file, sizeBytes }) =>
      existsSync(placeOf(file)) ? { file, sizeBytes, open: () => createReadStream(placeOf(file)) } : undefined,
    sweep: (used) => {
      for (const name of readdirSync(folder).filter((one) => !used.has(one))) rmSync(placeOf(name), { force: true });
    },
  };
}
