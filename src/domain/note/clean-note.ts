// Takes markup and addresses that were not said out of the texts of a note, and marks the sections from which something was removed.
import type { Language } from '../language.ts';
import { addRemoved, type IsSaid, isNothing, NOTHING_REMOVED, type Removed, removeMarkup } from '../text/plain-text.ts';
import { changeTexts } from './checked-text.ts';
import type { WrittenNote } from './note.ts';

/** What was removed, by section: `PLAN`, `dynamic_fields.bmi` or `title`. Texts from which nothing was removed are absent. */
export type RemovedBySection = Readonly<Record<string, Removed>>;

export type CleanNote = { readonly note: WrittenNote; readonly removed: RemovedBySection };

const FIELDS = 'dynamic_fields.';

/** Titles of sections and names of fields are the template's, and stay. */
export function cleanNote(written: WrittenNote, isSaid: IsSaid): CleanNote {
  const removed: Record<string, Removed> = {};
  const clean = (name: string, before: string): string => {
    const { text, removed: some } = removeMarkup(before, isSaid);
    if (!isNothing(some)) removed[name] = some;
    return text;
  };
  return { note: changeTexts(written, clean), removed };
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
export function markRemoved(written: WrittenNote, removed: RemovedBySection, language: Language): WrittenNote {
  return changeTexts(written, (name, text) => {
    const some = removed[name];
    if (some === undefined || name === 'title') return text;
    const kinds = (['addresses', 'markup'] as const).filter((kind) => some[kind] > 0);
    const line = kinds.map((kind) => MARKS[language][kind]).join(' ');
    if (text.trim() === '') return line;
    return `${text.trimEnd()}${name.startsWith(FIELDS) ? ' ' : '\n'}${line}`;
  });
}
