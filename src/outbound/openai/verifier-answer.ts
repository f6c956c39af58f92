// The form in which a model answers with verdicts, and the check of what it gave. A verdict counts only if the words that it rests on were
// said: a model may be wrong about a note, but must not invent what decides.
import { z } from 'zod';
import { STATEMENT_VERDICTS, type StatementVerdict } from '../../domain/note/add-verdicts.ts';
import { type AnswerSchema, enumeration, listOf, record, text } from './answer-schema.ts';
import { BrokenAnswer } from './broken-answer.ts';

/** What was put before the model, as it was put there. */
export type AskedStatements = {
  readonly ids: readonly string[];
  /** By index. */
  readonly utterances: readonly string[];
  readonly chart: readonly string[];
  /** False: what was not found may be in the rest. */
  readonly isWhole: boolean;
};

export function verdictSchema(): AnswerSchema {
  return record({
    verdicts: listOf(
      record({
        id: text('The id of the statement'),
        verdict: enumeration(STATEMENT_VERDICTS),
        utterances: listOf({ type: 'integer' }),
        words: text('The words that decide, verbatim; empty if there are none'),
      }),
    ),
  });
}

const answerForm = z.object({
  verdicts: z.array(
    z.object({
      id: z.string(),
      verdict: z.enum(STATEMENT_VERDICTS),
      utterances: z.array(z.int()),
      words: z.string(),
    }),
  ),
});

/** The verdicts that hold. Throws a BrokenAnswer if the answer breaks its form, or has not each of the asked ids once. */
export function readVerdicts(value: unknown, asked: AskedStatements): readonly StatementVerdict[] {
  const { data, success } = answerForm.safeParse(value);
  if (!success) throw new BrokenAnswer('the verdicts break their form');
  const given = new Set(data.verdicts.map(({ id }) => id));
  if (data.verdicts.length !== asked.ids.length || given.size !== asked.ids.length) {
    throw new BrokenAnswer('the verdicts have a statement too many, too few or twice');
  }
  if (!asked.ids.every((id) => given.has(id))) throw new BrokenAnswer('the verdicts name an unknown statement');
  const hasWords = makeHasWords();
  return data.verdicts.flatMap(({ utterances, ...verdict }) => {
    const indexes = utterances.map((number) => number - 1);
    return heldByWords({ ...verdict, utterances: indexes }, asked, hasWords);
  });
}

type HasWords = (text: string, words: string) => boolean;

/** Empty if the verdict counts as not given. */
function heldByWords(
  given: StatementVerdict,
  { isWhole, utterances, chart }: AskedStatements,
  hasWords: HasWords,
): readonly StatementVerdict[] {
  const { verdict, words } = given;
  // Nothing can be quoted for what was not said, but all that was said must have been read.
  if (verdict === 'not-mentioned') return isWhole ? [{ ...given, utterances: [], words: '' }] : [];
  if (verdict === 'partly' && !isWhole) return [];
  if (given.utterances.length === 0) {
    // What contradicts the chart is for the first check, which shows both sides.
    return verdict !== 'contradicted' && chart.some((entry) => hasWords(entry, words)) ? [given] : [];
  }
  const isSaidIn = (index: number) => hasWords(utterances[index] ?? '', words);
  const [said, rest] = [given.utterances.filter(isSaidIn), given.utterances.filter((index) => !isSaidIn(index))];
  const isEachKnown = given.utterances.every((index) => utterances[index] !== undefined);
  return said.length > 0 && isEachKnown ? [{ ...given, utterances: [...said, ...rest] }] : [];
}

function makeHasWords(): HasWords {
  const folded = new Map<string, string>();
  const foldOnce = (text: string) => {
    const known = folded.get(text) ?? fold(text);
    folded.set(text, known);
    return known;
  };
  return (text, words) => {
    const wanted = foldOnce(words);
    return wanted !== '' && hasWhole(foldOnce(text), wanted);
  };
}

/** `ever` is not in `fever`. */
function hasWhole(text: string, words: string): boolean {
  const isInWord = (...ends: readonly [string, string]) => ends.every((end) => /[\p{L}\p{M}\p{N}]/u.test(end));
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const isCut =
      isInWord(text.charAt(at - 1), words.charAt(0)) || isInWord(words.charAt(words.length - 1), text.charAt(end));
    if (!isCut) return true;
  }
  return false;
}

/** Upper case, kinds of quotation marks and the width of blanks make no other words. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[“”«»„"]/g, '"')
    .replace(/[’‘´`]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^["'\s]+|["'.\s]+$/g, '');
}
