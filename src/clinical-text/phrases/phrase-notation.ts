// Reads the phrases of the knowledge: `cough* {4} phlegm|sputum [green]`. What cannot be read is told, never guessed.
import { foldText } from '../fold.ts';
import { readWordTokens } from '../tokens/word-tokens.ts';

/** A word, or the beginning of one. */
export type Literal = { readonly text: string; readonly isPrefix: boolean };
/** One of several; each is one word or a few that stand together ("x-ray"). */
export type Step = {
  readonly gap: number;
  readonly choices: readonly (readonly Literal[])[];
  /** As it stands in the phrase: steps that are written alike are alike. */
  readonly written: string;
};
export type CompiledPhrase = readonly Step[];

export type Compiled = { readonly phrases: readonly CompiledPhrase[] } | { readonly problem: string };

const SHORTEST_STEM = 4;
const LONGEST_GAP = 8;
const MOST_OPTIONAL = 3;
const PLAIN_WORD = /^[a-z]+$/;
const LETTERS = '[a-zà-öø-ÿ]';
const CHOICE = `(?:${LETTERS}+|${LETTERS}{${SHORTEST_STEM},}\\*)`;
const PLAIN_STEP = `${CHOICE}(?:\\|${CHOICE})*`;
const PLAIN_PHRASE = new RegExp(`^${PLAIN_STEP}(?: (?:\\{[1-${LONGEST_GAP}]\\} )?${PLAIN_STEP})*$`, 'i');
const PIECE = /\{(\d{1,2})\}|\[([^[\]{}]*)\]|[^\s[\]{}]+/g;

type Part = { readonly steps: readonly Step[]; readonly isOptional: boolean };
type Choices = Step['choices'];
/** What was read already, by how it is written: the same choices stand in many phrases. */
export type KnownChoices = Map<string, Choices>;

/** What is wrong with a phrase, where something is. */
export function problemOf(phrase: string): string | undefined {
  if (PLAIN_PHRASE.test(phrase)) return undefined;
  const compiled = compilePhrase(phrase);
  return 'problem' in compiled ? compiled.problem : undefined;
}

/** A phrase with optional words gives several. */
export function compilePhrase(phrase: string, known: KnownChoices = new Map()): Compiled {
  if (PLAIN_PHRASE.test(phrase)) return { phrases: [readPlain(phrase, known)] };
  if (phrase.replace(PIECE, '').trim() !== '')
    return { problem: 'has brackets that are not closed, or gaps that are no {2}' };
  const parts: Part[] = [];
  let gap = 0;
  for (const [piece, gapText, optional] of phrase.matchAll(PIECE)) {
    if (gapText !== undefined) {
      if (gap > 0 || parts.length === 0) return { problem: 'has a gap that is not between two words' };
      gap = Number(gapText);
      if (gap === 0 || gap > LONGEST_GAP) return { problem: `has a gap that is not {1} to {${LONGEST_GAP}}` };
      continue;
    }
    const steps = readSteps(optional ?? piece, gap, known);
    if (typeof steps === 'string') return { problem: steps };
    parts.push({ steps, isOptional: optional !== undefined });
    gap = 0;
  }
  return gap > 0 ? { problem: 'ends with a gap' } : spread(parts);
}

/** Nearly all are so, and nothing can be wrong with them: letters, stars at the end of words, gaps between two words. */
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
  const isPrefix = word.endsWith('*');
  return [{ text: foldText(isPrefix ? word.slice(0, -1) : word), isPrefix }];
}

function readSteps(text: string, gap: number, known: KnownChoices): readonly Step[] | string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return 'has empty brackets';
  const steps: Step[] = [];
  for (const [index, word] of words.entries()) {
    const choices = known.get(word) ?? word.split('|').map(readChoice);
    const problem = choices.find((choice) => typeof choice === 'string');
    if (problem !== undefined) return problem as string;
    known.set(word, choices as Literal[][]);
    steps.push({ gap: index === 0 ? gap : 0, choices: choices as Literal[][], written: word });
  }
  return steps;
}

function readChoice(choice: string): Literal[] | string {
  const isPrefix = choice.endsWith('*');
  const plain = isPrefix ? choice.slice(0, -1) : choice;
  // Most are one plain word: it need not be cut.
  if (PLAIN_WORD.test(plain) && (!isPrefix || plain.length >= SHORTEST_STEM)) return [{ text: plain, isPrefix }];
  if (plain.includes('*')) return 'has a star that is not at the end of a word';
  const tokens = readWordTokens(plain);
  const last = tokens.at(-1)?.text ?? '';
  if (last === '') return 'has a choice without letters or digits';
  if (isPrefix && last.length < SHORTEST_STEM) return `has a star behind fewer than ${SHORTEST_STEM} letters`;
  return tokens.map(({ text }, index) => ({ text, isPrefix: isPrefix && index === tokens.length - 1 }));
}

/** With and without what is optional. Its gap goes with it: the next word keeps the wider one. */
function spread(parts: readonly Part[]): Compiled {
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
