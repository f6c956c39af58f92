// What of a note was not found in its conversation, with the sentences in which it is: for a reasoner that is asked for the note once more.
import type { Language } from '../language.ts';
import type { JudgedStatement } from './check-verdicts.ts';
import { checkedText } from './checked-text.ts';
import type { WrittenNote } from './note.ts';

/** Both are words of the note: untrusted text of whatever wrote it. */
export type NotFound = {
  readonly words: string;
  /** "Allergies" by themselves do not say that the note denies them. */
  readonly sentence: string;
};

type NotFoundParts = {
  readonly note: WrittenNote;
  readonly statements: readonly JudgedStatement[];
  readonly language: Language;
};

export function findNotFound({ note, statements, language }: NotFoundParts): readonly NotFound[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  return statements
    .filter(({ verdict }) => verdict !== 'supported')
    .map(({ section, from, text }) => {
      const sentence = segmenter.segment(checkedText(note, section)).containing(from)?.segment ?? text;
      return { words: text, sentence: sentence.trim() };
    });
}
