// Takes markup and addresses that were not said out of the texts of a note, and marks the sections from which something was removed.
import type { Language } from '../language.ts';
import { addRemoved, type IsSaid, isNothing, NOTHING_REMOVED, type Removed, removeMarkup } from '../text/plain-text.ts';
import type { WrittenNote } from './note.ts';

/** What was removed, by section: `PLAN`, `dynamic_fields.bmi` or `title`. Texts from which nothing was removed are absent. */
export type RemovedBySection = Readonly<Record<string, Removed>>;

export type CleanNote = { readonly note: WrittenNote; readonly removed: RemovedBySection };

const TITLE = 'title';
const FIELDS = 'dynamic_fields.';

/** Titles of sections and names of fields are the template's, and stay. */
export function cleanNote({ note, dynamicFields }: WrittenNote, isSaid: IsSaid): CleanNote {
  const removed: Record<string, Removed> = {};
  const clean = (name: string, before: string): string => {
    const { text, removed: some } = removeMarkup(before, isSaid);
    if (!isNothing(some)) removed[name] = some;
    return text;
  };
  const cleaned: WrittenNote = {
    note: {
      title: clean(TITLE, note.title),
      sections: note.sections.map((section) => ({ ...section, text: clean(section.key, section.text) })),
    },
    ...(dynamicFields && {
      dynamicFields: Object.fromEntries(
        Object.entries(dynamicFields).map(([name, text]) => [name, clean(FIELDS + name, text)]),
      ),
    }),
  };
  return { note: cleaned, removed };
}

export function totalRemoved(removed: RemovedBySection): Removed {
  return Object.values(removed).reduce(addRemoved, NOTHING_REMOVED);
}

const MARKS: Readonly<Record<Language, Readonly<Record<keyof Removed, string>>>> = {
  en: {
    markup: '[markup was removed]',
    addresses: '[an address that was not said was removed]',
  },
  es: {
    markup: '[se quitaron marcas de formato]',
    addresses: '[se quitó una dirección que no se dijo]',
  },
  pt: {
    markup: '[foram retiradas marcas de formatação]',
    addresses: '[foi retirado um endereço que não foi dito]',
  },
};

/** A section gets one line, and a field the same words behind its value. The title is marked nowhere: no chart has it. */
export function markRemoved(
  { note, dynamicFields }: WrittenNote,
  removed: RemovedBySection,
  language: Language,
): WrittenNote {
  const mark = (name: string, text: string, between: string): string => {
    const some = removed[name];
    if (some === undefined) return text;
    const kinds = (['addresses', 'markup'] as const).filter((kind) => some[kind] > 0);
    const line = kinds.map((kind) => MARKS[language][kind]).join(' ');
    return text.trim() === '' ? line : `${text.trimEnd()}${between}${line}`;
  };
  return {
    note: {
      ...note,
      sections: note.sections.map((section) => ({ ...section, text: mark(section.key, section.text, '\n') })),
    },
    ...(dynamicFields && {
      dynamicFields: Object.fromEntries(
        Object.entries(dynamicFields).map(([name, text]) => [name, mark(FIELDS + name, text, ' ')]),
      ),
    }),
  };
}
