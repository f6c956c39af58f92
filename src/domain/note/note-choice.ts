// Chooses the note for an encounter by the site's setting `noteType`: by the encounter's class, its type or an expression, otherwise the
// default. The setting names a note type, a template, or the file of a custom template.
import type { Encounter } from '@medplum/fhirtypes';
import { codesOf, listOf, textOf } from '../raw-members.ts';
import type { RequestedNote } from '../run/step-results.ts';
import { NOTE_TYPES, type NoteType, TEMPLATE_NAMES, type TemplateName } from './template.ts';

export type NoteChoice = {
  readonly noteType: Readonly<Record<string, string>>;
  readonly encounter: Encounter;
  /** By file name. */
  readonly templates: ReadonlyMap<string, string>;
  /** Evaluates a key that is an expression. */
  readonly holds: (expression: string) => boolean;
};

/** The first matching key in the order of the file wins. */
export function chooseNote({ noteType, encounter, templates, holds }: NoteChoice): RequestedNote {
  const codes = codesOfEncounter(encounter);
  const fitting = Object.keys(noteType).find(
    (key) => key !== 'default' && (key.includes('%') ? holds(key) : codes.has(key)),
  );
  return requestedNote(noteType[fitting ?? 'default'] ?? 'PROGRESS_NOTE', templates);
}

export function requestedNote(name: string, templates: ReadonlyMap<string, string>): RequestedNote {
  const text = templates.get(name);
  if (text !== undefined) return { customTemplate: text };
  if (isNoteType(name)) return { noteType: name };
  return isTemplate(name) ? { template: name } : { noteType: 'PROGRESS_NOTE' };
}

function isNoteType(name: string): name is NoteType {
  return NOTE_TYPES.some((known) => known === name);
}

function isTemplate(name: string): name is TemplateName {
  return TEMPLATE_NAMES.some((known) => known === name);
}

function codesOfEncounter(encounter: Encounter): ReadonlySet<string> {
  const ofClass = textOf(encounter.class, 'code');
  const ofTypes = listOf(encounter, 'type').flatMap((type) => codesOf(type));
  return new Set([...(ofClass === undefined ? [] : [ofClass]), ...ofTypes]);
}
