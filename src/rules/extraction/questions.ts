// Reads questions and their answers: "fever? no", "Do you have chest pain? - Yes". A finding that is asked and not answered is uncertain. A
// question that presumes the finding ("why do I have fever?") states it.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { hasWord, isWord } from './history.ts';
import type { Mention, SentenceView } from './mentions.ts';

export type Answer = 'yes' | 'no' | undefined;
export type LeadingAnswer = { readonly answer: Answer; readonly to: number };

const SHORT = 4;
/** The longest list that asks without a verb: "fever, chills?" */
const SHORT_LIST = 10;
/** Words before a question: "okay and now". */
const MOST_LEAD_INS = 5;
/** Returns the findings that a sentence asks for. Without a question mark, the caller knows that it asks. */
export function askedMentions(view: SentenceView, isUnmarked: boolean): Set<Mention> {
  const { sentence, mentions, turn } = view;
  if (isUnmarked) return new Set(mentions);
  if (!sentence.isQuestion) return new Set();
  // "Is it normal that I have chest pain?" presumes the chest pain.
  if (turn.role === 'patient' && isOfSpeaker(view)) return new Set();
  const start = skipLabel(view, sentence.from);
  if (sentence.to - start <= SHORT && !isWord(view, start, 'granted')) return new Set(mentions);
  if (isListAsked(view, start)) return new Set(mentions);
  const opened = lastOpening(view);
  const from = opened ?? lastClause(view);
  if (isWord(view, from, 'granted')) return new Set();
  const isShort = sentence.to - from <= 3;
  const isAsked =
    isShort || turn.role === 'clinician' || opened !== undefined || isAskedBehindLeadIn(view, skipLabel(view, from));
  // "braço, tem formigamento" may be one finding over the comma.
  return isAsked ? new Set(mentions.filter((mention) => mention.to > from)) : new Set();
}

/** True of "why am I so short of breath?" and "¿por qué me falta el aire?". */
function isOfSpeaker(view: SentenceView): boolean {
  return hasWord(view, view.sentence, 'first-person') || hasWord(view, view.sentence, 'to-me');
}

/** True of a sentence that has the form of a question, and no question mark: "Have you had any fever." "Any fever." */
export function isInverted(view: SentenceView): boolean {
  let at = skipLabel(view, view.sentence.from);
  for (let more = 0; more < MOST_LEAD_INS && isWord(view, at, 'lead-in'); more++) at++;
  if (at >= view.sentence.to) return false;
  if (isWord(view, at, 'inverted')) return isWord(view, at + 1, 'inverted-person');
  return view.turn.speaker !== undefined && isWord(view, at, 'any-asked') && isBare(view, at + 1);
}

/** True of a few words without a verb. */
function isBare(view: SentenceView, from: number): boolean {
  if (view.sentence.to - from > SHORT_LIST) return false;
  for (let at = from; at < view.sentence.to; at++) if (view.hasCue(at, 'affirm', 'patient', 'advice')) return false;
  return true;
}

/** True of "do you have", also behind a lead-in: "Okay, and have you had", "Então a senhora teve". */
function isAskedBehindLeadIn(view: SentenceView, from: number): boolean {
  for (let at = from; at <= from + MOST_LEAD_INS && at < view.sentence.to; at++) {
    if (view.hasCue(at, 'ask')) return true;
    if (!isWord(view, at, 'lead-in')) return false;
  }
  return false;
}

function isListAsked(view: SentenceView, start: number): boolean {
  if (view.sentence.to - start > SHORT_LIST || isWord(view, start, 'granted')) return false;
  const last = lastComma(view, start);
  if (last > start && isWord(view, last, 'asks-advice')) return false;
  for (let at = start + 1; at < view.sentence.to; at++)
    if (view.hasCue(at, 'affirm', 'patient') && !view.hasCue(start, 'ask')) return false;
  return !view.hasCue(start, 'patient');
}

/** Returns the answer of a sentence to the question before it, and the index behind the answer. */
export function answerOf(view: SentenceView): LeadingAnswer {
  const at = skipLabel(view, view.sentence.from);
  if (at >= view.sentence.to) return { answer: undefined, to: at };
  const no = view.cueAt(at, 'answers-no') ?? view.cueAt(at, 'no');
  const yes = view.cueAt(at, 'yes');
  const cue = no ?? yes;
  if (cue === undefined) return { answer: undefined, to: at };
  const next = view.tokens[cue.to];
  const isWhole = cue.to >= view.sentence.to || next === undefined || next.before >= BREAKS.comma;
  // In "Any cough? No fever" the "no" denies the fever. In "Fever? no Cough? yes" a capital letter begins a new question.
  const isCut = next?.isCapital === true && view.sentence.isQuestion;
  // "Tem corrimento?" is the next question, and no yes.
  if (!isWhole && !isCut && (no !== undefined || view.sentence.isQuestion)) return { answer: undefined, to: at };
  return { answer: no !== undefined ? 'no' : 'yes', to: cue.to };
}

/** True of "none of that", "nada de eso". */
export function deniesAll({ tokens, sentence, words: lists }: SentenceView): boolean {
  const words = tokens.slice(sentence.from, sentence.to).map(({ text }) => text);
  return lists.patterns['none-of-that'].test(` ${words.join(' ')} `);
}

/** Returns the index behind the label of a speaker: "Patient: no". */
export function skipLabel(view: SentenceView, from: number): number {
  const { tokens, sentence } = view;
  const first = tokens[from];
  if (first === undefined || !(first.number !== undefined || isWord(view, from, 'speaker-label'))) return from;
  const end = [from + 1, from + 2].find((at) => tokens[at]?.marks.startsWith(':') === true);
  return end !== undefined && end < sentence.to ? end : from;
}

/** Returns the index behind the last "¿". */
function lastOpening({ tokens, sentence }: SentenceView): number | undefined {
  for (let at = sentence.to - 1; at >= sentence.from; at--) if (tokens[at]?.marks.includes('¿')) return at;
  return undefined;
}

/** Returns the beginning of the part before the question mark: behind the last comma, or of the whole list ("any fever, cough or rash?"). */
function lastClause(view: SentenceView): number {
  const start = skipLabel(view, view.sentence.from);
  if (view.hasCue(start, 'ask')) return start;
  return lastComma(view, start);
}

function lastComma({ tokens, sentence }: SentenceView, start: number): number {
  for (let at = sentence.to - 1; at > start; at--) if ((tokens[at]?.before ?? 0) >= BREAKS.comma) return at;
  return start;
}
