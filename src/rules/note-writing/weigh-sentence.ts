// Decides the kind of a sentence by its cues and its place in the talk.

import type { Sentence } from './read-turns.ts';
import {
  EXACT,
  HEALTH,
  hasAny,
  hasContent,
  isReportedKind,
  type PendingQuestion,
  type Phase,
  type SortingState,
  type SortParts,
  saysNothingNew,
  startsWithNumber,
} from './sorting-state.ts';
import type { Statement } from './statement.ts';
import {
  bestKind,
  DONE_KINDS,
  FOUND_KINDS,
  type Kind,
  NOTE_KINDS,
  type NoteKind,
  REPORTED_KINDS,
  type Scores,
  THOUGHT_KINDS,
} from './statement-kinds.ts';

const CLINICIAN_KINDS = [...DONE_KINDS, ...FOUND_KINDS, ...THOUGHT_KINDS, 'complaint'] as const;
export const NOT_FOUND_KINDS = [...DONE_KINDS, ...THOUGHT_KINDS, 'complaint'] as const;
export const FOUND: ReadonlySet<Kind> = new Set<Kind>(FOUND_KINDS);
const FOUND_CONTENT = ['finding', 'body', 'vital', 'lab', 'side', 'number', 'symptom'];
const NAMED = ['vital', 'lab', 'finding', 'test'];
export const MIN_SCORE = 3;
export const SURE = 4;
const LIKELY = 2;
/** A patient's statement without a question needs a higher score. */
const MIN_UNASKED = 4;
const MIN_HEALTH = 2;
/** `You are in the right place` is long enough to say something, `There we go` is not. */
const MIN_PLAN = 4;
/** A short sentence more likely continues the one before. */
const SHORT = 8;

export type Passing = { readonly kind: Kind; readonly score: number } | undefined;
export type Context = {
  readonly before: Kind | undefined;
  readonly phase: Phase;
  readonly sentence: Sentence;
  readonly isOpening: boolean;
  readonly isHomework: boolean;
  readonly isDiagnosis: boolean;
  /** It answers a question such as `Will I need an operation?`. */
  readonly isDecision: boolean;
};
export type Answer = {
  readonly sentence: Sentence;
  readonly index: number;
  readonly asked: PendingQuestion | undefined;
  readonly before: Kind | undefined;
  readonly phase: Phase;
  /** Nothing is in the note yet. */
  readonly isOpening: boolean;
  readonly parts: SortParts;
};

export function withContext(
  own: Scores,
  { before, phase, sentence, isOpening, isHomework, isDiagnosis, isDecision }: Context,
): Scores {
  const scores = new Map(own);
  const more = (kind: Kind, points: number) => scores.set(kind, (scores.get(kind) ?? 0) + points);
  const content = hasContent(sentence);
  const isFound = hasAny(sentence, FOUND_CONTENT);
  const canFollow = before !== undefined && FOUND.has(before) ? isFound : content && !isMeasured(sentence, own);
  if (before && canFollow) more(before, sentence.words.length <= SHORT ? 3 : 2);
  if (isHomework) more('advice', SURE);
  if (isDiagnosis) more('assessment', SURE);
  if (isDecision) more('decision', SURE + LIKELY);
  // `It's your yearly check`, if the reason for the visit was not stated before.
  if (isOpening && (own.get('complaint') ?? 0) >= 4) more('complaint', 6);
  for (const kind of THOUGHT_KINDS) if ((own.get(kind) ?? 0) >= 4) more(kind, 2);
  if (phase === 'exam' && isFound) for (const kind of FOUND_KINDS) if (scores.has(kind)) more(kind, 1);
  if (phase === 'exam' && startsWithNumber(sentence) && !hasAny(sentence, ['time'])) more('vital', 4);
  if (phase === 'plan' && content)
    for (const kind of ['advice', 'treatment'] as const) if (scores.has(kind)) more(kind, 1);
  return scores;
}

/** `Your pulse is 88`: it continues no plan. */
function isMeasured(sentence: Sentence, own: Scores): boolean {
  return hasAny(sentence, ['vital', 'lab']) && (bestKind(own, ['vital', 'result'])?.score ?? 0) >= SURE;
}

export type Weighed = {
  readonly sentence: Sentence;
  readonly scores: Scores;
  readonly passing: Passing;
  readonly before: Kind | undefined;
  readonly phase: Phase;
  /** It says what is to be done, or what would have to happen: no finding, however many values it has. */
  readonly isPlan: boolean;
  readonly parts: Pick<SortParts, 'keepsResponses' | 'plans'>;
};

export function clinicianKind(weighed: Weighed): NoteKind | undefined {
  const { sentence, scores, passing, phase, isPlan, parts } = weighed;
  if (sentence.isEmpty || (phase === 'plan' && isLoneNumber(sentence))) return undefined;
  // In a plan a number with a unit is an aim or a dose, unless it is named: `95 percent`, `90 percent chocolate`.
  const isUnnamed = phase === 'plan' && (!hasAny(sentence, NAMED) || hasAny(sentence, ['drug']));
  const kinds: readonly NoteKind[] = isPlan || isUnnamed ? NOT_FOUND_KINDS : CLINICIAN_KINDS;
  const best = bestKind(scores, parts.keepsResponses ? [...kinds, 'response'] : kinds);
  const min = phase !== 'history' && hasAny(sentence, HEALTH) ? MIN_HEALTH : MIN_SCORE;
  if (best === undefined || best.score < min || best.score <= (passing?.kind === 'talk' ? passing.score : 0)) {
    return passing === undefined ? byPhase(sentence, phase, isPlan) : undefined;
  }
  // `Hop up, bend it for me` is only a command, unless the same sentence has a finding.
  if (passing?.kind === 'command' && !hasAny(sentence, ['number']) && best.score <= passing.score + 1) return undefined;
  return isOneOfFindings(best, weighed) ? 'exam' : best.kind;
}

/** `Three.`: the echo of a number. */
function isLoneNumber(sentence: Sentence): boolean {
  return sentence.words.length === 1 && startsWithNumber(sentence);
}

/** `There is stridor at rest` among findings: one word of advice makes no plan of a sentence that orders nothing. */
function isOneOfFindings(best: { readonly kind: NoteKind; readonly score: number }, weighed: Weighed): boolean {
  const { sentence, before, phase, parts } = weighed;
  const isDone = DONE_KINDS.some((kind) => kind === best.kind);
  const isAmong = phase === 'exam' && before !== undefined && FOUND.has(before);
  return isDone && isAmong && best.score <= SURE && !parts.plans(sentence, 'plan');
}

/**
 * A sentence without a cue: a likely section is better than losing it. Once the plan has begun, what the clinician says is kept, because
 * a drug that is stopped or a warning in words that no cue knows must not be lost.
 */
function byPhase(sentence: Sentence, phase: Phase, isPlan: boolean): NoteKind | undefined {
  if (phase === 'plan' && sentence.words.length >= MIN_PLAN) return 'advice';
  if (isPlan) return hasContent(sentence) ? 'advice' : undefined;
  return phase === 'exam' && hasAny(sentence, HEALTH) ? 'exam' : undefined;
}

export function otherKind({ sentence, index, asked, before, phase, isOpening, parts }: Answer): NoteKind | undefined {
  const own = parts.cues.scoreStatement(sentence.words);
  const talk = own.get('talk') ?? 0;
  // `My father had a stroke. He was on warfarin.`: what follows is still of the father, also in languages that leave out "he".
  if (before === 'family' && hasContent(sentence) && !parts.isOfSpeaker(sentence.words)) return 'family';
  const topic = asked?.topic;
  const topicKind = isReportedKind(topic) ? topic : undefined;
  const best = bestKind(own, REPORTED_KINDS);
  if (topicKind === undefined) {
    const isGreeting = topic === 'talk' && isOpening;
    const min = phase === 'plan' ? MIN_UNASKED + 1 : hasAny(sentence, HEALTH) && !isGreeting ? MIN_HEALTH : MIN_UNASKED;
    if (parts.keepsResponses && (own.get('response') ?? 0) >= SURE && talk < SURE) return 'response';
    if (best && best.score >= min && best.score > talk && hasContent(sentence)) return best.kind;
    if (
      parts.isSession &&
      phase !== 'plan' &&
      !isGreeting &&
      talk === 0 &&
      !sentence.isEmpty &&
      sentence.words.length > 2
    )
      return 'history';
    return before && hasContent(sentence) && talk === 0 ? NOTE_KINDS.find((kind) => kind === before) : undefined;
  }
  if (index === 0 && parts.isYesOrNo(sentence.words)) return topicKind;
  if (sentence.isEmpty || (talk > 0 && talk >= (best?.score ?? 0))) return undefined;
  const scores = new Map(own);
  scores.set(topicKind, (scores.get(topicKind) ?? 0) + (index === 0 ? 3 : 1));
  if (before) scores.set(before, (scores.get(before) ?? 0) + 2);
  return bestKind(scores, REPORTED_KINDS)?.kind;
}

/** `I'll put you down for Tuesday?` is not a question. */
export function isProposal(own: Scores, phase: Phase): boolean {
  const ahead = bestKind(own, ['intervention', ...(phase === 'history' ? [] : (['followup', 'decision'] as const))]);
  return (ahead?.score ?? 0) >= 4;
}

export function isFinding(own: Scores): boolean {
  return (bestKind(own, FOUND_KINDS)?.score ?? 0) >= 4;
}

/** True for an order or judgement before any history, and in the history for a repetition of earlier statements. */
export function isOutOfPlace(kind: NoteKind, sentence: Sentence, { statements, phase }: SortingState): boolean {
  if (FOUND.has(kind) || kind === 'complaint') return false;
  return statements.length === 0 || (phase === 'history' && saysNothingNew(sentence, statements));
}

/** `No, it says ten here`: a number, side or drug that differs from the last statement corrects it. */
export function correctedStatement(sentence: Sentence, { statements }: SortingState): Statement | undefined {
  const last = statements.at(-1);
  return last && hasAny(sentence, EXACT) && !saysNothingNew(sentence, statements) ? last : undefined;
}

/** `About four months?` is an answer, `Can I drink?` a question. */
export function isUncertainAnswer(
  sentence: Sentence,
  isFirst: boolean,
  asked: PendingQuestion | undefined,
  { asks }: SortParts,
): boolean {
  if (asked === undefined || !isReportedKind(asked.topic) || asks(sentence.words)) return false;
  return isFirst ? hasContent(sentence) : hasAny(sentence, EXACT);
}
