// The note of a draft by its sections: the text that an approval would sign, and what its statements rest on.
import type { Language } from '../../../domain/language.ts';
import { withoutMarks } from '../../../domain/note/marks.ts';
import type { WrittenNote } from '../../../domain/note/note.ts';
import type { StatementView } from '../../../domain/run/evidence-view.ts';

export type DraftSection = {
  readonly key: string;
  readonly title: string;
  /** As it would be signed, with its marks. */
  readonly text: string;
  readonly statements: readonly StatementView[];
  /** The statements are the whole text, so that they can be shown in its place: none would be signed unread. */
  readonly areWhole: boolean;
};

type Checked = {
  /** The note that was checked, without marks. */
  readonly checked: WrittenNote | undefined;
  readonly statements: readonly StatementView[];
  readonly language: Language;
};

/** A section that a clinician has edited has no statements any more: they were those of another text. */
export function draftSections(shown: WrittenNote, { checked, statements, language }: Checked): readonly DraftSection[] {
  return shown.note.sections.map(({ key, title, text }) => {
    const own = statements.filter(({ section }) => section === key);
    const checkedText = checked?.note.sections.find((section) => section.key === key)?.text ?? '';
    const isSame = sameWords(withoutMarks(text, language).text, checkedText);
    const areWhole = isSame && sameWords(own.map((one) => one.text).join(''), checkedText);
    return { key, title, text, statements: isSame ? own : [], areWhole };
  });
}

function sameWords(one: string, other: string): boolean {
  return one.replace(/\s+/g, '') === other.replace(/\s+/g, '');
}
