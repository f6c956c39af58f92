// The check of notes in the thread of the test, without the lexicon of findings unless a test gives one.
import { checkNote } from '../../src/domain/note/check-note.ts';
import type { Lexicon } from '../../src/domain/note/lexicon.ts';
import type { NoteChecker } from '../../src/ports/note-checker.ts';

export function makeNoteChecker(lexicon?: Lexicon): NoteChecker {
  return {
    check: async (parts, signal) => {
      signal.throwIfAborted();
      return checkNote(parts, lexicon);
    },
  };
}
