// The code of the thread in which notes are checked. It reads the lexicon at the first note.
import { type CheckParts, checkNote } from '../domain/note/check-note.ts';
import type { CheckReport } from '../domain/note/check-report.ts';
import type { Lexicon } from '../domain/note/lexicon.ts';
import { answerQuestions } from '../platform/thread-answers.ts';
import { openLexicon } from './open-lexicon.ts';

let lexicon: Lexicon | undefined;

answerQuestions<CheckParts, CheckReport>((parts) => {
  lexicon ??= openLexicon();
  return checkNote(parts, lexicon);
});
