// Writes a clinical note from a transcript, with the sections of its template.

import type { Meter } from '../../domain/access/usage.ts';
import { AppError } from '../../domain/errors.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import type { Answered, NoteRequest, Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';

type WriteNoteParts = { readonly reasoner: Reasoner; readonly runtime: Runtime };

/** Throws `notMedical` if the conversation has no medical content, and what the reasoner throws. */
export type WriteNote = (
  work: { readonly request: NoteRequest; readonly meter: Meter },
  signal: AbortSignal,
) => Promise<WrittenNote & Answered>;

export function makeWriteNote({ reasoner, runtime }: WriteNoteParts): WriteNote {
  return async ({ request, meter }, signal) => {
    const startedMs = runtime.monotonicMs();
    try {
      const answer = await reasoner.writeNote(request, signal);
      if (!answer.isMedical) throw new AppError('notMedical', 'The audio has no relevant medical content');
      const { isMedical: _, ...written } = answer;
      return written;
    } finally {
      meter.aiMs += runtime.monotonicMs() - startedMs;
    }
  };
}
