// Joins the evidence of a check with the texts that are written: a draft has marks, and a clinician may have edited it. A statement keeps
// its evidence only if it is there word for word; what was changed or added has none.
import type { Language } from '../language.ts';
import type { MissingStatement, StatementEvidence } from './check-report.ts';
import { withoutMarks } from './marks.ts';
import type { Note } from './note.ts';
import { splitRest } from './statements.ts';

/** What the check found in a note. */
export type NoteEvidence = {
  /** The note that was checked, before it was marked or edited. */
  readonly checked: Note;
  readonly statements: readonly StatementEvidence[];
  readonly missing: readonly MissingStatement[];
};

/** A statement of the note that is written. */
export type JoinedStatement = {
  /** That of its evidence; what has none is numbered behind all that have one. Unique in the note. */
  readonly id: string;
  readonly section: string;
  /** Its words, with their marks. */
  readonly text: string;
  readonly evidence?: StatementEvidence;
};

type Parts = { readonly note: Note; readonly evidence: NoteEvidence | undefined; readonly language: Language };
type Range = { readonly from: number; readonly to: number; readonly evidence?: StatementEvidence };

/** The statements of each section, in the order of the note. The same draft always gives the same ids. */
export function joinEvidence({ note, evidence, language }: Parts): readonly (readonly JoinedStatement[])[] {
  const checked = evidence?.statements ?? [];
  const bySection = Map.groupBy(checked, ({ section }) => section);
  let last = Math.max(0, ...checked.map(({ id }) => Number(/^st-(\d+)$/.exec(id)?.[1] ?? 0)));
  return note.sections.map(({ key, text }) => {
    const own = bySection.get(key) ?? [];
    bySection.delete(key);
    const read = evidence?.checked.sections.find((section) => section.key === key)?.text ?? '';
    const { text: bare, placeOf } = withoutMarks(text, language);
    const ranges = placeChecked(bare, { text: read, statements: own });
    return withRest(bare, ranges).map((range) => ({
      id: range.evidence?.id ?? `st-${++last}`,
      section: key,
      text: text.slice(placeOf(range.from), placeOf(range.to)),
      ...(range.evidence && { evidence: range.evidence }),
    }));
  });
}

type Checked = { readonly text: string; readonly statements: readonly StatementEvidence[] };

function placeChecked(bare: string, { text, statements }: Checked): readonly Range[] {
  const ordered = statements.toSorted((a, b) => a.from - b.from);
  if (bare === text) {
    return ordered.map((evidence) => ({ from: evidence.from, to: evidence.to, evidence }));
  }
  const find = makeFindWhole(bare);
  return ordered.flatMap((evidence): Range[] => {
    const place = find(text.slice(evidence.from, evidence.to));
    return place === undefined ? [] : [{ ...place, evidence }];
  });
}

/** A sentence that is repeated without end is not searched to the end for each statement. */
const MOST_TRIES = 50;

/**
 * Finds the statements of an edited text one after another, in its order. Each has to be whole sentences of it: words that were lengthened,
 * as in "no pain" and "no pain at rest", are another statement.
 */
function makeFindWhole(text: string): (words: string) => { from: number; to: number } | undefined {
  const sentences = splitRest(text, 0, text.length);
  const ends = new Set(sentences.map(({ to }) => to));
  const byFirst = Map.groupBy(sentences, ({ from, to }) => text.slice(from, to));
  const skipped = new Map<string, number>();
  let done = 0;
  return (words) => {
    const [first] = splitRest(words, 0, words.length);
    if (first === undefined) return undefined;
    const key = words.slice(first.from, first.to);
    const candidates = byFirst.get(key) ?? [];
    let next = skipped.get(key) ?? 0;
    while (next < candidates.length && (candidates[next]?.from ?? 0) < done) next += 1;
    skipped.set(key, next);
    const fits = ({ from }: { from: number }) => {
      const start = from - first.from;
      return start >= done && text.startsWith(words, start) && ends.has(start + words.length);
    };
    const found = candidates.slice(next, next + MOST_TRIES).find(fits);
    if (found === undefined) return undefined;
    done = found.from - first.from + words.length;
    return { from: found.from - first.from, to: done };
  };
}

function withRest(text: string, ranges: readonly Range[]): readonly Range[] {
  let done = 0;
  const all = ranges.flatMap((range): Range[] => {
    const before = splitRest(text, done, range.from);
    done = range.to;
    return [...before, range];
  });
  return [...all, ...splitRest(text, done, text.length)];
}
