// The texts of a note that are checked, by the names that reports use for them.
import type { WrittenNote } from './note.ts';

/** The name of the title in a report. It cannot be the key of a section, because those are in capitals. */
const TITLE = 'title';
const FIELDS = 'dynamic_fields.';

export function checkedTexts(note: WrittenNote): readonly (readonly [name: string, text: string])[] {
  return [
    [TITLE, note.note.title],
    ...note.note.sections.map(({ key, text }) => [key, text] as const),
    ...Object.entries(note.dynamicFields ?? {}).map(([name, text]) => [FIELDS + name, text] as const),
  ];
}

/** The text that a statement's `section` names: `title`, a section's key, or a dynamic field. */
export function checkedText({ note, dynamicFields = {} }: WrittenNote, name: string): string {
  if (name === TITLE) return note.title;
  const section = note.sections.find(({ key }) => key === name);
  return section?.text ?? dynamicFields[name.replace(/^dynamic_fields\./, '')] ?? '';
}

/** The same note with each text changed by `change`, which gets the text's name. */
export function changeTexts<Note extends WrittenNote>(
  note: Note,
  change: (name: string, text: string) => string,
): Note {
  const { note: inner, dynamicFields } = note;
  return {
    ...note,
    note: {
      ...inner,
      title: change(TITLE, inner.title),
      sections: inner.sections.map((section) => ({ ...section, text: change(section.key, section.text) })),
    },
    ...(dynamicFields && {
      dynamicFields: Object.fromEntries(
        Object.entries(dynamicFields).map(([name, text]) => [name, change(FIELDS + name, text)]),
      ),
    }),
  };
}
