// Finds all phrases of the knowledge in a row of words at once: a tree from the first word on, whose branches may skip a few words.
// Phrases that begin alike share their way, so the work is that of the words and not of the number of phrases.

import { BREAKS } from '../tokens/breaks.ts';
import type { WordToken } from '../tokens/word-tokens.ts';
import type { CompiledPhrase, Literal, Step } from './phrase-notation.ts';

/** `words`: the tokens of the phrase, without those that were skipped between them. */
export type Match<T> = { readonly what: T; readonly words: readonly number[] };

type Edge<T> = { readonly gap: number; readonly to: Node<T> };
/** Most nodes are leaves, which have neither edges nor steps. */
type Node<T> = {
  readonly id: number;
  /** The ways on, by the literal that opens them. */
  edges?: Map<number, Edge<T>[]>;
  /** The next nodes by the step that leads to them, so that equal steps share a node. */
  steps?: Map<string, Node<T>>;
  readonly ends: T[];
  widest: number;
};

export type PhraseTree<T> = {
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
};

/** A skipped comma counts like so many words. */
const COMMA_COST = 2;
const SHORTEST_STEM = 4;
const LONGEST_STEM = 24;
/** No phrase reaches over more words. */
const WIDEST = 64;
const NO_LITERALS: readonly number[] = [];

export function makePhraseTree<T>(): PhraseTree<T> {
  const words = new Map<string, number>();
  const stems = new Map<string, number>();
  let literals = 0;
  let nodes = 0;
  const makeNode = (): Node<T> => ({ id: nodes++, ends: [], widest: -1 });
  const root = makeNode();

  const literalId = ({ text, kind }: Literal): number => {
    const known = kind === 'start' ? stems : words;
    const met = known.get(text);
    if (met !== undefined) return met;
    known.set(text, literals);
    return literals++;
  };
  const connect = (from: Node<T>, literal: Literal, gap: number, to: Node<T>): void => {
    const id = literalId(literal);
    from.edges ??= new Map();
    const edges = from.edges.get(id);
    if (edges === undefined) from.edges.set(id, [{ gap, to }]);
    else if (!edges.some((edge) => edge.to === to)) edges.push({ gap, to });
    from.widest = Math.max(from.widest, gap);
  };
  const addStep = (from: Node<T>, { gap, choices, written }: Step): Node<T> => {
    const key = gap === 0 ? written : `${gap} ${written}`;
    from.steps ??= new Map();
    const known = from.steps.get(key);
    if (known !== undefined) return known;
    const to = makeNode();
    from.steps.set(key, to);
    for (const choice of choices) {
      let at = from;
      for (const [index, literal] of choice.entries()) {
        const next = index === choice.length - 1 ? to : makeNode();
        connect(at, literal, index === 0 ? gap : 0, next);
        at = next;
      }
    }
    return to;
  };

  return {
    add: (phrase, what) => {
      let at = root;
      for (const step of phrase) at = addStep(at, step);
      at.ends.push(what);
    },
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
    find: (search) => findAll(root, search),
  };
}

/** A linked list, because most ways end nowhere: an array is made only of a way that leads to a phrase. */
type Way = { readonly at: number; readonly before: Way | undefined };

function wordsOf(way: Way | undefined): readonly number[] {
  const words: number[] = [];
  for (let step = way; step !== undefined; step = step.before) words.push(step.at);
  return words.reverse();
}

function findAll<T>(root: Node<T>, { tokens, literals, isBarrier, from, to }: Search) {
  const matches: Match<T>[] = [];
  let work = 0;
  for (let start = from; start < to; start++) {
    if (literals[start]?.length === 0) continue;
    // Two ways to the same node and word go on alike. Without this set, a hostile text makes the ways multiply.
    const seen = new Set<number>();
    const visit = (node: Node<T>, next: number, way: Way | undefined): void => {
      if (node.ends.length > 0) {
        const words = wordsOf(way);
        for (const what of node.ends) matches.push({ what, words });
      }
      let cost = 0;
      for (let at = next; at < to && at - start < WIDEST; at++) {
        const token = tokens[at];
        if (token === undefined) return;
        work++;
        // "L eye: red": the colon behind a label separates no more than a comma.
        const isLabelled = token.before === BREAKS.clause && token.marks.startsWith(':');
        if (at > start && token.before >= BREAKS.clause && !isLabelled) return;
        if (at > start && token.before >= BREAKS.comma) cost += COMMA_COST;
        if (cost > node.widest) return;
        for (const literal of literals[at] ?? []) {
          for (const edge of node.edges?.get(literal) ?? []) {
            // A phrase may contain a comma only where it allows a gap: elsewhere the comma separates a list.
            if (cost > edge.gap) continue;
            const key = edge.to.id * WIDEST + at - start;
            if (seen.has(key)) continue;
            seen.add(key);
            visit(edge.to, at + 1, { at, before: way });
          }
        }
        if (node === root || isBarrier(token)) return;
        cost++;
        if (cost > node.widest) return;
      }
    };
    visit(root, start, undefined);
  }
  return { matches, work };
}
