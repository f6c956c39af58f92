// What the readers of claims share: the note and the talk, each read once, and what they are compared with besides.
import type { Language } from '../../language.ts';
import type { Transcript } from '../../recording/transcript.ts';
import type { ChartToCheck } from '../chart-to-check.ts';
import type { CheckedStatement, Verdict } from '../check-report.ts';
import type { Lexicon } from '../lexicon.ts';
import type { PlacedStatement } from '../statements.ts';
import type { SpokenFacts } from './spoken-facts.ts';
import type { TextFacts } from './text-facts.ts';

export type NoteText = {
  /** `SUBJECTIVE`, `title`, or `dynamic_fields.bmi`. */
  readonly name: string;
  readonly text: string;
  readonly reading: TextFacts;
};

export type CheckWork = {
  readonly texts: readonly NoteText[];
  readonly statements: readonly PlacedStatement[];
  /** Each statement read by itself, in the same order. */
  readonly statementFacts: readonly TextFacts[];
  /** The language of the note. */
  readonly language: Language;
  readonly transcript: Transcript;
  readonly spoken: SpokenFacts;
  /** Absent: the knowledge of findings is not at hand, and affirmed findings are not read. */
  readonly lexicon?: Lexicon;
  /** Absent: the caller has no chart. */
  readonly chart?: ChartToCheck;
};

export type ClaimWithVerdict = Pick<CheckedStatement, 'kind' | 'section' | 'from' | 'to' | 'said' | 'chart'> & {
  readonly verdict: Verdict;
};
