// One statement of a note, read for the comparison with the chart, and what a comparison finds in it.
import { foldText } from '../../../../clinical-text/fold.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import type { ChartSource, StatementKind } from '../../check-report.ts';
import type { TextFacts } from '../text-facts.ts';

export type ReadStatement = TextFacts & {
  readonly language: Language;
  /** What is decided, ordered or given, and no history. */
  readonly isPlan: boolean;
  readonly text: string;
  /** Its text without accents, in lower case. */
  readonly folded: string;
};

export type ChartFinding = {
  readonly kind: StatementKind;
  /** Tokens of the statement. */
  readonly first: number;
  readonly end: number;
  readonly isConflict: boolean;
  readonly source: ChartSource;
};

const PLAN = /PLAN|RECOMMEND|FOLLOW|DISPOSITION|INSTRUCTION|TREATMENT|PRESCRI|ORDER/;

type Parts = {
  readonly section: string;
  readonly text: string;
  readonly reading: TextFacts;
  readonly language: Language;
};

export function asStatement({ section, text, reading, language }: Parts): ReadStatement {
  return { ...reading, language, isPlan: PLAN.test(section), text, folded: foldText(text) };
}

/** The words of the sentence in which this token is. */
export function sentenceAt({ tokens }: TextFacts, index: number): string {
  const sentence = tokens[index]?.sentence;
  return wordsOf(tokens.filter((token) => token.sentence === sentence));
}

/** `ya no toma`: without accents and in lower case, with a blank between two words. */
export function wordsOf(tokens: readonly Token[]): string {
  return tokens.map(({ word }) => word).join(' ');
}
