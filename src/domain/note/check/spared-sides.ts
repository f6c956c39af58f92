// Decides whether a text calls a side healthy (`the right one is fine`) or only looks at it (`an X-ray of both hips`). What was found on the
// other side was not found there.
import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { TextFacts } from './text-facts.ts';

/** Words that begin another clause, beside the marks. */
const JOINS = new Set(['and', 'but', 'while', 'y', 'e', 'pero', 'mas', 'mientras', 'enquanto']);
const MARKS = /^[,.;:?!()]$/;
/** What is looked at is not ill for it. */
const IMAGING =
  /^(?:x|xray|rx|ray|radiogra\w*|raio|ecogra\w*|ultraso\w*|ultrass\w*|resonan\w*|ressonan\w*|tomogra\w*|mri|ct|tac|tc|scan\w*|mammogra\w*|mamogra\w*)$/;
/** Words between a denial and the word that it denies: `is not quite normal`. */
const NOT_REACH = 2;

type Span = { readonly first: number; readonly end: number };

/** As it is said. `isDenied`: whether a finding at this place is denied, by its own sentence or by the answer. */
export function isSaidSpared(
  { tokens, sides, findings, language }: TextFacts,
  span: Span,
  isDenied: (finding: TextFacts['findings'][number]) => boolean,
): boolean {
  const clause = clauseOf(tokens, span, (index) => JOINS.has(tokens[index]?.word ?? '') || isOther(sides, span, index));
  if (hasHealthy(tokens, clause, cuesOf(language))) return true;
  if (hasImaging(tokens, clause)) return true;
  const here = findings.filter(({ first, end }) => first < clause.end && end > clause.first);
  return here.length > 0 && here.every(isDenied);
}

/** As it is written. Any denial counts: `R knee no effusion`. */
export function isWrittenSpared({ tokens, sides, language }: TextFacts, span: Span): boolean {
  const cues = cuesOf(language);
  const clause = clauseOf(tokens, span, (index) => isOther(sides, span, index));
  return (
    hasHealthy(tokens, clause, cues) ||
    hasImaging(tokens, clause) ||
    indexesOf(clause).some((index) => isDenial(tokens, index, cues) || isShortWithout(tokens, index))
  );
}

function hasHealthy(tokens: readonly Token[], clause: Span, cues: Cues): boolean {
  // `El izquierdo, normal.`
  const mark = tokens[clause.end]?.word;
  const behind = mark === ',' || mark === ':' ? cues.healthy.lengthAt(tokens, clause.end + 1) : 0;
  const next = tokens[clause.end + 1 + behind];
  if (behind > 0 && (next === undefined || MARKS.test(next.word))) return true;
  return indexesOf(clause).some((index) => {
    if (cues.healthy.lengthAt(tokens, index) === 0) return false;
    const before = Array.from({ length: NOT_REACH }, (_, back) => index - 1 - back);
    return !before.some((place) => place >= clause.first && isDenial(tokens, place, cues));
  });
}

function hasImaging(tokens: readonly Token[], clause: Span): boolean {
  return indexesOf(clause).some((index) => IMAGING.test(tokens[index]?.word ?? ''));
}

/** `Região inguinal D s/ hérnia` */
function isShortWithout(tokens: readonly Token[], index: number): boolean {
  return tokens[index]?.word === 's' && tokens[index + 1]?.word === '/' && tokens[index + 1]?.isGlued === true;
}

function isDenial(tokens: readonly Token[], index: number, cues: Cues): boolean {
  return [cues.before, cues.denies, cues.always].some((set) => set.lengthAt(tokens, index) > 0);
}

/** The words around a side up to the next mark, or to where `isEnd` says that another clause begins. */
function clauseOf(tokens: readonly Token[], { first, end }: Span, isEnd: (index: number) => boolean): Span {
  const isBound = (index: number) => {
    const token = tokens[index];
    return token === undefined || token.sentence !== tokens[first]?.sentence || MARKS.test(token.word) || isEnd(index);
  };
  let [from, to] = [first, end];
  while (!isBound(from - 1)) from -= 1;
  while (!isBound(to)) to += 1;
  return { first: from, end: to };
}

function isOther({ places }: TextFacts['sides'], { first, end }: Span, index: number): boolean {
  return (index < first || index >= end) && places.has(index);
}

function indexesOf({ first, end }: Span): readonly number[] {
  return Array.from({ length: end - first }, (_, ahead) => first + ahead);
}
