// Finds the findings that a sentence only supposes: "if you get a fever, call us". A condition alone is not enough ("if I climb stairs I
// get chest pain"): advice must be in the same sentence, or in the one before or behind it.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { hasWord, isWord } from './history.ts';
import { type Cue, isOwnCue, type Mention, mentionsIn, type SentenceView } from './mentions.ts';
import { skipLabel } from './questions.ts';

/** The sentences around a sentence: the kind of the one before, and if the next one begins with advice. */
export type NeighbourSentences = {
  readonly before: 'advice' | 'warning' | undefined;
  readonly isAdvisedBehind: boolean;
};

const SHORT = 6;
const LONG = 20;
const FAR = 8;

export function supposedMentions(view: SentenceView, around: NeighbourSentences): Set<Mention> {
  const supposed = new Set<Mention>();
  const hide = (cue: Pick<Cue, 'from' | 'words'>, to: number): void => {
    for (const mention of mentionsIn(view, { from: cue.from, to })) if (!isOwnCue(mention, cue)) supposed.add(mention);
  };
  const advice = adviceOf(view);
  let end = 0;
  for (const cue of view.cues('if')) {
    if (cue.from < end || isLikeness(view, cue)) continue;
    end = endOf(view, cue, advice !== undefined);
    hide(cue, end);
  }
  const start = skipLabel(view, view.sentence.from);
  const isFollowing = isContinued(view, start, around.before);
  const isLeading = around.isAdvisedBehind && !isStated(view, start + 1);
  const first = conditionOf(view);
  if (first !== undefined) {
    const isNear = isFollowing || (isLeading && first.from <= start + 1);
    const isAdvised = advice !== undefined && !isStatedBehind(view, first);
    if (isAdvised || isNear || isSooner(view, first)) hide(first, endOf(view, first, true));
  }
  const isList = isWord(view, start, 'any') && (advice !== undefined || isLeading);
  if (isList || (isFollowing && first === undefined))
    hide({ from: start, words: [start] }, endOf(view, { from: start, to: start + 1 }, true));
  return supposed;
}

/** Returns what the next sentence may continue: "Or if the pain moves." */
export function warningOf(view: SentenceView): NeighbourSentences['before'] {
  const hasAdvice = adviceOf(view) !== undefined;
  if (view.cues('if').length > 0 || (hasAdvice && conditionOf(view) !== undefined)) return 'warning';
  return hasAdvice ? 'advice' : undefined;
}

/** True if the sentence begins with advice. */
export function isAdvising(view: SentenceView): boolean {
  const { from } = view.sentence;
  return view.cues('advice').some((cue) => cue.from <= from + 1);
}

function adviceOf(view: SentenceView): Cue | undefined {
  return view.cues('advice')[0];
}

function conditionOf(view: SentenceView): Cue | undefined {
  return view.cues('suppose').find((cue) => isCondition(view, cue));
}

/** True of "as if he had run", "como si hubiera corrido". */
function isLikeness(view: SentenceView, { from }: Cue): boolean {
  return from > view.sentence.from && isWord(view, from - 1, 'like');
}

function isCondition(view: SentenceView, { from, to }: Cue): boolean {
  const { tokens, sentence, words, hasCue } = view;
  const word = tokens[from]?.text ?? '';
  const before = from > sentence.from ? tokens[from - 1]?.text : undefined;
  const next = tokens[to];
  if (next === undefined || to >= sentence.to) return false;
  // In "Sí, me duele" the word is a yes, with or without its accent.
  if (word === 'si' && next.before >= BREAKS.comma) return false;
  if (words.has('asking', before) || next.text === 'only' || words.has('own-doing', next.text)) return false;
  if (next.text === 'me' && isWord(view, to + 1, 'own-doing')) return false;
  if (word !== 'se') return true;
  if (tokens[from]?.marks.startsWith('-') === true) return false;
  const isOpening =
    from === sentence.from || (tokens[from]?.before ?? 0) >= BREAKS.comma || words.has('condition-before', before);
  if (isOpening) return true;
  for (let at = Math.max(sentence.from, from - FAR); at < from; at++) if (hasCue(at, 'advice')) return true;
  return false;
}

function isSooner(view: SentenceView, { from }: Cue): boolean {
  return from > view.sentence.from && isWord(view, from - 1, 'sooner');
}

function isContinued(view: SentenceView, start: number, before: NeighbourSentences['before']): boolean {
  if (before === undefined) return false;
  const isOr = isWord(view, start, 'or-also');
  if (isOr && view.hasCue(start + 1, 'suppose', 'if')) return true;
  if (before === 'advice') return false;
  return view.hasCue(start, 'suppose') || (isOr && view.sentence.to - start <= SHORT && !isStated(view, start + 1));
}

/** "If he walks he gets chest pain, call his doctor" also states what happens, and not only what to do. */
function isStatedBehind(view: SentenceView, { to }: Cue): boolean {
  const { tokens, sentence, cues, hasCue } = view;
  const end = cues('advice').find(({ from }) => from >= to)?.from ?? sentence.to;
  for (let at = to + 1; at < end; at++) {
    if ((tokens[at]?.before ?? 0) >= BREAKS.clause) return false;
    if (!isWord(view, at, 'who')) continue;
    if (isWord(view, at - 1, 'conjunction') || isWord(view, at - 1, 'no-statement-before')) continue;
    if (!isWord(view, at + 1, 'to-do') && !hasCue(at + 1, 'advice') && at + 1 < end) return true;
  }
  return false;
}

function isStated(view: SentenceView, from: number): boolean {
  for (let at = from; at < view.sentence.to; at++) if (view.hasCue(at, 'affirm', 'patient', 'now')) return true;
  return false;
}

/** Returns the end of the sentence or of the condition: before a statement behind "but" or a semicolon; without advice also behind a comma. */
function endOf(view: SentenceView, cue: Pick<Cue, 'from' | 'to'>, isAdvised: boolean): number {
  const advice = view.cues('advice').at(-1)?.from ?? -1;
  const isTold = hasWord(view, { from: Math.max(view.sentence.from, cue.from - LONG), to: cue.from }, 'reported');
  for (let at = cue.to; at < view.sentence.to; at++) {
    const before = view.tokens[at]?.before ?? BREAKS.none;
    const isBut = view.hasCue(at, 'but') && !isWord(view, at, 'conjunction');
    if (at > cue.to && (isBut || isWord(view, at, 'because'))) return at;
    const isBegun = before >= (isAdvised ? BREAKS.clause : BREAKS.comma) && at > cue.to;
    if (isBegun && view.hasCue(at, 'affirm', 'patient', 'now')) return at;
    if (at > advice && isAndNow(view, at, isTold)) return at;
  }
  return view.sentence.to;
}

/** A statement of today ends a condition: "told to come back if he had a fever, and he has one", "… e hoje tem febre". */
function isAndNow(view: SentenceView, at: number, isTold: boolean): boolean {
  if (!isWord(view, at, 'and')) return false;
  if (view.hasCue(at + 1, 'now') || isWord(view, at + 1, 'own-state')) return true;
  const isApart = isTold || (view.tokens[at]?.before ?? BREAKS.none) >= BREAKS.comma;
  return isApart && (isWord(view, at + 1, 'who') || (isTold && view.hasCue(at + 1, 'affirm')));
}
