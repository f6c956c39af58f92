// A note with a clinician's words in place of the draft's.
import { AppError } from '../../domain/errors.ts';
import type { WrittenNote } from '../../domain/note/note.ts';

/** Sections by their keys; what is not named stays. Throws `invalidRequest` for a key that the note does not have, and for no change. */
export function editNote({ note, ...rest }: WrittenNote, edits: Readonly<Record<string, string>>): WrittenNote {
  const keys = note.sections.map(({ key }) => key);
  if (Object.keys(edits).some((key) => !keys.includes(key))) {
    throw new AppError('invalidRequest', `sections must name sections of this note: ${keys.join(', ')}`);
  }
  const texts = new Map(Object.entries(edits));
  if (note.sections.every(({ key, text }) => (texts.get(key) ?? text) === text)) {
    throw new AppError('invalidRequest', 'sections say what the note says already: approve it instead');
  }
  const sections = note.sections.map((section) => ({ ...section, text: texts.get(section.key) ?? section.text }));
  return { ...rest, note: { ...note, sections } };
}
