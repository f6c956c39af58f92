// One statement of a talk that may be in a note.

import type { FamilyWord } from '../../clinical-text/phrases/family-phrases.ts';
import type { NoteKind } from './statement-kinds.ts';

export type Statement = {
  readonly kind: NoteKind;
  readonly text: string;
  readonly words: readonly FamilyWord[];
  readonly speaker: number;
  /** The indexes of its utterances. */
  readonly utterances: readonly number[];
  /** The question that it answers, without which it may mean nothing. */
  readonly question?: Pick<Statement, 'text' | 'words' | 'speaker' | 'utterances'>;
  /** The same number for one question and its answers, or for one turn. */
  readonly exchange: number;
  readonly isClinician: boolean;
  /** It answers why the patient came. */
  readonly isComplaint: boolean;
  /** It is about the time until the next visit. */
  readonly isAhead: boolean;
};
