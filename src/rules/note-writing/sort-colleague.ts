// Sorts a turn of a handover, in which two clinicians talk about a patient.

import { trailingQuestion } from './pending-question.ts';
import type { Turn } from './read-turns.ts';
import { add, hasContent, type SortingState, type SortParts, toStatement } from './sorting-state.ts';
import { bestKind, DONE_KINDS, type Kind, NOTE_KINDS } from './statement-kinds.ts';
import { MIN_SCORE, NOT_FOUND_KINDS, SURE } from './weigh-sentence.ts';

/** `Vaya` is an exclamation. */
const MIN_ORDER = 3;

/** In a handover both speakers may ask, report and order. */
export function sortColleague(turn: Turn, state: SortingState, parts: SortParts): void {
  const { cues } = parts;
  const asked = state.asked?.speaker === turn.speaker ? undefined : state.asked;
  let before: Kind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    if (sentence.isQuestion) continue;
    const own = cues.scoreStatement(sentence.words);
    const scores = new Map(own);
    if (before) scores.set(before, (scores.get(before) ?? 0) + 2);
    const isDirect = index === 0 && asked !== undefined && asked.topic !== 'talk';
    const isOrder = sentence.words.length >= MIN_ORDER && parts.orders(sentence);
    if (isOrder) scores.set('advice', (scores.get('advice') ?? 0) + SURE);
    const isAhead = isOrder || (bestKind(own, DONE_KINDS)?.score ?? 0) >= SURE;
    if (asked && isDirect && !isAhead) scores.set(asked.topic, (scores.get(asked.topic) ?? 0) + 3);
    const passing = bestKind(own, ['talk']);
    // `If the pressure falls below 90` is no pressure that was measured.
    const best = bestKind(scores, isOrder ? NOT_FOUND_KINDS : NOTE_KINDS);
    const isKept =
      best &&
      best.score >= MIN_SCORE &&
      best.score > (passing?.score ?? 0) &&
      (isDirect || best.score >= SURE || hasContent(sentence));
    if (!isKept || (sentence.isEmpty && !parts.isYesOrNo(sentence.words))) continue;
    add(state, {
      ...toStatement(sentence, best.kind, isDirect ? asked.exchange : state.exchange, true),
      ...(isDirect && { question: asked }),
      isComplaint: best.kind === 'complaint',
    });
    before = best.kind;
  }
  state.asked = trailingQuestion(turn, state, parts);
}
