// Applies the edits of a clinician to a note.
import { AppError } from '../../domain/errors.ts';
import type { WrittenNote } from '../../domain/note/note.ts';

/** Edits are by section key; other sections stay. Throws `invalidRequest` for a key that the note does not have, and for edits without a change. */
export function editNote({ note, ...rest }: WrittenNote, edits: Readonly<Record<string, string>>): WrittenNote {
  const keys = note.sections.map(({ key }) => key);
  if (Object.keys(edits).some((key) => !keys.includes(key))) {
    throw new AppError('invalidRequest', `sections must name sections of this note: ${keys.join(', ')}`);
  }
  const texts = new Map(Object.entries(edits));
  if (note.sections.every(({ key, text }) => (texts.get(key) ?? text) === text)) {
    throw new AppError('invalidRequest', 'sections do not change the note: approve it instead');
  }
  const sections = note.sections.map((section) => ({ ...section, text: texts.get(section.key) ?? section.text }));
  return { ...rest, note: { ...note, sections } };
}
