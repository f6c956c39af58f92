// Checks notes in a thread of their own, so that the engine answers meanwhile. Notes are checked one after the other.
import { AppError } from '../domain/errors.ts';
import type { CheckParts } from '../domain/note/check-note.ts';
import type { CheckReport } from '../domain/note/check-report.ts';
import { unlessAborted } from '../domain/unless-aborted.ts';
import { QuestionThread, type ThreadParts } from '../platform/question-thread.ts';
import type { NoteChecker } from '../ports/note-checker.ts';
import type { Checked } from './checker-worker.ts';

/** A usual note takes some hundredths of a second. */
const THREAD = { deadlineMs: 60_000, maxHeapMb: 512, maxNewHeapMb: 8 };

type CheckerParts = Partial<ThreadParts> & {
  /** Called once if the lexicon cannot be read: notes are then checked without it. */
  readonly onWithoutLexicon?: (why: NonNullable<Checked['withoutLexicon']>) => void;
};

/** The thread starts with the first note. `close` returns when it is gone; waiting calls are rejected. */
export function openNoteChecker({
  onWithoutLexicon,
  ...parts
}: CheckerParts = {}): NoteChecker & { readonly close: () => Promise<void> } {
  // The same file ending as this file's: `.js` in a packed engine.
  const file = new URL(import.meta.url.replace('open-note-checker', 'checker-worker'));
  const thread = new QuestionThread<CheckParts, Checked>({ ...THREAD, file, ...parts }, ERRORS);
  let line: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let isTold = false;
  const reportOf = ({ report, withoutLexicon }: Checked): CheckReport => {
    if (withoutLexicon !== undefined && !isTold) onWithoutLexicon?.(withoutLexicon);
    isTold ||= withoutLexicon !== undefined;
    return report;
  };
  return {
    async check(note, signal) {
      signal.throwIfAborted();
      const turn = line.then(() => {
        signal.throwIfAborted();
        if (isClosed) throw closed();
        return thread.ask(note).then(reportOf);
      });
      line = turn.catch(() => undefined);
      return await unlessAborted(turn, signal);
    },
    async close() {
      isClosed = true;
      await thread.end(closed());
    },
  };
}

const ERRORS = {
  tooLong: (deadlineMs: number) => new AppError('internal', `The check of a note took longer than ${deadlineMs} ms`),
  brokeDown: () => new AppError('internal', 'The check of a note broke down'),
};

function closed(): AppError {
  return new AppError('shuttingDown', 'The check of notes has been closed');
}
