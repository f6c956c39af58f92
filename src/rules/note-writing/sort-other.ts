// Sorts a turn of the patient or of a companion: what they tell, and what they answer.

import { asPending } from './pending-question.ts';
import type { Sentence, Turn } from './read-turns.ts';
import { needsQuestion } from './short-answers.ts';
import { add, EXACT, hasAny, isReportedKind, type SortingState, type SortParts, toStatement } from './sorting-state.ts';
import type { NoteKind } from './statement-kinds.ts';
import { isUncertainAnswer, otherKind } from './weigh-sentence.ts';

/** A question in between counts, too. */
const NEXT_TURN = 2;

export function sortOther(turn: Turn, state: SortingState, parts: SortParts): void {
  const { asked } = state;
  const { length } = state.statements;
  const isOpening = length === 0;
  let before: NoteKind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    const isAnswer = index === 0 && asked !== undefined;
    const isDoubt = isDoubted(sentence, turn, index);
    if (sentence.isQuestion && !isDoubt && !isUncertainAnswer(sentence, isAnswer, asked, parts)) continue;
    const kind = isDoubt ? before : otherKind({ sentence, index, asked, before, phase: state.phase, isOpening, parts });
    if (kind === undefined) {
      const isExact = !sentence.isEmpty && hasAny(sentence, EXACT);
      if (isExact && asked === undefined && state.phase !== 'plan')
        addExact(sentence, state, state.statements.length > length);
      if (!sentence.isEmpty) before = undefined;
      continue;
    }
    add(state, {
      ...toStatement(sentence, kind, asked?.exchange ?? state.exchange, false),
      ...(asked && needsQuestion(sentence, asked, state, parts) && { question: asked }),
      isComplaint: asked?.topic === 'complaint',
    });
    before = kind;
  }
  const last = turn.sentences.slice(-2).findLast(({ isQuestion }) => isQuestion);
  state.askedBack = last && asPending(last, state, 'talk');
}

/** `Tuesday. No? Thursday, then.`: the doubt between two answers shows that the second one corrects the first. */
function isDoubted({ isQuestion, words }: Sentence, { sentences }: Turn, index: number): boolean {
  return isQuestion && words.length === 1 && index > 0 && index < sentences.length - 1;
}

/**
 * `He takes six.` `Four.`: a number of which nothing else is said belongs to the statement before, unless a turn of the clinician is between:
 * `My sister was in hospital.` … `Three days.` is not of the sister.
 */
function addExact(sentence: Sentence, state: SortingState, isSameTurn: boolean): void {
  const last = state.statements.at(-1);
  if (last === undefined || !isReportedKind(last.kind)) return;
  const isReply = last.speaker !== sentence.speaker && state.exchange - last.exchange <= NEXT_TURN;
  if (isSameTurn || isReply) add(state, toStatement(sentence, last.kind, last.exchange, false));
  else add(state, toStatement(sentence, last.kind === 'family' ? 'history' : last.kind, state.exchange, false));
}
