// Walks through a talk and says of each sentence what it is: by its own words, by the question that it answers, by who says it, by the
// sentence before it and by how far the visit has come. Small talk, commands and questions without an answer fall out.

import { asPending, trailingQuestion } from './pending-question.ts';
import type { Sentence, Turn } from './read-turns.ts';
import {
  add,
  EXACT,
  HEALTH,
  hasAny,
  hasContent,
  isToldKind,
  type Pending,
  type SortParts,
  startsWithNumber,
  toStatement,
  type Walk,
} from './sorting-state.ts';
import type { Statement } from './statement.ts';
import { bestKind, type Kind, NOTE_KINDS, PASSING_KINDS, type Scores } from './statement-kinds.ts';
import {
  clinicianKind,
  FOUND,
  isFinding,
  isOutOfPlace,
  isProposal,
  isUncertainAnswer,
  MIN_SCORE,
  otherKind,
  type Passing,
  putRight,
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
const SHORT_ANSWER = 7;
/** `And nursery?` names the matter that the answer does not name again. */
const SHORT_QUESTION = 4;

export function sortStatements(turns: readonly Turn[], parts: SortParts): readonly Statement[] {
  const walk: Walk = {
    statements: [],
    phase: 'history',
    exchange: 0,
    asked: undefined,
    askedBack: undefined,
    command: undefined,
    hasComplaint: false,
  };
  for (const turn of turns) {
    walk.exchange += 1;
    if (parts.speakers.isHandover) readColleague(turn, walk, parts);
    else if (parts.speakers.clinicians.has(turn.speaker)) readClinician(turn, walk, parts);
    else readOther(turn, walk, parts);
  }
  return walk.statements;
}

function readClinician(turn: Turn, walk: Walk, parts: SortParts): void {
  const { askedBack } = walk;
  const { length } = walk.statements;
  walk.askedBack = undefined;
  let before: Kind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    const own = parts.cues.scoreStatement(sentence.words);
    const passing = bestKind(own, PASSING_KINDS);
    if (sentence.isQuestion && !isTold(sentence, own, index < turn.sentences.length - 1, walk, parts)) {
      noteCommand(sentence, passing, walk);
      continue;
    }
    const answers = index === 0 ? askedBack : undefined;
    before = readTold({ sentence, own, passing, answers, before }, walk, parts);
  }
  walk.asked = trailingQuestion(turn, walk, parts);
  // Who only asks has gone back to asking.
  if (walk.asked && walk.statements.length === length && isToldKind(walk.asked.topic)) walk.phase = 'history';
}

type ToldSentence = {
  readonly sentence: Sentence;
  readonly own: Scores;
  readonly passing: Passing;
  /** The patient's question that it may answer. */
  readonly answers: Pending | undefined;
  readonly before: Kind | undefined;
};

/** Gives the kind that the next sentence may go on with. */
function readTold(
  { sentence, own, passing, answers, before }: ToldSentence,
  walk: Walk,
  parts: SortParts,
): Kind | undefined {
  const isAhead = parts.looksAhead(sentence.words);
  const scores = withContext(own, {
    before,
    phase: walk.phase,
    sentence,
    isHomework: parts.isSession && isAhead,
    isOpening: !walk.hasComplaint,
    isDiagnosis: answers !== undefined && hasAny(answers, ['diagnosis']),
  });
  const kind = clinicianKind(sentence, scores, passing, walk.phase);
  if (kind === undefined || isOutOfPlace(kind, sentence, walk)) {
    const isPlain = kind === undefined && passing === undefined && !sentence.isEmpty;
    const put = isPlain && answers === undefined ? putRight(sentence, walk) : undefined;
    if (put) add(walk, toStatement(sentence, put.kind, put.exchange, true));
    noteCommand(sentence, passing, walk);
    const answered = answers && shortAnswer(sentence, answers, walk, parts);
    if (answered) add(walk, answered);
    return passing?.kind === 'command' ? before : undefined;
  }
  if (FOUND.has(kind) && walk.phase === 'history') walk.phase = 'exam';
  if (PLAN_KINDS.has(kind)) walk.phase = 'plan';
  const question = contextOf(sentence, kind, answers, walk, parts);
  add(walk, { ...toStatement(sentence, kind, walk.exchange, true), isAhead, ...(question && { question }) });
  walk.command = undefined;
  return kind;
}

/** A command shows that somebody is being examined. */
function noteCommand(sentence: Sentence, passing: Passing, walk: Walk): void {
  if (passing?.kind === 'command') [walk.command, walk.phase] = [sentence, 'exam'];
}

/** What is put as a question and is none. */
function isTold(
  { words }: Sentence,
  own: Scores,
  isFollowed: boolean,
  { phase }: Walk,
  { hasTag }: SortParts,
): boolean {
  return isProposal(own, phase) || (isFinding(own) && isFollowed && hasTag(words));
}

/** What has to stand before a statement so that it means something. */
function contextOf(
  sentence: Sentence,
  kind: Kind,
  answers: Pending | undefined,
  { command }: Walk,
  parts: SortParts,
): Statement['question'] {
  if (answers && (isShort(sentence, parts) || answers.words.length <= SHORT_QUESTION)) return answers;
  return FOUND.has(kind) && isBareNumber(sentence) ? command : undefined;
}

function readOther(turn: Turn, walk: Walk, parts: SortParts): void {
  const { asked } = walk;
  let before: Kind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    const isAnswer = index === 0 && asked !== undefined;
    if (sentence.isQuestion && !isUncertainAnswer(sentence, isAnswer, asked, parts)) continue;
    const kind = otherKind({ sentence, index, asked, before, phase: walk.phase, parts });
    if (kind === undefined) {
      const last = walk.statements.at(-1);
      const put =
        !sentence.isEmpty && asked === undefined && walk.phase !== 'plan' && hasAny(sentence, EXACT) ? last : undefined;
      if (put && isToldKind(put.kind)) add(walk, toStatement(sentence, put.kind, put.exchange, false));
      if (!sentence.isEmpty) before = undefined;
      continue;
    }
    add(walk, {
      ...toStatement(sentence, kind, asked?.exchange ?? walk.exchange, false),
      ...(asked && needsQuestion(sentence, asked, walk, parts) && { question: asked }),
      isComplaint: asked?.topic === 'complaint',
    });
    before = kind;
  }
  const last = turn.sentences.at(-1);
  walk.askedBack = last?.isQuestion ? asPending(last, walk, 'talk') : undefined;
}

/** Both may ask, tell and order. */
function readColleague(turn: Turn, walk: Walk, parts: SortParts): void {
  const { cues } = parts;
  const asked = walk.asked?.speaker === turn.speaker ? undefined : walk.asked;
  let before: Kind | undefined;
  for (const [index, sentence] of turn.sentences.entries()) {
    if (sentence.isQuestion) continue;
    const own = cues.scoreStatement(sentence.words);
    const scores = new Map(own);
    if (before) scores.set(before, (scores.get(before) ?? 0) + 2);
    const isDirect = index === 0 && asked !== undefined && asked.topic !== 'talk';
    if (asked && isDirect) scores.set(asked.topic, (scores.get(asked.topic) ?? 0) + 3);
    const passing = bestKind(own, ['talk']);
    const best = bestKind(scores, NOTE_KINDS);
    const isKept =
      best &&
      best.score >= MIN_SCORE &&
      best.score > (passing?.score ?? 0) &&
      (isDirect || best.score >= SURE || hasContent(sentence));
    if (!isKept || (sentence.isEmpty && !parts.isYesOrNo(sentence.words))) continue;
    add(walk, {
      ...toStatement(sentence, best.kind, isDirect ? asked.exchange : walk.exchange, true),
      ...(isDirect && { question: asked }),
      isComplaint: best.kind === 'complaint',
    });
    before = best.kind;
  }
  walk.asked = trailingQuestion(turn, walk, parts);
}

/** `Is that for life?` `Usually, yes.`: without what was asked the answer says nothing. */
function shortAnswer(sentence: Sentence, asked: Pending, walk: Walk, parts: SortParts): Statement | undefined {
  const isAbout = hasAny(asked, HEALTH) || hasAny(sentence, EXACT);
  if (!isAbout || walk.phase === 'history' || !isShort(sentence, parts)) return undefined;
  if (sentence.isEmpty && !parts.isYesOrNo(sentence.words)) return undefined;
  return { ...toStatement(sentence, 'advice', walk.exchange, true), question: asked };
}

function isShort({ words }: Sentence, { isYesOrNo }: SortParts): boolean {
  return words.length < SHORT_ANSWER || isYesOrNo(words);
}

/** Why somebody came says itself, and one line needs its question once. But "no" means nothing alone, wherever it comes to stand. */
function needsQuestion(sentence: Sentence, asked: Pending, walk: Walk, parts: SortParts): boolean {
  return isBareAnswer(sentence, parts) || (asked.topic !== 'complaint' && !isAnswered(walk, asked));
}

function isBareAnswer(sentence: Sentence, { isYesOrNo }: SortParts): boolean {
  const isShortAnswer = isYesOrNo(sentence.words) && sentence.words.length < SHORT_ANSWER;
  return sentence.isEmpty || (isShortAnswer && !hasContent(sentence));
}

function isAnswered({ statements }: Walk, { exchange }: Pending): boolean {
  return statements.at(-1)?.exchange === exchange;
}

/** A figure and nothing that says of what. */
function isBareNumber(sentence: Sentence): boolean {
  return (
    startsWithNumber(sentence) && !sentence.words.some(({ families }) => families.has('lab') || families.has('body'))
  );
}
