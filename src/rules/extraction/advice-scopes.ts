// Finds the findings that a sentence only supposes: "if you get a fever, call us". A condition alone is not enough ("if I climb stairs I
// get chest pain"): advice must be in the same sentence, or in the one before or behind it.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { type Cue, isOwnCue, type Mention, type SentenceView } from './mentions.ts';
import { CONJUNCTIONS } from './negation-scope.ts';
import { skipLabel } from './questions.ts';

/** The sentences around a sentence: the kind of the one before, and if the next one begins with advice. */
export type NeighbourSentences = {
  readonly before: 'advice' | 'warning' | undefined;
  readonly isAdvisedBehind: boolean;
};

/** Words before an "if" that asks, compares or concedes. */
const NO_CONDITION_BEFORE = new Set(
  (
    'ask asks asked wonder wonders wondered wondering know knows knew see check unsure sure even as say tell like because porque pues pois ' +
    'pregunta pregunto preguntan preguntaba se saber sabe como incluso aun eso tambien que ' +
    'perguntou pergunta perguntaram perguntava sei saber ver mesmo ate'
  ).split(' '),
);
const LIKE = new Set(['as', 'como']);
/** A reason is a fact: "asks if he may have vitamins because she is so drowsy". */
const BECAUSE = new Set(['because', 'porque', 'pois', 'cause']);
const ONLY = new Set(['only']);
/** Speakers who say what happens when they do something report a fact. In Spanish and Portuguese the verb shows the speaker. */
const OWN_DOING = new Set(
  (
    'i im ive we my yo mi eu meu minha ' +
    'subo camino corro respiro toso bebo tomo levanto duermo acuesto agacho muevo hago ando trabajo estoy tengo voy giro toco ' +
    'aprieto trago corro tusso durmo abaixo mexo faco estou tenho fico engulo aperto caminho deito viro sento piso sigo apoyo camina corre anda'
  ).split(' '),
);
const REFLEXIVE = new Set(['me']);
/** Words before a Portuguese "se" that begins a condition: "se tiver" is one, "se sente" is not. */
const CONDITION_AFTER = new Set([
  'ou',
  'e',
  'mas',
  'e/ou',
  'antes',
  'so',
  'somente',
  'apenas',
  'imediatamente',
  'hospital',
  'pronto',
  'socorro',
  'upa',
  'ps',
  'emergencia',
  'medico',
  'aqui',
]);
const ANY = new Set(['any', 'new', 'cualquier', 'qualquer']);
const SOONER = new Set(['sooner', 'earlier', 'before', 'antes']);
const OR = new Set(['or', 'and', 'also', 'o', 'y', 'u', 'e', 'ou', 'tambien', 'tambem', 'equally']);
const AND = new Set(['and', 'y', 'e']);
const WHO = new Set(['he', 'she', 'we', 'i']);
const NO_STATEMENT_BEFORE = new Set([...CONJUNCTIONS, 'feel', 'think', 'notice', 'see', 'that', 'if', 'when']);
const TO_DO = new Set(['should', 'must', 'needs', 'need', 'will', 'can', 'would', 'ought']);
const OWN_STATE = new Set(['i', 'im', 'ive', 'yo', 'tengo', 'estoy', 'eu', 'tenho', 'estou']);
const REPORTED = new Set(
  'told advised said dijo dijeron indicaron aconsejaron mandaram disse disseram orientado orientada'.split(' '),
);
const SHORT = 6;
const LONG = 20;
const FAR = 8;

export function supposedMentions(view: SentenceView, around: NeighbourSentences): Set<Mention> {
  const supposed = new Set<Mention>();
  const hide = (cue: Pick<Cue, 'from' | 'words'>, to: number): void => {
    for (let at = cue.from; at < to; at++) {
      for (const mention of view.mentionsAt.get(at) ?? []) if (!isOwnCue(mention, cue)) supposed.add(mention);
    }
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
  const isList = ANY.has(view.tokens[start]?.text ?? '') && (advice !== undefined || isLeading);
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
function isLikeness({ tokens, sentence }: SentenceView, { from }: Cue): boolean {
  return from > sentence.from && LIKE.has(tokens[from - 1]?.text ?? '');
}

function isCondition({ tokens, sentence, hasCue }: SentenceView, { from, to }: Cue): boolean {
  const word = tokens[from]?.text ?? '';
  const before = from > sentence.from ? (tokens[from - 1]?.text ?? '') : '';
  const next = tokens[to];
  if (next === undefined || to >= sentence.to) return false;
  // In "Sí, me duele" the word is a yes, with or without its accent.
  if (word === 'si' && next.before >= BREAKS.comma) return false;
  if (NO_CONDITION_BEFORE.has(before) || ONLY.has(next.text)) return false;
  if (OWN_DOING.has(next.text)) return false;
  if (REFLEXIVE.has(next.text) && OWN_DOING.has(tokens[to + 1]?.text ?? '')) return false;
  if (word !== 'se') return true;
  if (tokens[from]?.marks.startsWith('-') === true) return false;
  const isOpening =
    from === sentence.from || (tokens[from]?.before ?? 0) >= BREAKS.comma || CONDITION_AFTER.has(before);
  if (isOpening) return true;
  for (let at = Math.max(sentence.from, from - FAR); at < from; at++) if (hasCue(at, 'advice')) return true;
  return false;
}

function isSooner({ tokens, sentence }: SentenceView, { from }: Cue): boolean {
  return from > sentence.from && SOONER.has(tokens[from - 1]?.text ?? '');
}

function isContinued(view: SentenceView, start: number, before: NeighbourSentences['before']): boolean {
  if (before === undefined) return false;
  const isOr = OR.has(view.tokens[start]?.text ?? '');
  if (isOr && view.hasCue(start + 1, 'suppose', 'if')) return true;
  if (before === 'advice') return false;
  return view.hasCue(start, 'suppose') || (isOr && view.sentence.to - start <= SHORT && !isStated(view, start + 1));
}

/** "If he walks he gets chest pain, call his doctor" also states what happens, and not only what to do. */
function isStatedBehind({ tokens, sentence, cues, hasCue }: SentenceView, { to }: Cue): boolean {
  const end = cues('advice').find(({ from }) => from >= to)?.from ?? sentence.to;
  for (let at = to + 1; at < end; at++) {
    const { text = '', before = BREAKS.none } = tokens[at] ?? {};
    if (before >= BREAKS.clause) return false;
    if (!WHO.has(text) || NO_STATEMENT_BEFORE.has(tokens[at - 1]?.text ?? '')) continue;
    if (!TO_DO.has(tokens[at + 1]?.text ?? '') && !hasCue(at + 1, 'advice') && at + 1 < end) return true;
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
  const isTold = isReported(view, cue.from);
  for (let at = cue.to; at < view.sentence.to; at++) {
    const { before = BREAKS.none, text = '' } = view.tokens[at] ?? {};
    if (at > cue.to && ((view.hasCue(at, 'but') && !CONJUNCTIONS.has(text)) || BECAUSE.has(text))) return at;
    const isBegun = before >= (isAdvised ? BREAKS.clause : BREAKS.comma) && at > cue.to;
    if (isBegun && view.hasCue(at, 'affirm', 'patient', 'now')) return at;
    if (at > advice && isAndNow(view, at, isTold)) return at;
  }
  return view.sentence.to;
}

/** A statement of today ends a condition: "told to come back if he had a fever, and he has one", "… e hoje tem febre". */
function isAndNow({ tokens, hasCue }: SentenceView, at: number, isTold: boolean): boolean {
  const { text = '', before = BREAKS.none } = tokens[at] ?? {};
  if (!AND.has(text)) return false;
  const next = tokens[at + 1]?.text ?? '';
  if (hasCue(at + 1, 'now') || OWN_STATE.has(next)) return true;
  return (isTold || before >= BREAKS.comma) && (WHO.has(next) || (isTold && hasCue(at + 1, 'affirm')));
}

function isReported({ tokens, sentence }: SentenceView, to: number): boolean {
  for (let at = Math.max(sentence.from, to - LONG); at < to; at++)
    if (REPORTED.has(tokens[at]?.text ?? '')) return true;
  return false;
}
