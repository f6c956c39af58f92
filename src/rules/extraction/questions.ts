// Reads questions and their answers: "fever? no", "Do you have chest pain? - Yes". A finding that is asked and not answered is uncertain. A
// question that presumes the finding ("why do I have fever?") states it.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { Mention, SentenceView } from './mentions.ts';

export type Answer = 'yes' | 'no' | undefined;
export type LeadingAnswer = { readonly answer: Answer; readonly to: number };

const SHORT = 4;
/** The longest list that asks without a verb: "fever, chills?" */
const SHORT_LIST = 10;
const LABELS = new Set(
  'speaker hablante falante orador q patient pt p dr doctor doctora medico mother father madre padre mae pai paciente r a d nurse'.split(
    ' ',
  ),
);
/** These words ask for advice; the findings before them are stated. */
const ADVICE = new Set(
  'what should can could do shall how que puedo debo posso devo o is podria poderia sera'.split(' '),
);
const NOTHING =
  / (none|nothing|neither|nada|ninguna|ninguno|nenhum|nenhuma)( of| de| d)? ?(that|those|them|these|it|eso|esas|esos|ellas|ellos|disso|desses|dessas|deles|delas) | (no|nao) to (all|both) | neither | nothing like that /;
const GRANTED = new Set(
  'why when where how que cuando donde como quando onde porque quanto quanta cuanto cuanta qual cual which desde'.split(
    ' ',
  ),
);

/** Returns the findings that a sentence asks for. */
export function askedMentions(view: SentenceView): Set<Mention> {
  const { sentence, tokens, mentions } = view;
  if (!sentence.isQuestion) return new Set();
  const start = skipLabel(view, sentence.from);
  if (sentence.to - start <= SHORT && !GRANTED.has(tokens[start]?.text ?? '')) return new Set(mentions);
  if (isListAsked(view, start)) return new Set(mentions);
  const opened = lastOpening(view);
  const from = opened ?? lastClause(view);
  if (GRANTED.has(tokens[from]?.text ?? '')) return new Set();
  const isShort = sentence.to - from <= 3;
  const isAsked = isShort || opened !== undefined || view.hasCue(skipLabel(view, from), 'ask');
  return isAsked ? new Set(mentions.filter((mention) => mention.from >= from)) : new Set();
}

function isListAsked(view: SentenceView, start: number): boolean {
  if (view.sentence.to - start > SHORT_LIST || GRANTED.has(view.tokens[start]?.text ?? '')) return false;
  const last = lastComma(view, start);
  if (last > start && ADVICE.has(view.tokens[last]?.text ?? '')) return false;
  for (let at = start + 1; at < view.sentence.to; at++)
    if (view.hasCue(at, 'affirm', 'patient') && !view.hasCue(start, 'ask')) return false;
  return !view.hasCue(start, 'patient');
}

/** Returns the answer of a sentence to the question before it, and the index behind the answer. */
export function answerOf(view: SentenceView): LeadingAnswer {
  const at = skipLabel(view, view.sentence.from);
  if (at >= view.sentence.to) return { answer: undefined, to: at };
  const no = view.cueAt(at, 'no');
  const yes = view.cueAt(at, 'yes');
  const cue = no ?? yes;
  if (cue === undefined) return { answer: undefined, to: at };
  const next = view.tokens[cue.to];
  const isWhole = cue.to >= view.sentence.to || next === undefined || next.before >= BREAKS.comma;
  // In "Any cough? No fever" the "no" denies the fever. In "Fever? no Cough? yes" a capital letter begins a new question.
  const isCut = next?.isCapital === true && view.sentence.isQuestion;
  if (!isWhole && !isCut && no !== undefined) return { answer: undefined, to: at };
  return { answer: no !== undefined ? 'no' : 'yes', to: cue.to };
}

/** True of "none of that", "nada de eso". */
export function deniesAll({ tokens, sentence }: SentenceView): boolean {
  const words = tokens.slice(sentence.from, sentence.to).map(({ text }) => text);
  return NOTHING.test(` ${words.join(' ')} `);
}

/** Returns the index behind the label of a speaker: "Patient: no". */
export function skipLabel({ tokens, sentence }: SentenceView, from: number): number {
  const first = tokens[from];
  if (first === undefined || !(first.number !== undefined || LABELS.has(first.text))) return from;
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
