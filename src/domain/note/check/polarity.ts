// Decides if a finding is denied or only possible, by the words before it in its sentence. Questions and answers are read in answers.ts.
// The rules serve the three languages at once: hardly any of their words means the opposite in another one.
import { type Token, wordsBetween } from '../../../clinical-text/tokens/tokens.ts';
import {
  AFTERWARDS,
  CHAIN_LINKS,
  CONDITIONS,
  FAMILY,
  HAVING,
  MUCH,
  NOT_KNOWING,
  STOPS,
  STRONG_CUES,
  WEAK_CUES,
} from './polarity-words.ts';

type Span = { readonly first: number; readonly end: number };

const WEAK_REACH = 6;
const STRONG_REACH = 40;
/** Words between two members of one list of denied findings. */
const CHAIN_REACH = 4;
const CONDITION_REACH = 12;
const FAMILY_REACH = 6;

/** Returns for each span, in their order, if its own sentence denies it. */
export function findDenied(tokens: readonly Token[], spans: readonly Span[]): readonly boolean[] {
  const denied: boolean[] = [];
  for (const [place, span] of spans.entries()) {
    const previous = spans[place - 1];
    const isChained = denied[place - 1] === true && previous !== undefined && isSameList(tokens, previous, span);
    denied.push(isChained || isAfterCue(tokens, span.first) || isBeforeCue(tokens, span.end));
  }
  return denied;
}

export function isStrongCue(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index]?.word ?? '';
  if (!STRONG_CUES.has(word)) return false;
  return !/^negativ/.test(word) || /^(for|para|:)$/.test(tokens[index + 1]?.word ?? '');
}

export function isStop(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index]?.word ?? '';
  return STOPS.has(word) || (HAVING.has(word) && !isCueBefore(tokens, index));
}

/** True of advice, warnings and findings of relatives: the sentence does not say that the patient has the finding. */
export function isHypothetical(tokens: readonly Token[], first: number): boolean {
  return (
    findBefore(tokens, first, CONDITION_REACH, (index) => CONDITIONS.has(tokens[index]?.word ?? '')) !== undefined ||
    findBefore(tokens, first, FAMILY_REACH, (index) => FAMILY.has(tokens[index]?.stem ?? '')) !== undefined
  );
}

function isAfterCue(tokens: readonly Token[], first: number): boolean {
  const ended = findBefore(tokens, first, STRONG_REACH, (index) => isStop(tokens, index) || isStrongCue(tokens, index));
  if (ended !== undefined && isStrongCue(tokens, ended)) return true;
  const from = ended === undefined ? -1 : ended;
  const cue = findBefore(tokens, first, WEAK_REACH, (index) => index > from && isWeakCue(tokens, index));
  return cue !== undefined;
}

/** True of a denial behind the finding: `fiebre no tengo`, `fever: none`. */
function isBeforeCue(tokens: readonly Token[], end: number): boolean {
  const at = tokens[end]?.word === ':' ? end + 1 : end;
  const word = tokens[at]?.word ?? '';
  return (
    AFTERWARDS.has(word) && tokens[at]?.sentence === tokens[end - 1]?.sentence && !MUCH.has(tokens[at + 1]?.word ?? '')
  );
}

function isWeakCue(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined || !WEAK_CUES.has(token.word)) return false;
  const next = tokens[index + 1];
  if (NOT_KNOWING.has(next?.word ?? '')) return false;
  // `No, I have …` answers something else.
  const isStart = tokens[index - 1]?.sentence !== token.sentence;
  return !(isStart && next?.word === ',');
}

function isCueBefore(tokens: readonly Token[], index: number): boolean {
  return [1, 2].some((back) => WEAK_CUES.has(tokens[index - back]?.word ?? ''));
}

function isSameList(tokens: readonly Token[], previous: Span, span: Span): boolean {
  if (span.first < previous.end) return true;
  if (tokens[previous.first]?.sentence !== tokens[span.first]?.sentence) return false;
  const between = tokens.slice(previous.end, span.first);
  if (between.length > 2 * CHAIN_REACH || wordsBetween(tokens, previous.end, span.first) > CHAIN_REACH) return false;
  const hasLink = between.some(({ word }) => CHAIN_LINKS.has(word));
  return hasLink && !between.some((_, ahead) => isStop(tokens, previous.end + ahead));
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
