// Finds the questions of a text, with and without a question mark, and the answer to each. A sentence without the mark is a question if
// its words are in the order of one, or if another speaker answers it with a yes or a no.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { hasWord, isWord } from './history.ts';
import type { SentenceView } from './mentions.ts';
import { type Answer, answerOf, deniesAll, isInverted, type LeadingAnswer, skipLabel } from './questions.ts';

export type AskedSentence = {
  /** It is a question without a question mark. */
  readonly isUnmarked: boolean;
  readonly answer: Answer;
  /** It is asked in a conversation, and no one replies, or the answer cannot be a yes. */
  readonly isUnheard: boolean;
  /** The answer tells of a time long ago. */
  readonly isLongAgo: boolean;
  /** The yes or no that it begins with, if it answers the sentence before. */
  readonly leading: LeadingAnswer | undefined;
};

export const NOT_ASKED: AskedSentence = {
  isUnmarked: false,
  answer: undefined,
  isUnheard: false,
  isLongAgo: false,
  leading: undefined,
};

/** An answer is searched in this many sentences behind a question. */
export const ANSWERED_WITHIN = 3;
/** A longer statement is no question, whatever is answered. */
const LONGEST_UNMARKED = 25;
/** A line without a label is a question only if it is short, or in the form of one. */
const SHORT_LINE = 8;

type Question = { readonly isMarked: boolean; readonly isUnmarked: boolean };

export function readQuestions(views: readonly SentenceView[]): readonly AskedSentence[] {
  const questions = views.map((view, at): Question => {
    const isMarked = view.sentence.isQuestion;
    return { isMarked, isUnmarked: !isMarked && isAskedWithoutMark(view, views[at + 1]) };
  });
  const isAsked = (at: number): boolean => questions[at]?.isMarked === true || questions[at]?.isUnmarked === true;
  const leading = views.map((view, at) => (isAsked(at - 1) ? answerOf(view) : undefined));
  return views.map((_, at) => ({
    isUnmarked: questions[at]?.isUnmarked === true,
    answer: laterAnswer({ views, leading, isAsked }, at),
    isUnheard: isUnheard(views, at) || isOpenChoice(views[at]),
    isLongAgo: isLongAgo(views[at + 1]),
    leading: leading[at],
  }));
}

function isAskedWithoutMark(view: SentenceView, next: SentenceView | undefined): boolean {
  const { sentence, turn } = view;
  if (view.mentions.length === 0 || turn.role === 'patient' || sentence.to - sentence.from > LONGEST_UNMARKED)
    return false;
  if (isInverted(view)) return true;
  // What speakers say about themselves is no question. A sign is found by the clinician: "You have a murmur." "No!" denies nothing.
  if (hasWord(view, sentence, 'first-person') || view.mentions.some(({ finding }) => finding.kind === 'sign'))
    return false;
  return next !== undefined && isAnsweredBy(view, next);
}

function isAnsweredBy(view: SentenceView, next: SentenceView): boolean {
  if (next.turn.role === 'clinician') return false;
  if (view.turn.speaker !== undefined)
    return next.turn.speaker !== view.turn.speaker && answerOf(next).answer !== undefined;
  const isOtherLine = next.turn.isNewLine;
  const isAddressed = hasWord(view, view.sentence, 'addressed');
  const { answer, to } = answerOf(next);
  const isWhole = answer !== undefined && to >= next.sentence.to;
  return isOtherLine && isWhole && (isAddressed || view.sentence.to - view.sentence.from <= SHORT_LINE);
}

type TalkParts = {
  readonly views: readonly SentenceView[];
  readonly leading: readonly (LeadingAnswer | undefined)[];
  readonly isAsked: (at: number) => boolean;
};

/** "Weakness, numbness? Fever?" "No. None of that.": only a denial of everything answers the earlier question, too. */
function laterAnswer({ views, leading, isAsked }: TalkParts, at: number): Answer {
  const own = leading[at + 1]?.answer;
  if (own !== undefined || !isAsked(at)) return own;
  for (let next = at + 1; next <= at + ANSWERED_WITHIN && views[next] !== undefined; next++) {
    const answer = leading[next]?.answer;
    if (answer !== undefined && isRow(views, at, next)) return answer === 'no' ? answer : undefined;
    if (answer === undefined && isNextAsked(views[next], isAsked(next))) continue;
    const answering = [views[next], views[next + 1]];
    return answer === 'no' && answering.some((view) => view !== undefined && deniesAll(view)) ? 'no' : undefined;
  }
  return undefined;
}

/** In a conversation a "no" answers all that the other speaker has just asked: "Might you be pregnant? Any discharge?" "No." */
function isRow(views: readonly SentenceView[], at: number, answering: number): boolean {
  const speaker = views[at]?.turn.speaker;
  if (speaker === undefined || views[answering]?.turn.speaker === speaker) return false;
  return views.slice(at, answering).every(({ turn, sentence }) => turn.speaker === speaker && sentence.isQuestion);
}

/** "All the time, or does it come and go?" is answered by one of the two. */
function isOpenChoice(view: SentenceView | undefined): boolean {
  if (view?.turn.role !== 'clinician' || !view.sentence.isQuestion) return false;
  const { tokens, sentence } = view;
  for (let at = sentence.from + 1; at < sentence.to; at++)
    if (isWord(view, at, 'or') && tokens[at]?.before === BREAKS.comma) return true;
  return false;
}

function isLongAgo(view: SentenceView | undefined): boolean {
  if (view === undefined) return false;
  return (
    view.cues('past').length > 0 || (hasWord(view, view.sentence, 'ago') && hasWord(view, view.sentence, 'in-years'))
  );
}

/** True of one more question of the same list by the same speaker. "For how long?" is about a present finding. */
function isNextAsked(view: SentenceView | undefined, isAsked: boolean): boolean {
  if (view === undefined || !isAsked || view.mentions.length === 0) return false;
  return skipLabel(view, view.sentence.from) === view.sentence.from;
}

/** True if the same speaker goes on to something else, or no one replies. */
function isUnheard(views: readonly SentenceView[], at: number): boolean {
  const speaker = views[at]?.turn.speaker;
  if (speaker === undefined) return false;
  for (let next = at + 1; next <= at + ANSWERED_WITHIN; next++) {
    const view = views[next];
    if (view === undefined) return true;
    if (view.turn.speaker !== speaker) return view.turn.speaker === undefined;
    if (view.mentions.length === 0 || !view.sentence.isQuestion) return true;
  }
  return true;
}
