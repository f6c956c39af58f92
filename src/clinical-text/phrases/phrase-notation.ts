// The one notation of phrases: `cough* {4} phlegm|sputum [green]`. A star ends the beginning of a word, a number in braces is how many
// words may be between two words, words in brackets may be absent, and `<drug>` is any word of a family. A phrase that cannot be read is
// refused with the reason, never guessed.
import { foldText } from '../fold.ts';
import { readWordTokens } from '../tokens/word-tokens.ts';

/** A word, the beginning of one, or the name of a family of words. */
export type Literal = { readonly text: string; readonly kind: 'word' | 'start' | 'family' };
/** One of several choices; each is one word or a few words right behind each other ("x-ray"). */
export type Step = {
  readonly gap: number;
  readonly choices: readonly (readonly Literal[])[];
  /** The text of the step: steps with the same text are alike. */
  readonly written: string;
};
export type PhrasePart = { readonly steps: readonly Step[]; readonly isOptional: boolean };
export type CompiledPhrase = readonly Step[];

type Problem = { readonly problem: string };
export type Compiled = { readonly phrases: readonly CompiledPhrase[] } | Problem;

/** How the phrases of one lexicon are read. */
export type Notation = {
  /** The words of a choice, cut and folded like the texts in which the phrase is looked for. */
  readonly wordsOf: (choice: string) => readonly string[];
  /** Letters before a star. */
  readonly shortestStart: number;
  /** Words that may be between two words for which the phrase names no gap. */
  readonly gap: number;
};

const SHORTEST_START = 4;
/** Of the knowledge: cut like a history. */
const HISTORY: Notation = {
  wordsOf: (choice) => readWordTokens(choice).map(({ text }) => text),
  shortestStart: SHORTEST_START,
  gap: 0,
};
const LONGEST_GAP = 8;
const MOST_OPTIONAL = 3;
const PLAIN_WORD = /^[a-z]+$/;
const LETTERS = '[a-zà-öø-ÿ]';
const CHOICE = `(?:${LETTERS}+|${LETTERS}{${SHORTEST_START},}\\*)`;
const PLAIN_STEP = `${CHOICE}(?:\\|${CHOICE})*`;
const PLAIN_PHRASE = new RegExp(`^${PLAIN_STEP}(?: (?:\\{[1-${LONGEST_GAP}]\\} )?${PLAIN_STEP})*$`, 'i');
const PIECE = /\{(\d{1,2})\}|\[([^[\]{}]*)\]|[^\s[\]{}]+/g;

type Choices = Step['choices'];
/** Choices that were read before, by their text: the same choices are in many phrases. */
export type KnownChoices = Map<string, Choices>;

/** The reason why a phrase of the knowledge cannot be read, if there is one. */
export function problemOf(phrase: string): string | undefined {
  if (PLAIN_PHRASE.test(phrase)) return undefined;
  const compiled = compilePhrase(phrase);
  return 'problem' in compiled ? compiled.problem : undefined;
}

/** A phrase of the knowledge; with optional words it gives several. */
export function compilePhrase(phrase: string, known: KnownChoices = new Map()): Compiled {
  if (PLAIN_PHRASE.test(phrase)) return { phrases: [readPlain(phrase, known)] };
  const parts = readPhrase(phrase, HISTORY, known);
  return 'problem' in parts ? parts : spread(parts);
}

export function readPhrase(
  phrase: string,
  notation: Notation,
  known: KnownChoices = new Map(),
): readonly PhrasePart[] | Problem {
  if (phrase.replace(PIECE, '').trim() !== '')
    return { problem: 'has brackets that are not closed, or gaps that are no {2}' };
  const parts: PhrasePart[] = [];
  let gap: number | undefined;
  for (const [piece, gapText, optional] of phrase.matchAll(PIECE)) {
    if (gapText !== undefined) {
      if (gap !== undefined || parts.length === 0) return { problem: 'has a gap that is not between two words' };
      gap = Number(gapText);
      if (gap === 0 || gap > LONGEST_GAP) return { problem: `has a gap that is not {1} to {${LONGEST_GAP}}` };
      continue;
    }
    const steps = readSteps(optional ?? piece, gap ?? (parts.length === 0 ? 0 : notation.gap), notation, known);
    if (typeof steps === 'string') return { problem: steps };
    parts.push({ steps, isOptional: optional !== undefined });
    gap = undefined;
  }
  return gap === undefined ? parts : { problem: 'ends with a gap' };
}

/** Nearly all phrases are plain and cannot be wrong: letters, stars at the end of words, gaps between two words. */
function readPlain(phrase: string, known: KnownChoices): CompiledPhrase {
  const steps: Step[] = [];
  let gap = 0;
  for (const written of phrase.split(' ')) {
    if (written.startsWith('{')) {
      gap = Number(written[1]);
      continue;
    }
    const choices = known.get(written) ?? written.split('|').map(readWord);
    known.set(written, choices);
    steps.push({ gap, choices, written });
    gap = 0;
  }
  return steps;
}

function readWord(word: string): Literal[] {
  const isStart = word.endsWith('*');
  return [{ text: foldText(isStart ? word.slice(0, -1) : word), kind: isStart ? 'start' : 'word' }];
}

function readSteps(text: string, gap: number, notation: Notation, known: KnownChoices): readonly Step[] | string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return 'has empty brackets';
  const steps: Step[] = [];
  for (const [index, word] of words.entries()) {
    const choices = known.get(word) ?? word.split('|').map((choice) => readChoice(choice, notation));
    const problem = choices.find((choice) => typeof choice === 'string');
    if (problem !== undefined) return problem as string;
    known.set(word, choices as Literal[][]);
    steps.push({ gap: index === 0 ? gap : notation.gap, choices: choices as Literal[][], written: word });
  }
  return steps;
}

function readChoice(choice: string, { wordsOf, shortestStart }: Notation): Literal[] | string {
  if (/^<[a-z-]+>$/.test(choice)) return [{ text: choice, kind: 'family' }];
  const isStart = choice.endsWith('*');
  const plain = isStart ? choice.slice(0, -1) : choice;
  if (plain.includes('*')) return 'has a star that is not at the end of a word';
  // Most choices are one plain word that need not be cut.
  if (isStart && PLAIN_WORD.test(plain) && plain.length >= shortestStart) return [{ text: plain, kind: 'start' }];
  const words = wordsOf(plain);
  const last = words.at(-1) ?? '';
  if (last === '') return 'has a choice without letters or digits';
  if (isStart && last.length < shortestStart) return `has too few letters before a star: fewer than ${shortestStart}`;
  return words.map((text, index) => ({ text, kind: isStart && index === words.length - 1 ? 'start' : 'word' }));
}

/** With and without the optional words. The gap of an optional word goes with it: the next word keeps its own. */
function spread(parts: readonly PhrasePart[]): Compiled {
  if (parts.filter(({ isOptional }) => isOptional).length > MOST_OPTIONAL) {
    return { problem: `has more than ${MOST_OPTIONAL} optional words` };
  }
  let phrases: CompiledPhrase[] = [[]];
  for (const { steps, isOptional } of parts) {
    phrases = phrases.flatMap((phrase) => (isOptional ? [phrase, [...phrase, ...steps]] : [[...phrase, ...steps]]));
  }
  if (phrases.some((phrase) => phrase.length === 0)) return { problem: 'has no word that must be there' };
  return { phrases: phrases.map(([first, ...rest]) => (first === undefined ? rest : [{ ...first, gap: 0 }, ...rest])) };
}
