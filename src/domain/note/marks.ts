// The marks behind words of a draft that the recording does not support, or that the chart contradicts.
import type { Language } from '../language.ts';

export const NOT_FOUND_MARKS: Readonly<Record<Language, string>> = {
  en: '[not found in the recording]',
  es: '[no se encontró en la grabación]',
  pt: '[não encontrado na gravação]',
};

export const CONFLICT_MARKS: Readonly<Record<Language, string>> = {
  en: '[the chart says otherwise]',
  es: '[la historia clínica dice otra cosa]',
  pt: '[o prontuário diz outra coisa]',
};

/** A text without its marks. Places in it are converted to places in the marked text. */
export type Unmarked = {
  readonly text: string;
  /** A place in `text` as a place in the marked text, behind the marks that are there. */
  readonly placeOf: (place: number) => number;
};

export function withoutMarks(marked: string, language: Language): Unmarked {
  const marks = [` ${NOT_FOUND_MARKS[language]}`, ` ${CONFLICT_MARKS[language]}`];
  let text = '';
  // The places in the unmarked text at which a mark was, with the length of all marks up to it.
  const taken: { readonly place: number; readonly length: number }[] = [];
  let [at, length] = [0, 0];
  for (;;) {
    const next = nextMark(marked, at, marks);
    if (next === undefined) break;
    text += marked.slice(at, next.index);
    length += next.mark.length;
    taken.push({ place: text.length, length });
    at = next.index + next.mark.length;
  }
  text += marked.slice(at);
  return { text, placeOf: (place) => place + lengthUpTo(taken, place) };
}

function nextMark(text: string, from: number, marks: readonly string[]) {
  const found = marks.map((mark) => ({ mark, index: text.indexOf(mark, from) })).filter(({ index }) => index >= 0);
  return found.toSorted((a, b) => a.index - b.index)[0];
}

/** The length of the marks whose places are not behind this one. Places are in ascending order. */
function lengthUpTo(taken: readonly { readonly place: number; readonly length: number }[], place: number): number {
  let [low, high] = [0, taken.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((taken[middle]?.place ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return taken[low - 1]?.length ?? 0;
}
