// One thing that was said and may stand in a note.

import type { Word } from './phrases.ts';
import type { NoteKind } from './statement-kinds.ts';

export type Statement = {
  readonly kind: NoteKind;
  readonly text: string;
  readonly words: readonly Word[];
  readonly speaker: number;
  /** What it answers, without which it may mean nothing. */
  readonly question?: { readonly text: string; readonly words: readonly Word[]; readonly speaker: number };
  /** Statements with the same number belong together: one question with its answers, or one turn. */
  readonly exchange: number;
  readonly isClinician: boolean;
  /** Said in answer to why the patient came. */
  readonly isComplaint: boolean;
  /** Speaks of the time until the next visit. */
  readonly isAhead: boolean;
};
