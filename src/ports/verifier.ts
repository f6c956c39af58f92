// The verifier: the second check of a note. A model compares each statement with the whole talk and the chart.
import type { Language } from '../domain/language.ts';
import type { StatementVerdict } from '../domain/note/add-verdicts.ts';
import type { ChartToCheck } from '../domain/note/chart-to-check.ts';
import type { Transcript } from '../domain/recording/transcript.ts';
import type { Answered } from './reasoner.ts';

/** All texts are untrusted. */
export type VerifierRequest = {
  readonly statements: readonly {
    /** `st-1` */
    readonly id: string;
    readonly section: string;
    readonly text: string;
    /** Indexes of the utterances on which it rests, as far as that is known. */
    readonly utterances: readonly number[];
  }[];
  readonly transcript: Transcript;
  /** The language of the note. */
  readonly language: Language;
  /** Absent: the caller has none. */
  readonly chart?: ChartToCheck;
};

export type VerifierAnswer = Answered & {
  /** At most one for each statement. A statement without one was not judged: it did not fit, or its verdict did not hold. */
  readonly verdicts: readonly StatementVerdict[];
};

/** Throws an AppError, as the reasoner does. */
export type Verifier = {
  /** `openai:gpt-5.4` */
  readonly engine: string;
  /** The version of its prompt: a hash. */
  readonly prompt?: string;
  verify(request: VerifierRequest, signal: AbortSignal): Promise<VerifierAnswer>;
};
