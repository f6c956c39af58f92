// Returns the meaningful words of a text, listed in the lexicon or not. Function words, numbers, words of denial and doubt, and the words
// of findings that are denied, past or of other persons are left out: the urgency of a text does not depend on a "no". So are sentences
// that advise, warn or plan: "come back if the pain gets worse" does not tell how the patient is.

import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import { warningOf } from './advice-scopes.ts';
import { isPlanning } from './considered-scopes.ts';
import type { JudgedMention } from './judge-mentions.ts';
import type { SentenceView } from './mentions.ts';

/** No meaningful word is longer. */
const LONGEST = 24;

type Parts = {
  readonly text: string;
  readonly tokens: readonly WordToken[];
  readonly meant: readonly JudgedMention[];
  readonly untelling: ReadonlySet<string>;
  readonly views: readonly SentenceView[];
};

/** Returns each folded word once, with its first spelling. */
export function tellingWords({ text, tokens, meant, untelling, views }: Parts): ReadonlyMap<string, string> {
  const left = new Set(meant.filter((one) => !isMeant(one)).flatMap(({ mention }) => mention.words));
  for (const view of views)
    if (isOfWhatComes(view)) for (let at = view.sentence.from; at < view.sentence.to; at++) left.add(at);
  const words = new Map<string, string>();
  for (const [at, token] of tokens.entries()) {
    if (left.has(at) || words.has(token.text) || untelling.has(token.text) || !isWord(token)) continue;
    words.set(token.text, text.slice(token.start, token.end));
  }
  return words;
}

function isOfWhatComes(view: SentenceView): boolean {
  return warningOf(view) !== undefined || isPlanning(view);
}

function isMeant({ meaning }: JudgedMention): boolean {
  return meaning === 'present' || meaning === 'uncertain';
}

function isWord({ text, number }: WordToken): boolean {
  return number === undefined && text.length <= LONGEST && !/\d/.test(text);
}
