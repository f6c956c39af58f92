// Returns the meaningful words of a text, listed in the lexicon or not. Function words, numbers, words of denial and doubt, and the words
// of findings that are denied, past or of other persons are left out: the urgency of a text does not depend on a "no".

import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { JudgedMention } from './judge-mentions.ts';

/** No meaningful word is longer. */
const LONGEST = 24;

type Parts = {
  readonly text: string;
  readonly tokens: readonly WordToken[];
  readonly meant: readonly JudgedMention[];
  readonly untelling: ReadonlySet<string>;
};

/** Returns each folded word once, with its first spelling. */
export function tellingWords({ text, tokens, meant, untelling }: Parts): ReadonlyMap<string, string> {
  const left = new Set(meant.filter((one) => !isMeant(one)).flatMap(({ mention }) => mention.words));
  const words = new Map<string, string>();
  for (const [at, token] of tokens.entries()) {
    if (left.has(at) || words.has(token.text) || untelling.has(token.text) || !isWord(token)) continue;
    words.set(token.text, text.slice(token.start, token.end));
  }
  return words;
}

function isMeant({ meaning }: JudgedMention): boolean {
  return meaning === 'present' || meaning === 'uncertain';
}

function isWord({ text, number }: WordToken): boolean {
  return number === undefined && text.length <= LONGEST && !/\d/.test(text);
}
