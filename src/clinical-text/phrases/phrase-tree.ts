// Finds all phrases of the knowledge in a row of words at once: a tree from the first word on, whose branches may skip a few words.
// Phrases that begin alike share their way, so the work is that of the words and not of the number of phrases.

import { BREAKS } from '../tokens/breaks.ts';
import type { WordToken } from '../tokens/word-tokens.ts';
import { findEdge, makeTreeBuilder, type PackedTree, ROOT, type TreeBuilder } from './packed-tree.ts';
import type { CompiledPhrase, Literal } from './phrase-notation.ts';

/** `words`: the tokens of the phrase, without those that were skipped between them. */
export type Match<T> = { readonly what: T; readonly words: readonly number[] };

export type PhraseTree<T> = {
  /** All phrases have to be added before the first search. */
  readonly add: (phrase: CompiledPhrase, what: T) => void;
  /** The ids of the literals that fit this word: the word itself and its beginnings. */
  readonly literalsOf: (word: string) => readonly number[];
  readonly hasWord: (word: string) => boolean;
  readonly find: (search: Search) => { readonly matches: Match<T>[]; readonly work: number };
};

export type Search = {
  readonly tokens: readonly WordToken[];
  /** The literals of each token. */
  readonly literals: readonly (readonly number[])[];
  /** Words that a phrase never skips: "chest clear, no pain" is no chest pain. */
  readonly isBarrier: (token: WordToken) => boolean;
  readonly from: number;
  readonly to: number;
  /** Called at the beginning, and now and then in a long row; it may throw to end the search. */
  readonly onStep: () => void;
};

/** A skipped comma counts like so many words. */
const COMMA_COST = 2;
const SHORTEST_STEM = 4;
const LONGEST_STEM = 24;
/** No phrase reaches over more words. */
const WIDEST = 64;
/** Words between two calls of `onStep`. */
const STEP = 1_000;
const NO_LITERALS: readonly number[] = [];

export function makePhraseTree<T>(): PhraseTree<T> {
  const words = new Map<string, number>();
  const stems = new Map<string, number>();
  let literals = 0;
  const literalId = ({ text, kind }: Literal): number => {
    const known = kind === 'start' ? stems : words;
    const met = known.get(text);
    if (met !== undefined) return met;
    known.set(text, literals);
    return literals++;
  };
  const tree = packedLater(makeTreeBuilder<T>(literalId));

  return {
    add: (phrase, what) => tree.growing().add(phrase, what),
    hasWord: (word) => words.has(word),
    literalsOf: (word) => {
      const found: number[] = [];
      const exact = words.get(word);
      if (exact !== undefined) found.push(exact);
      for (let length = SHORTEST_STEM; length <= Math.min(word.length, LONGEST_STEM); length++) {
        const stem = stems.get(word.slice(0, length));
        if (stem !== undefined) found.push(stem);
      }
      return found.length === 0 ? NO_LITERALS : found;
    },
    find: (search) => findAll(tree.packed(), search),
  };
}

/** The builder needs far more memory than what it makes, so it is given up at the first search. */
function packedLater<T>(builder: TreeBuilder<T>) {
  let tree: { readonly growing: TreeBuilder<T> } | { readonly packed: PackedTree<T> } = { growing: builder };
  return {
    growing: (): TreeBuilder<T> => {
      if ('growing' in tree) return tree.growing;
      throw new Error('a phrase cannot be added after the first search');
    },
    packed: (): PackedTree<T> => {
      if ('growing' in tree) tree = { packed: tree.growing.pack() };
      return tree.packed;
    },
  };
}

/** A linked list, because most ways end nowhere: an array is made only of a way that leads to a phrase. */
type Way = { readonly at: number; readonly before: Way | undefined };

function wordsOf(way: Way | undefined): readonly number[] {
  const words: number[] = [];
  for (let step = way; step !== undefined; step = step.before) words.push(step.at);
  return words.reverse();
}

function findAll<T>(tree: PackedTree<T>, { tokens, literals, isBarrier, from, to, onStep }: Search) {
  const { firstEdges, firstEnds, ends } = tree;
  const matches: Match<T>[] = [];
  let work = 0;
  for (let start = from; start < to; start++) {
    if ((start - from) % STEP === 0) onStep();
    if (literals[start]?.length === 0) continue;
    // Two ways to the same node and word go on alike. Without this set, a hostile text makes the ways multiply.
    let seen: Set<number> | undefined;
    const visit = (node: number, next: number, way: Way | undefined): void => {
      const [firstEnd = 0, lastEnd = 0] = [firstEnds[node], firstEnds[node + 1]];
      if (lastEnd > firstEnd) {
        const words = wordsOf(way);
        for (const what of ends.slice(firstEnd, lastEnd)) matches.push({ what, words });
      }
      const widest = tree.widest[node] ?? -1;
      const lastEdge = firstEdges[node + 1] ?? 0;
      let cost = 0;
      for (let at = next; at < to && at - start < WIDEST; at++) {
        const token = tokens[at];
        if (token === undefined) return;
        work++;
        // "L eye: red": the colon behind a label separates no more than a comma.
        const isLabelled = token.before === BREAKS.clause && token.marks.startsWith(':');
        if (at > start && token.before >= BREAKS.clause && !isLabelled) return;
        if (at > start && token.before >= BREAKS.comma) cost += COMMA_COST;
        if (cost > widest) return;
        for (const literal of literals[at] ?? []) {
          for (let edge = findEdge(tree, node, literal); edge < lastEdge && tree.literals[edge] === literal; edge++) {
            // A phrase may contain a comma only where it allows a gap: elsewhere the comma separates a list.
            if (cost > (tree.gaps[edge] ?? 0)) continue;
            const target = tree.targets[edge] ?? ROOT;
            const key = target * WIDEST + at - start;
            if (seen?.has(key)) continue;
            seen ??= new Set();
            seen.add(key);
            visit(target, at + 1, { at, before: way });
          }
        }
        if (node === ROOT || isBarrier(token)) return;
        cost++;
        if (cost > widest) return;
      }
    };
    visit(ROOT, start, undefined);
  }
  return { matches, work };
}
