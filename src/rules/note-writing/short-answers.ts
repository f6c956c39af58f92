// Decides which answers need their question beside them, because they mean nothing alone.

import type { Sentence } from './read-turns.ts';
import { hasContent, type PendingQuestion, type SortingState, type SortParts, toStatement } from './sorting-state.ts';
import type { Statement } from './statement.ts';

const SHORT_ANSWER = 7;

/** `Is that for life?` `Usually, yes.`: the answer means nothing without the question. */
export function shortAnswer(
  sentence: Sentence,
  asked: PendingQuestion,
  state: SortingState,
  parts: SortParts,
): Statement | undefined {
  const isAbout = hasContent(asked) || hasContent(sentence);
  if (!isAbout || state.phase === 'history' || !isShort(sentence, parts)) return undefined;
  if (sentence.isEmpty && !parts.isYesOrNo(sentence.words)) return undefined;
  return { ...toStatement(sentence, 'advice', state.exchange, true), question: asked };
}

export function isShort({ words }: Sentence, { isYesOrNo }: SortParts): boolean {
  return words.length < SHORT_ANSWER || isYesOrNo(words);
}

/** A complaint is clear without its question, and a line needs its question once. But "no" means nothing alone in any section. */
export function needsQuestion(
  sentence: Sentence,
  asked: PendingQuestion,
  state: SortingState,
  parts: SortParts,
): boolean {
  return isBareAnswer(sentence, parts) || (asked.topic !== 'complaint' && !isAnswered(state, asked));
}

function isBareAnswer(sentence: Sentence, { isYesOrNo }: SortParts): boolean {
  const isShortAnswer = isYesOrNo(sentence.words) && sentence.words.length < SHORT_ANSWER;
  return sentence.isEmpty || (isShortAnswer && !hasContent(sentence));
}

function isAnswered({ statements }: SortingState, { exchange }: PendingQuestion): boolean {
  return statements.at(-1)?.exchange === exchange;
}
