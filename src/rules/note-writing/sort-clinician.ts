// Sorts a turn of the clinician: findings, judgements, orders and advice. Questions wait for their answers.

import { trailingQuestion } from './pending-question.ts';
import type { Sentence, Turn } from './read-turns.ts';
import { isShort, shortAnswer } from './short-answers.ts';
import {
  add,
  hasAny,
  isReportedKind,
  type PendingQuestion,
  type SortingState,
  type SortParts,
  startsWithNumber,
  toStatement,
} from './sorting-state.ts';
import type { Statement } from './statement.ts';
import { bestKind, DONE_KINDS, type Kind, PASSING_KINDS, type Scores, THOUGHT_KINDS } from './statement-kinds.ts';
import {
  clinicianKind,
  correctedStatement,
  FOUND,
  isFinding,
  isOutOfPlace,
  isProposal,
  type Passing,
  SURE,
  withContext,
} from './weigh-sentence.ts';

const PLAN_KINDS: ReadonlySet<Kind> = new Set<Kind>([
  'treatment',
  'test-order',
  'referral',
  'followup',
  'return',
  'assessment',
  'decision',
]);
const SHORT_REMARK = 6;
/** `And nursery?` names a topic that the answer does not repeat. */
const SHORT_QUESTION = 4;

export function sortClinician(turn: Turn, state: SortingState, parts: SortParts): void {
  const { askedBack } = state;
  const { length } = state.statements;
  state.askedBack = undefined;
  let before: Kind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    const own = parts.cues.scoreStatement(sentence.words);
    const passing = bestKind(own, PASSING_KINDS);
    if (sentence.isQuestion && !isStatement(sentence, own, index < turn.sentences.length - 1, state, parts)) {
      noteCommand(sentence, passing, state);
      continue;
    }
    const answers = index === 0 ? askedBack : undefined;
    before = readStatement({ sentence, own, passing, answers, before }, state, parts);
  }
  const asked = trailingQuestion(turn, state, parts);
  state.asked = asked;
  if (asked && isHistory(asked)) dropRemarks(state, length);
  // A turn with nothing but a question goes back to the history.
  if (asked && isHistory(asked) && state.statements.length === length) state.phase = 'history';
}

function isHistory({ topic }: PendingQuestion): boolean {
  return isReportedKind(topic) && topic !== 'response';
}

/** `Because of the gastritis. Anything else that you take?`: a short remark between two questions is no judgement. */
function dropRemarks({ statements }: SortingState, from: number): void {
  const own = statements.slice(from);
  if (own.every(({ kind, words }) => isThought(kind) && words.length <= SHORT_REMARK)) statements.length = from;
}

type ClinicianSentence = {
  readonly sentence: Sentence;
  readonly own: Scores;
  readonly passing: Passing;
  /** The patient's question that the sentence may answer. */
  readonly answers: PendingQuestion | undefined;
  readonly before: Kind | undefined;
};

/** Returns the kind that the next sentence may continue. */
function readStatement(
  { sentence, own, passing: said, answers, before }: ClinicianSentence,
  state: SortingState,
  parts: SortParts,
): Kind | undefined {
  const isPlan = parts.plans(sentence, state.phase);
  const passing = isPlan && state.phase === 'plan' && !isExamining(said, sentence) ? undefined : said;
  const isAhead = parts.looksAhead(sentence.words);
  const scores = withContext(own, {
    before,
    phase: state.phase,
    sentence,
    isHomework: parts.isSession && isAhead,
    isOpening: !state.hasComplaint,
    isDiagnosis: answers !== undefined && hasAny(answers, ['diagnosis']),
    isDecision: answers !== undefined && isShort(sentence, parts) && parts.asksPlan(answers.words, state.phase),
  });
  // `Keep the ice`: an order is part of the plan, also if its words were said before.
  const isOrder =
    state.statements.length > 0 && parts.plans(sentence, 'plan') && bestKind(own, DONE_KINDS) !== undefined;
  const kind = clinicianKind({ sentence, scores, passing, before, phase: state.phase, isPlan, parts });
  if (kind === undefined || (isOutOfPlace(kind, sentence, state) && !isOrder)) {
    const isPlain = kind === undefined && passing === undefined && !sentence.isEmpty;
    const put = isPlain && answers === undefined ? correctedStatement(sentence, state) : undefined;
    if (put) add(state, toStatement(sentence, put.kind, put.exchange, true));
    noteCommand(sentence, passing, state);
    const answered = answers && shortAnswer(sentence, answers, state, parts);
    if (answered) add(state, answered);
    return passing?.kind === 'command' ? before : undefined;
  }
  if (FOUND.has(kind) && state.phase === 'history') state.phase = 'exam';
  if (PLAN_KINDS.has(kind) || (kind === 'intervention' && !parts.isSession)) state.phase = 'plan';
  const question = contextOf(sentence, kind, answers, state, parts);
  add(state, { ...toStatement(sentence, kind, state.exchange, true), isAhead, ...(question && { question }) });
  const also = bestKind(own, isThought(kind) ? DONE_KINDS : ['differential']);
  if (also && also.score >= SURE) add(state, toStatement(sentence, also.kind, state.exchange, true));
  state.command = undefined;
  return kind;
}

/**
 * `If the pain passes …`, `I'll see you again tomorrow`: a word of greetings or of the examination takes nothing out of a plan, unless it
 * names what is examined.
 */
function isExamining(passing: Passing, sentence: Sentence): boolean {
  return passing?.kind === 'command' && hasAny(sentence, ['body']);
}

/** A command shows that the examination has begun. */
function noteCommand(sentence: Sentence, passing: Passing, state: SortingState): void {
  if (passing?.kind === 'command') [state.command, state.phase] = [sentence, 'exam'];
}

/** True for a sentence with a question mark that is a statement. */
function isStatement(
  sentence: Sentence,
  own: Scores,
  isFollowed: boolean,
  { phase, statements }: SortingState,
  { hasTag, endsWithTag, orders }: SortParts,
): boolean {
  // `No more diclofenac, all right?` wants no answer.
  const isOrder = statements.length > 0 && endsWithTag(sentence.text) && (phase === 'plan' || orders(sentence));
  return isOrder || isProposal(own, phase) || (isFinding(own) && isFollowed && hasTag(sentence.words));
}

/** The question or command without which the statement means nothing. */
function contextOf(
  sentence: Sentence,
  kind: Kind,
  answers: PendingQuestion | undefined,
  { command }: SortingState,
  parts: SortParts,
): Statement['question'] {
  if (answers && (isShort(sentence, parts) || answers.words.length <= SHORT_QUESTION)) return answers;
  return FOUND.has(kind) && isBareNumber(sentence) ? command : undefined;
}

/** `It is a pneumonia, so he has to stay` is part of the plan as well, `It could be a cyst, so I order a scan` of the differential. */
function isThought(kind: Kind): boolean {
  return THOUGHT_KINDS.some((thought) => thought === kind);
}

/** A number without any word that says what it measures. */
function isBareNumber(sentence: Sentence): boolean {
  return (
    startsWithNumber(sentence) && !sentence.words.some(({ families }) => families.has('lab') || families.has('body'))
  );
}
