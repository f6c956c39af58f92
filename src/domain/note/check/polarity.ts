// Decides if a finding is denied, only possible, long past or of another person, by the words near it in its sentence. The words are those
// of the language of the text. Questions and answers are read in answers.ts.
import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import { isGoingOn, isOnlySometimes, isPurposeOfTreatment } from '../../../clinical-text/cues/denial-limits.ts';
import { type Token, wordsBetween } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { isOfRelative } from './relatives.ts';

type Span = { readonly first: number; readonly end: number };

export type PolarityReader = {
  /** For each span, in their order, whether its own sentence denies it. */
  readonly findDenied: (spans: readonly Span[]) => readonly boolean[];
  /** A word that denies a whole list behind it. */
  readonly isStrongCue: (index: number) => boolean;
  /** A denial ends here. */
  readonly isStop: (index: number) => boolean;
  /** True of advice, warnings, findings of relatives and of long ago: the sentence does not say that the patient has the finding. */
  readonly isHypothetical: (first: number) => boolean;
};

const STRONG = 1;
const WEAK = 2;
const STOP = 4;
const PSEUDO = 8;

const WEAK_REACH = 6;
const STRONG_REACH = 40;
/** Words between two members of one list of denied findings. */
const CHAIN_REACH = 4;
const CONDITION_REACH = 12;
const PAST_REACH = 8;

const JOINS = /^(?:and|or|nor|y|o|e|ou|ni|nem)$/;

const REPORTS =
  /^(?:refi?er|relat|inform|cuent|cont|dice|diz|present|apresent|quej|queix|describ|descrev|report|endors|complain|admit|stat)/;

export function makePolarityReader(tokens: readonly Token[], language: Language | undefined): PolarityReader {
  const cues = cuesOf(language);
  let known: Uint8Array | undefined;
  const flags = (): Uint8Array => {
    known ??= readFlags(tokens, cues);
    return known;
  };
  const text = { tokens, cues, flags };
  return {
    findDenied: (spans) => findDenied(text, spans),
    isStrongCue: (index) => ((flags()[index] ?? 0) & STRONG) > 0,
    isStop: (index) => ((flags()[index] ?? 0) & STOP) > 0,
    isHypothetical: (first) =>
      isBefore(text, first, CONDITION_REACH, (index) => cues.supposed.lengthAt(tokens, index) > 0) ||
      isOfRelative(tokens, first, cues) ||
      isPast(text, first),
  };
}

type Text = { readonly tokens: readonly Token[]; readonly cues: Cues; readonly flags: () => Uint8Array };

function readFlags(tokens: readonly Token[], cues: Cues): Uint8Array {
  const flags = new Uint8Array(tokens.length);
  tokens.forEach((token, index) => {
    if (token.word === '+') flags[index] = STOP;
    const isAccented = token.isAccented && token.word === 'e';
    if (!isAccented && cues.ofDenial.lengthAt(tokens, index) === 0) return;
    const pseudo = cues.pseudo.lengthAt(tokens, index);
    for (let ahead = 0; ahead < pseudo; ahead += 1) flags[index + ahead] = PSEUDO;
    const isPseudo = ((flags[index] ?? 0) & PSEUDO) > 0;
    if (!isPseudo && cues.denies.lengthAt(tokens, index) > 0 && !isWeeks(tokens, index)) flags[index] = STRONG;
    else if (!isPseudo && cues.before.lengthAt(tokens, index) > 0 && isWeakCue(tokens, index, cues))
      flags[index] = WEAK;
    if (isStopAt(tokens, index, cues)) flags[index] = (flags[index] ?? 0) | STOP;
  });
  return flags;
}

/** The short form of weeks is Portuguese for `without`: `há 4 sem`. */
function isWeeks(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.word !== 'sem' || tokens[index - 1]?.kind !== 'number') return false;
  const [before, next] = [tokens[index - 2]?.word ?? '', tokens[index + 1]];
  return next === undefined || next.kind === 'mark' || /^(ha|por|faz|em|com|de|ig)$/.test(before) || next.word === 'e';
}

function isWeakCue(tokens: readonly Token[], index: number, cues: Cues): boolean {
  const [token, next] = [tokens[index], tokens[index + 1]];
  // `Fever no, cough yes`, `No, I have …`: this denies what is before it, or answers something else.
  if (next === undefined || next.sentence !== token?.sentence || /^[,.:;!?]$/.test(next.word)) return false;
  if (cues.unsure.lengthAt(tokens, index + 1) > 0) return false;
  return !isGoingOn(tokens, index, cues);
}

function isStopAt(tokens: readonly Token[], index: number, cues: Cues): boolean {
  // `No refiere fiebre` goes on, `niega fiebre, refiere tos` does not.
  const isDeniedReport =
    REPORTS.test(tokens[index]?.word ?? '') && cues.before.lengthAt(tokens, index - 1) === 1 && index > 0;
  if (cues.scopeEnd.lengthAt(tokens, index) > 0) return !isDeniedReport;
  if (cues.having.lengthAt(tokens, index) > 0) return !isDenialNear(tokens, index, cues);
  // `No es que tenga fiebre, es tos`
  const isAfterComma = tokens[index - 1]?.word === ',';
  if (
    isAfterComma &&
    (cues.copulas.lengthAt(tokens, index) > 0 || (tokens[index]?.word === 'e' && tokens[index].isAccented))
  )
    return true;
  return isPurposeOfTreatment(tokens, index, cues);
}

function isDenialNear(tokens: readonly Token[], index: number, cues: Cues): boolean {
  return [1, 2].some((back) => cues.before.lengthAt(tokens, index - back) > 0);
}

function findDenied(text: Text, spans: readonly Span[]): readonly boolean[] {
  const denied: boolean[] = [];
  let isChain: boolean = false;
  for (const [place, span] of spans.entries()) {
    const previous = spans[place - 1];
    const isOpposite = isAffirmedBehind(text, span.end) || isOnlyAtTimes(text, span.end);
    const isChained: boolean = isChain && previous !== undefined && isSameList(text, previous, span);
    const isBefore: boolean = isChained || isAfterCue(text, span.first);
    denied.push(!isOpposite && (isBefore || isBeforeCue(text, span.end)));
    // A denial behind a finding denies only that one: `Fiebre no, tos mucha`.
    isChain = isBefore && !isOpposite;
  }
  return withJoined(text, spans, denied);
}

/** `Sangre y líquido no` denies both. The second may be a word that is no finding. */
function withJoined(text: Text, spans: readonly Span[], denied: readonly boolean[]): readonly boolean[] {
  const { tokens } = text;
  return spans.map((span, place) => {
    if (denied[place] || !JOINS.test(tokens[span.end]?.word ?? '')) return denied[place] ?? false;
    const next = span.end + 1;
    const following = spans[place + 1];
    const end = following?.first === next ? following.end : next + 1;
    const isWord = tokens[next]?.kind === 'word' && tokens[next]?.sentence === tokens[span.first]?.sentence;
    const isStart = span.first === 0 || tokens[span.first - 1]?.kind === 'mark';
    return isWord && isStart && !JOINS.test(tokens[next]?.word ?? '') && isNoBehind(text, end);
  });
}

function isNoBehind({ tokens, cues }: Text, end: number): boolean {
  const length = cues.after.lengthAt(tokens, end);
  const next = tokens[end + length];
  return length > 0 && (next === undefined || next.kind === 'mark' || next.sentence !== tokens[end]?.sentence);
}

function isAfterCue({ tokens, flags }: Text, first: number): boolean {
  const marks = flags();
  const isMarked = (index: number, mark: number) =>
    ((marks[index] ?? 0) & mark) > 0 && !isInParentheses(tokens, index, first);
  const ended = findBefore(tokens, first, STRONG_REACH, (index) => isMarked(index, STOP | STRONG));
  if (ended !== undefined && isMarked(ended, STRONG)) return true;
  const from = ended ?? -1;
  return findBefore(tokens, first, WEAK_REACH, (index) => index > from && isMarked(index, WEAK)) !== undefined;
}

/** True of a word in parentheses that are closed before the finding: `(made without help): cough` denies no cough. */
function isInParentheses(tokens: readonly Token[], index: number, first: number): boolean {
  let depth = 0;
  for (let next = index + 1; next < first; next += 1) {
    if (tokens[next]?.word === '(') depth += 1;
    if (tokens[next]?.word === ')') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}

/** True of a denial behind the finding: `fiebre no tengo`, `fever: none`, `Fever, no.` */
function isBeforeCue({ tokens, cues }: Text, end: number): boolean {
  const sentence = tokens[end - 1]?.sentence;
  const isMark = /^[:,(]$/.test(tokens[end]?.word ?? '') || tokens[end]?.word === '-';
  const at = isMark ? end + 1 : end;
  if (tokens[at]?.sentence !== sentence) return false;
  const always = tokens[end]?.word === ',' ? 0 : cues.always.lengthAt(tokens, at);
  if (always > 0) return cues.large.lengthAt(tokens, at + always) === 0;
  const length = cues.after.lengthAt(tokens, at);
  if (length === 0) return false;
  const next = tokens[at + length];
  const isClosed = next === undefined || next.sentence !== sentence || /^[,.;!?)]$/.test(next.word);
  if (isClosed) return true;
  // `Sangue no catarro, não tem não.`
  const behind = cues.behindAfter.lengthAt(tokens, at + length);
  if (isMark) return behind > 0 && isEndOfClause(tokens, at + length + behind, sentence, cues);
  return cues.behindAfter.lengthAt(tokens, at + length) > 0 && !isGoingOn(tokens, at, cues);
}

function isEndOfClause(tokens: readonly Token[], index: number, sentence: number | undefined, cues: Cues): boolean {
  const at = index + cues.after.lengthAt(tokens, index);
  const token = tokens[at];
  return token === undefined || token.sentence !== sentence || /^[,.;!?)]$/.test(token.word);
}

/** True of `tos sí` and `cough, yes`. */
function isAffirmedBehind({ tokens, cues }: Text, end: number): boolean {
  const at = /^[:,]$/.test(tokens[end]?.word ?? '') ? end + 1 : end;
  if (tokens[at]?.sentence !== tokens[end - 1]?.sentence) return false;
  const length = cues.affirms.lengthAt(tokens, at);
  // `Dor também não` denies.
  if (cues.after.lengthAt(tokens, at) > length) return false;
  return length > 0 && !/^(positive|positiv[oa]s?)$/.test(tokens[at + 1]?.word ?? '');
}

/** True of `no pain at rest, only on stairs`. */
function isOnlyAtTimes({ tokens, cues }: Text, end: number): boolean {
  return isOnlySometimes(tokens, end, cues, (index) => tokens[index]?.kind !== 'mark');
}

function isPast(text: Text, first: number): boolean {
  const { tokens, cues } = text;
  const sentence = tokens[first]?.sentence;
  if (isBefore(text, first, PAST_REACH, (index) => cues.past.lengthAt(tokens, index) > 0)) return true;
  for (let next = first + 1; next <= first + PAST_REACH && tokens[next]?.sentence === sentence; next += 1)
    if (cues.past.lengthAt(tokens, next) > 0) return true;
  return false;
}

function isSameList({ tokens, cues, flags }: Text, previous: Span, span: Span): boolean {
  if (span.first < previous.end) return true;
  if (tokens[previous.first]?.sentence !== tokens[span.first]?.sentence) return false;
  const between = tokens.slice(previous.end, span.first);
  if (between.length > 2 * CHAIN_REACH || wordsBetween(tokens, previous.end, span.first) > CHAIN_REACH) return false;
  const hasLink = between.some((_, ahead) => cues.links.lengthAt(tokens, previous.end + ahead) > 0);
  return hasLink && !between.some((_, ahead) => ((flags()[previous.end + ahead] ?? 0) & STOP) > 0);
}

function isBefore({ tokens }: Text, first: number, reach: number, test: (index: number) => boolean): boolean {
  return findBefore(tokens, first, reach, test) !== undefined;
}

/** Returns the nearest earlier place in the same sentence, within `reach` words, that passes the test. */
function findBefore(
  tokens: readonly Token[],
  first: number,
  reach: number,
  test: (index: number) => boolean,
): number | undefined {
  const sentence = tokens[first]?.sentence;
  let words = 0;
  for (let index = first - 1; index >= 0 && words < reach; index -= 1) {
    const token = tokens[index];
    if (token?.sentence !== sentence) return undefined;
    if (test(index)) return index;
    if (token?.kind !== 'mark') words += 1;
  }
  return undefined;
}
