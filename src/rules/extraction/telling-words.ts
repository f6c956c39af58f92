// Returns the meaningful words of a text, listed in the lexicon or not. Function words, numbers, words of denial and doubt, and the words
// of findings that are denied, past or of other persons are left out: the urgency of a text does not depend on a "no".

import { FUNCTION_WORDS } from '../../clinical-text/languages/language-words.ts';
import { readWordTokens, type WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import { LANGUAGES } from '../../domain/language.ts';
import type { CueKind } from './cue-kinds.ts';
import { CUE_WORDS } from './cue-words.ts';
import type { JudgedMention } from './judge-mentions.ts';

const SAY_HOW_IT_IS_MEANT: readonly CueKind[] = [
  'negation',
  'denial',
  'absent',
  'pseudo',
  'uncertain',
  'doubted',
  'no',
];
/** No meaningful word is longer. */
const LONGEST = 24;

const UNTOLD: ReadonlySet<string> = new Set([
  ...LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]),
  ...LANGUAGES.flatMap((language) => SAY_HOW_IT_IS_MEANT.flatMap((kind) => CUE_WORDS[language][kind] ?? [])).flatMap(
    (phrase) => readWordTokens(phrase).map(({ text }) => text),
  ),
]);

/** Returns each folded word once, with its first spelling. */
export function tellingWords(
  text: string,
  tokens: readonly WordToken[],
  meant: readonly JudgedMention[],
): ReadonlyMap<string, string> {
  const denied = new Set(meant.filter((one) => !isMeant(one)).flatMap(({ mention }) => mention.words));
  const words = new Map<string, string>();
  for (const [at, token] of tokens.entries()) {
    if (denied.has(at) || words.has(token.text) || !isTelling(token)) continue;
    words.set(token.text, text.slice(token.start, token.end));
  }
  return words;
}

function isMeant({ meaning }: JudgedMention): boolean {
  return meaning === 'present' || meaning === 'uncertain';
}

function isTelling({ text, number }: WordToken): boolean {
  return number === undefined && text.length <= LONGEST && !UNTOLD.has(text) && !/\d/.test(text);
}
