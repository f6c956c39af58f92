// Sorts a turn of the patient or of a companion: what they tell, and what they answer.

import { asPending } from './pending-question.ts';
import type { Turn } from './read-turns.ts';
import { needsQuestion } from './short-answers.ts';
import { add, EXACT, hasAny, isReportedKind, type SortingState, type SortParts, toStatement } from './sorting-state.ts';
import type { Kind } from './statement-kinds.ts';
import { isUncertainAnswer, otherKind } from './weigh-sentence.ts';

export function sortOther(turn: Turn, state: SortingState, parts: SortParts): void {
  const { asked } = state;
  let before: Kind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    const isAnswer = index === 0 && asked !== undefined;
    if (sentence.isQuestion && !isUncertainAnswer(sentence, isAnswer, asked, parts)) continue;
    const kind = otherKind({ sentence, index, asked, before, phase: state.phase, parts });
    if (kind === undefined) {
      const last = state.statements.at(-1);
      const put =
        !sentence.isEmpty && asked === undefined && state.phase !== 'plan' && hasAny(sentence, EXACT)
          ? last
          : undefined;
      if (put && isReportedKind(put.kind)) add(state, toStatement(sentence, put.kind, put.exchange, false));
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
