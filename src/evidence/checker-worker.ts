// The code of the thread in which notes are checked. It reads the lexicon at the first note; without one, notes are checked all the same.
import { type CheckParts, checkNote } from '../domain/note/check-note.ts';
import type { CheckReport } from '../domain/note/check-report.ts';
import type { Lexicon } from '../domain/note/lexicon.ts';
import { answerQuestions } from '../platform/thread-answers.ts';
import { openLexicon } from './open-lexicon.ts';

export type Checked = {
  readonly report: CheckReport;
  /** Why the findings of the lexicon were not compared; absent if they were. */
  readonly withoutLexicon?: 'missing' | 'broken';
};

type Opened = { readonly lexicon: Lexicon } | Required<Pick<Checked, 'withoutLexicon'>>;

let opened: Opened | undefined;

answerQuestions<CheckParts, Checked>((parts) => {
  opened ??= open();
  if ('lexicon' in opened) return { report: checkNote(parts, opened.lexicon) };
  return { report: checkNote(parts), ...opened };
});

function open(): Opened {
  try {
    return { lexicon: openLexicon() };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { withoutLexicon: isMissing ? 'missing' : 'broken' };
  }
}
