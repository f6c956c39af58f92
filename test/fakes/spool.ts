// A spool in memory that counts its files.
import { AppError } from '../../src/domain/errors.ts';
import type { Spool } from '../../src/ports/spool.ts';

export type FakeSpool = Spool & {
  /** The number of files that were neither discarded nor disposed of. */
  readonly fileCount: () => number;
  readonly setRoom: (hasRoom: boolean) => void;
};

export function makeFakeSpool(): FakeSpool {
  const files = new Set<object>();
  let room = true;
  return {
    fileCount: () => files.size,
    setRoom(hasRoom) {
      room = hasRoom;
    },
    hasRoom: async () => room,
    async create() {
      const chunks: Uint8Array[] = [];
      let state: 'writing' | 'finished' | 'removed' = 'writing';
      const file = {};
      files.add(file);
      const mustBe = (wanted: typeof state) => {
        if (state !== wanted) throw new AppError('internal', `A spooled file is already ${state}`);
      };
      const discard = async () => {
        state = 'removed';
        files.delete(file);
      };
      return {
        async write(bytes) {
          mustBe('writing');
          chunks.push(Uint8Array.from(bytes));
        },
        async finish() {
          mustBe('writing');
          state = 'finished';
          const open = async function* () {
            for (const chunk of chunks) {
              mustBe('finished');
              yield chunk;
            }
            mustBe('finished');
          };
          return { sizeBytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0), open, dispose: discard };
        },
        discard,
      };
    },
  };
}
