// The statements of a note: its sentences and lines, each with the utterances that its writer names for it. The texts of the note are the
// truth: what was cleaned, marked or edited since is cut into statements anew.
import { splitSpeech } from '../../clinical-text/sentences/split-speech.ts';
import type { WrittenNote, WrittenStatement } from './note.ts';

/** A statement with its place in the text of its section. */
export type PlacedStatement = {
  readonly section: string;
  readonly from: number;
  readonly to: number;
  /** Undefined if its writer has not named any. */
  readonly cites: readonly number[] | undefined;
};

/** The statements of all sections, in the order of the note. Neither the title nor a dynamic field is a statement. */
export function placeStatements({ note, statements = [] }: WrittenNote): readonly PlacedStatement[] {
  const bySection = Map.groupBy(statements, ({ section }) => section);
  return note.sections.flatMap(({ key, text }) => placeInSection(key, text, bySection.get(key) ?? []));
}

function placeInSection(section: string, text: string, written: readonly WrittenStatement[]): PlacedStatement[] {
  const placed: PlacedStatement[] = [];
  let done = 0;
  for (const { text: words, cites } of written) {
    const from = words === '' ? -1 : text.indexOf(words, done);
    if (from < 0) continue;
    const before = splitRest(text, done, from);
    placed.push(...before.map(uncited(section)), { section, from, to: from + words.length, cites });
    done = from + words.length;
  }
  return [...placed, ...splitRest(text, done, text.length).map(uncited(section))];
}

function uncited(section: string): (place: { from: number; to: number }) => PlacedStatement {
  return (place) => ({ section, ...place, cites: undefined });
}

/** The places of the sentences and lines of a part for which no statement is known. */
export function splitRest(text: string, start: number, end: number): { from: number; to: number }[] {
  let at = start;
  return splitSpeech(text.slice(start, end)).map((sentence) => {
    const from = text.indexOf(sentence, at);
    at = from + sentence.length;
    return { from, to: at };
  });
}
