// Writes a clinical note from a transcript, with the sections of its template, and takes out markup and addresses that were not said.

import type { Meter } from '../../domain/access/usage.ts';
import { AppError } from '../../domain/errors.ts';
import { cleanNote, type RemovedBySection } from '../../domain/note/clean-note.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import { makeIsSaid } from '../../domain/text/said-addresses.ts';
import type { Answered, NoteRequest, Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';

type WriteNoteParts = {
  readonly reasoner: Reasoner;
  readonly runtime: Runtime;
  readonly onNoteRemoved?: (removed: RemovedBySection) => void;
};

/** Throws `notMedical` if the conversation has no medical content, and what the reasoner throws. */
export type WriteNote = (
  work: {
    readonly request: NoteRequest;
    readonly meter: Meter;
    /** What the chart says: an address in it may be in the note. */
    readonly chart?: string;
  },
  signal: AbortSignal,
) => Promise<WrittenNote & Answered & { readonly removed?: RemovedBySection }>;

export function makeWriteNote({ reasoner, runtime, onNoteRemoved }: WriteNoteParts): WriteNote {
  return async ({ request, meter, chart = '' }, signal) => {
    const startedMs = runtime.monotonicMs();
    try {
      const answer = await reasoner.writeNote(request, signal);
      if (!answer.isMedical) throw new AppError('notMedical', 'The audio has no relevant medical content');
      const { isMedical: _, ...written } = answer;
      const said = request.transcript.utterances.map(({ text }) => text);
      const { note, removed } = cleanNote(written, makeIsSaid([...said, chart]));
      if (Object.keys(removed).length === 0) return { ...written, ...note };
      onNoteRemoved?.(removed);
      return { ...written, ...note, removed };
    } finally {
      meter.aiMs += runtime.monotonicMs() - startedMs;
    }
  };
}
