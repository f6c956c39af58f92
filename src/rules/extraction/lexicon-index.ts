// Builds the one index of all phrases of the knowledge, all cues and word lists. It is built once.

import { FUNCTION_WORDS } from '../../clinical-text/languages/language-words.ts';
import { compilePhrase, type KnownChoices, type Literal } from '../../clinical-text/phrases/phrase-notation.ts';
import { makePhraseTree, type PhraseTree } from '../../clinical-text/phrases/phrase-tree.ts';
import { makeSpeller, type Speller } from '../../clinical-text/spelling/speller.ts';
import { readWordTokens, type WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { Finding, Knowledge } from '../knowledge/knowledge.ts';
import { CUE_KINDS, type CueKind } from './cue-kinds.ts';
import { makeWordLists, type WordLists } from './history.ts';
import { makeValueRules, type ValueRules } from './value-rules.ts';

export type Entry =
  | { readonly finding: Finding; readonly cue?: undefined; readonly language: Language }
  | { readonly finding?: undefined; readonly cue: CueKind; readonly language: Language };

export type LexiconIndex = {
  readonly phrases: PhraseTree<Entry>;
  readonly speller: Speller;
  readonly words: WordLists;
  readonly valueRules: ValueRules;
  /** Function words, and words that only say how a finding is meant. */
  readonly untelling: ReadonlySet<string>;
  /** The languages whose findings use this word. */
  readonly languagesOf: (token: WordToken) => readonly Language[];
  /** True of a longer word from the name of a condition that is no ordinary word. */
  readonly isDiseaseWord: (word: string) => boolean;
};

const SAY_HOW_IT_IS_MEANT: readonly CueKind[] = [
  'negation',
  'denial',
  'absent',
  'pseudo',
  'uncertain',
  'doubted',
  'no',
];
const NONE: readonly Language[] = [];
const SHORTEST_STEM = 4;
const LONG_NAME = 6;

export function makeLexiconIndex(knowledge: Knowledge): LexiconIndex {
  const phrases = makePhraseTree<Entry>();
  const speller = makeSpeller();
  const owners = makeOwners();
  const add = (written: readonly string[], entry: Entry, known: KnownChoices): void => {
    for (const phrase of written) {
      const compiled = compilePhrase(phrase, known);
      // Problems are reported when the knowledge is read, not here.
      if ('phrases' in compiled) for (const one of compiled.phrases) phrases.add(one, entry);
    }
  };
  const known: Readonly<Record<Language, KnownChoices>> = { en: new Map(), es: new Map(), pt: new Map() };
  for (const finding of knowledge.findings.values()) {
    for (const language of LANGUAGES) add(finding.phrases[language], { finding, language }, known[language]);
  }
  for (const language of LANGUAGES) {
    for (const { text, kind } of literalsOf(known[language])) {
      const isPrefix = kind === 'start';
      speller.add(text, isPrefix);
      // Short beginnings fit too many words: the speller gets their usual forms.
      if (isPrefix) for (const ending of knowledge.words.endings[language]) speller.add(text + ending, false);
      if (!isFunctionWord(text)) owners.add(text, isPrefix, language);
    }
  }
  const words = makeWordLists(knowledge.words);
  const diseaseWords = new Set<string>();
  for (const { text, language } of wordsOfNames(knowledge)) {
    if (text.length < LONG_NAME) continue;
    // A text that only names a disease is understood, too, although it has no finding.
    owners.add(text, false, language);
    if (!words.has('ordinary', text)) diseaseWords.add(text);
  }
  const knownCues: KnownChoices = new Map();
  for (const language of LANGUAGES) {
    for (const cue of CUE_KINDS) add(knowledge.cues[language][cue] ?? [], { cue, language }, knownCues);
  }
  for (const { text, kind } of literalsOf(knownCues)) speller.add(text, kind === 'start');
  return {
    phrases,
    speller,
    words,
    valueRules: makeValueRules(knowledge.words),
    untelling: untellingWords(knowledge),
    languagesOf: owners.of,
    isDiseaseWord: (word) => diseaseWords.has(word),
  };
}

function literalsOf(known: KnownChoices): Literal[] {
  return [...known.values()].flat(2);
}

function wordsOfNames({ conditions }: Knowledge) {
  return conditions.flatMap(({ name }) =>
    LANGUAGES.flatMap((language) => readWordTokens(name[language]).map(({ text }) => ({ text, language }))),
  );
}

export function isFunctionWord(word: string): boolean {
  return LANGUAGES.some((language) => FUNCTION_WORDS[language].has(word));
}

function untellingWords({ cues }: Knowledge): ReadonlySet<string> {
  const phrases = LANGUAGES.flatMap((language) => SAY_HOW_IT_IS_MEANT.flatMap((kind) => cues[language][kind] ?? []));
  return new Set([
    ...LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]),
    ...phrases.flatMap((phrase) => readWordTokens(phrase).map(({ text }) => text)),
  ]);
}

function makeOwners() {
  const words = new Map<string, Language[]>();
  const stems = new Map<string, Language[]>();
  return {
    add: (word: string, isPrefix: boolean, language: Language): void => {
      const map = isPrefix ? stems : words;
      const known = map.get(word);
      if (known === undefined) map.set(word, [language]);
      else if (!known.includes(language)) known.push(language);
    },
    of: ({ text, number }: WordToken): readonly Language[] => {
      if (number !== undefined) return NONE;
      const exact = words.get(text);
      const found = exact === undefined ? new Set<Language>() : new Set(exact);
      for (let length = SHORTEST_STEM; length <= Math.min(text.length, 24); length++) {
        for (const language of stems.get(text.slice(0, length)) ?? []) found.add(language);
      }
      return found.size === 0 ? NONE : [...found];
    },
  };
}
