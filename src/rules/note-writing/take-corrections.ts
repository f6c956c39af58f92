// `The right, no wait, the left knee`: removes the corrected words and keeps the correction. Only if both are of one type (a side, a day, a
// month, a part of the body, a number with its unit) and the sentence does not continue with other content.

import { foldWord } from '../../clinical-text/fold.ts';
import type { Token } from '../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../domain/language.ts';
import { type CueFiles, inAllLanguages } from './cue-files.ts';

type Parts = {
  readonly families: (word: string) => ReadonlySet<string>;
  readonly speech: CueFiles['speech'];
  readonly language: Language;
};

const SORTS = ['side', 'weekday', 'month', 'body'];
const SORTS_OF_PLAIN_NO = SORTS.slice(0, 3);
const REACH = 9;
const MAX_CLAUSE = 8;
const MAX_MARKER = 4;
const MAX_MARKERS = 4;

type Marker = { readonly first: number; readonly end: number; readonly sorts: readonly string[] };

/** Returns the indexes of the tokens to remove. */
export function makeTakeCorrections({ speech, families, language }: Parts) {
  const articles = inAllLanguages(speech['side-articles']);
  const markers = new Set(speech.corrections[language].map((phrase) => phrase.split(/\s+/).map(foldWord).join(' ')));
  return (tokens: readonly Token[]): readonly number[] => {
    const dropped: number[] = [];
    for (let index = 1; index < tokens.length; index += 1) {
      const marker = markerAt(tokens, index);
      const range = marker && rangeOf(tokens, marker);
      if (range) dropped.push(...range);
      if (marker) index = marker.end - 1;
    }
    return dropped;
  };

  /** True if punctuation is before it. A comment on the slip belongs to it: `no, wait, silly me`. */
  function markerAt(tokens: readonly Token[], first: number): Marker | undefined {
    if (tokens[first]?.kind !== 'word' || tokens[first - 1]?.kind !== 'mark') return undefined;
    let end = first;
    for (let round = 0; round < MAX_MARKERS; round += 1) end = endOfMarker(tokens, end) ?? end;
    if (end > first) return { first, end, sorts: SORTS };
    // `Não dói à esquerda, não, à direita`: after a negation the plain `no` only repeats it.
    const isPlain =
      speech['plain-no'][language].includes(tokens[first].word) &&
      tokens[first + 1]?.word === ',' &&
      lastOf(tokens, first, ({ word }) => families(word).has('denial')) === undefined;
    return isPlain ? { first, end: first + 2, sorts: SORTS_OF_PLAIN_NO } : undefined;
  }

  /** It may contain commas: `no, wait`. The longest match counts. */
  function endOfMarker(tokens: readonly Token[], first: number): number | undefined {
    const spoken: string[] = [];
    let end: number | undefined;
    for (let index = first; index < tokens.length && spoken.length < MAX_MARKER; index += 1) {
      const token = tokens[index];
      if (token?.word === ',' || token?.word === '-') continue;
      if (token?.kind !== 'word') break;
      spoken.push(token.word);
      if (markers.has(spoken.join(' '))) end = skipMarks(tokens, index + 1);
    }
    return end;
  }

  function rangeOf(tokens: readonly Token[], { first, end, sorts }: Marker): readonly number[] | undefined {
    const clauseEnd = endOfClause(tokens, end, sorts);
    const clause = tokens.slice(end, clauseEnd);
    if (clause.length === 0 || clause.some(({ word }) => families(word).has('state'))) return undefined;
    for (const sort of sorts) {
      const inClause = clause.findIndex(({ word }) => families(word).has(sort));
      if (inClause < 0) continue;
      const before = lastOf(tokens, first, ({ word }) => families(word).has(sort));
      // `The left knee, no wait, the right`: the noun would be lost.
      if (before === undefined || losesWords(tokens, before, first, clause.length - inClause)) return undefined;
      const lead = clause.slice(0, inClause);
      return span(startOf(tokens, before, lead), isLoneArticle(lead) && isBehindBody(tokens, before) ? end + 1 : end);
    }
    return sorts === SORTS ? numberRange(tokens, { first, end, clauseEnd }) : undefined;
  }

  function isLoneArticle([first, ...more]: readonly Token[]): boolean {
    return first !== undefined && more.length === 0 && articles.includes(first.word);
  }

  /** `O ombro direito, digo, o esquerdo`: its article is removed, too. */
  function isBehindBody(tokens: readonly Token[], side: number): boolean {
    return families(tokens[side - 1]?.word ?? '').has('body');
  }

  /** Both have the same word after them: `two days, no wait, three days`. */
  function numberRange(
    tokens: readonly Token[],
    { first, end, clauseEnd }: { first: number; end: number; clauseEnd: number },
  ) {
    const unit = tokens[lastWord(tokens, first)];
    const length = tokens.slice(end, clauseEnd).findIndex(({ kind, word }) => kind === 'word' && word === unit?.word);
    if (unit?.kind !== 'word' || length < 1 || length > 3) return undefined;
    const start = lastWord(tokens, first) - length;
    const isSameShape =
      start >= 0 &&
      tokens.slice(start, first).every(({ kind }, place, all) => kind !== 'mark' || place >= all.length - 2);
    const startsAlike = tokens[start]?.kind === tokens[end]?.kind;
    return isSameShape && startsAlike && length === 1 ? span(start, end) : undefined;
  }

  function endOfClause(tokens: readonly Token[], from: number, sorts: readonly string[]): number {
    let index = from;
    let isMet = false;
    for (; index < tokens.length && index < from + MAX_CLAUSE; index += 1) {
      const token = tokens[index];
      if (token?.kind === 'mark' && token.word !== '-' && (isMet || token.word !== ',')) break;
      if (token && sorts.some((sort) => families(token.word).has(sort))) isMet = true;
    }
    return index;
  }
}

function losesWords(tokens: readonly Token[], before: number, marker: number, wordsAfter: number): boolean {
  const lost = tokens.slice(before + 1, marker).filter(({ kind }) => kind !== 'mark').length;
  return lost > 0 && wordsAfter <= 1;
}

/** Includes the repeated short words before it: `on the left, no wait, the right`. */
function startOf(tokens: readonly Token[], sort: number, lead: readonly Token[]): number {
  let start = sort;
  const words = lead.filter(({ kind }) => kind === 'word');
  for (let back = words.length - 1; back >= 0 && tokens[start - 1]?.word === words[back]?.word; back -= 1) start -= 1;
  return start;
}

function lastOf(tokens: readonly Token[], before: number, isIt: (token: Token) => boolean): number | undefined {
  for (let index = before - 1; index >= Math.max(0, before - REACH); index -= 1) {
    const token = tokens[index];
    if (token && isIt(token)) return index;
  }
  return undefined;
}

function lastWord(tokens: readonly Token[], before: number): number {
  let index = before - 1;
  while (index > 0 && tokens[index]?.kind === 'mark') index -= 1;
  return index;
}

function skipMarks(tokens: readonly Token[], from: number): number {
  let index = from;
  while (index < tokens.length && /^[,.!-]$/.test(tokens[index]?.word ?? '')) index += 1;
  return index;
}

function span(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, step) => from + step);
}
