// Finds the findings of the lexicon in a text of one language. The phrases of the other languages are not searched, and not in memory.
import { cuesOf } from '../clinical-text/cues/cues.ts';
import { compilePhrase, type KnownChoices } from '../clinical-text/phrases/phrase-notation.ts';
import { makePhraseTree } from '../clinical-text/phrases/phrase-tree.ts';
import { readWordTokens, type WordToken } from '../clinical-text/tokens/word-tokens.ts';
import type { Language } from '../domain/language.ts';
import type { FindingMention } from '../domain/note/lexicon.ts';
import type { LexiconFinding } from './read-lexicon.ts';

export type FindFindings = (text: string) => readonly FindingMention[];

type Found = { readonly finding: LexiconFinding; readonly words: readonly number[] };

/** The same words are in all texts. */
const MOST_KEPT = 20_000;

type PhrasesParts = {
  readonly findings: readonly LexiconFinding[];
  readonly language: Language;
  /** By the id of the finding. */
  readonly phrases: ReadonlyMap<string, readonly string[]>;
  /** All findings that the finding with this id implies. */
  readonly impliedBy: (id: string) => ReadonlySet<string>;
};

export function makeFindFindings({ findings, language, phrases, impliedBy }: PhrasesParts): FindFindings {
  const tree = makePhraseTree<LexiconFinding>();
  const known: KnownChoices = new Map();
  for (const finding of findings) {
    for (const phrase of phrases.get(finding.id) ?? []) {
      const compiled = compilePhrase(phrase, known);
      // The rules refuse a phrase that cannot be read; the check goes on without it.
      if ('phrases' in compiled) for (const one of compiled.phrases) tree.add(one, finding);
    }
  }
  const literalsOf = kept((word) => tree.literalsOf(word));
  const isBarrier = kept(makeIsBarrier(language));
  return (text) => {
    const tokens = readWordTokens(text);
    const { matches } = tree.find({
      tokens,
      literals: tokens.map((token) => literalsOf(token.text)),
      isBarrier: (token) => isBarrier(token.text),
      from: 0,
      to: tokens.length,
      onStep: () => undefined,
    });
    const found = matches.map(({ what, words }) => ({ finding: what, words }));
    return longest(found, impliedBy).map((one) => toMention(one, tokens));
  };
}

function kept<Value>(make: (word: string) => Value): (word: string) => Value {
  const known = new Map<string, Value>();
  return (word) => {
    const met = known.get(word);
    if (met !== undefined) return met;
    if (known.size >= MOST_KEPT) known.clear();
    const value = make(word);
    known.set(word, value);
    return value;
  };
}

/** A phrase does not skip a denial, or a word that ends one: `chest clear, no pain` is no chest pain. */
function makeIsBarrier(language: Language): (word: string) => boolean {
  const { denies, before, scopeEnd } = cuesOf(language);
  return (word) => [denies, before, scopeEnd].some((set) => set.lengthAt([{ word, sentence: 0 }], 0) > 0);
}

/** Without findings whose words are all part of a longer one: `hay fever` is no fever. */
function longest(found: readonly Found[], impliedBy: (id: string) => ReadonlySet<string>): readonly Found[] {
  const covering = new Map<number, Found[]>();
  for (const one of found) {
    for (const at of one.words) {
      const others = covering.get(at);
      if (others === undefined) covering.set(at, [one]);
      else others.push(one);
    }
  }
  const isPart = ({ finding, words }: Found, other: Found): boolean => {
    if (other.words.length <= words.length || other.finding.id === finding.id) return false;
    return !impliedBy(other.finding.id).has(finding.id) && words.every((at) => other.words.includes(at));
  };
  return found.filter((one) => !(covering.get(one.words[0] ?? -1) ?? []).some((other) => isPart(one, other)));
}

function toMention({ finding: { id, kind }, words }: Found, tokens: readonly WordToken[]): FindingMention {
  return { id, kind, from: tokens[words[0] ?? 0]?.start ?? 0, to: tokens[words.at(-1) ?? 0]?.end ?? 0 };
}
