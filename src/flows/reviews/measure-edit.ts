// Measures how far a signed note is from its draft, as lengths of what was inserted and deleted in each section. The marks of the check are no
// words of the draft: to remove one is no change.
import { diffArrays } from 'diff';
import type { Language } from '../../domain/language.ts';
import { withoutMarks } from '../../domain/note/marks.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import type { SectionChange, TextLength } from '../../domain/run/draft-decision.ts';

/** Texts that differ in more words than this count as replaced: to compare them word by word would take seconds. */
const MOST_EDITS = 2_000;

export type EditedNote = {
  readonly shown: WrittenNote;
  readonly signed: WrittenNote;
  readonly language: Language;
};

export function measureEdit({ shown, signed, language }: EditedNote): readonly SectionChange[] {
  const plain = (text: string) => withoutMarks(text, language).text;
  const after = new Map(signed.note.sections.map(({ key, text }) => [key, plain(text)]));
  return shown.note.sections.map(({ key, text }) => {
    const before = plain(text);
    return { section: key, draft: lengthOf(partsOf(before)), ...compare(before, after.get(key) ?? before) };
  });
}

type Change = Pick<SectionChange, 'inserted' | 'deleted'>;
const NOTHING: TextLength = { characters: 0, words: 0 };

function compare(before: string, after: string): Change {
  if (before === after) return { inserted: NOTHING, deleted: NOTHING };
  const [old, fresh] = withoutCommonEnds(partsOf(before), partsOf(after));
  const changes = diffArrays([...old], [...fresh], { maxEditLength: MOST_EDITS });
  if (changes === undefined) return { inserted: lengthOf(fresh), deleted: lengthOf(old) };
  const inserted = changes.flatMap(({ added, value }) => (added ? value : []));
  const deleted = changes.flatMap(({ removed, value }) => (removed ? value : []));
  return { inserted: lengthOf(inserted), deleted: lengthOf(deleted) };
}

/** Words, and what is between them. */
function partsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]/gu) ?? [];
}

const WORD = /[\p{L}\p{N}]/u;

function lengthOf(parts: readonly string[]): TextLength {
  const characters = parts.reduce((sum, part) => sum + part.length, 0);
  return { characters, words: parts.filter((part) => WORD.test(part)).length };
}

/** Most edits change a few words: what is before and behind them need not be compared. */
function withoutCommonEnds(
  one: readonly string[],
  other: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}
