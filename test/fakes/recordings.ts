// Uploaded recordings, in memory.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../src/domain/errors.ts';
import type { Recordings, StoredRecording } from '../../src/ports/recordings.ts';

export function makeFakeRecordings(): Recordings {
  const kept = new Map<string, { readonly recording: StoredRecording; readonly bytes: Buffer }>();
  return {
    store: async (recording, source) => {
      const bytes = await buffer(source);
      kept.set(recording.id, { recording, bytes });
      return { sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length };
    },
    find: async (id) => kept.get(id)?.recording,
    open: async (id) => {
      const found = kept.get(id);
      if (!found) throw new AppError('notFound', 'This recording was deleted');
      return {
        type: found.recording.type,
        sizeBytes: found.bytes.length,
        isReopenable: true,
        open: async function* () {
          if (found.bytes.length > 0) yield found.bytes;
        },
      };
    },
    remove: async (id) => {
      kept.delete(id);
    },
    // A recording that broke off is not stored.
    sweep: async () => 0,
  };
}
