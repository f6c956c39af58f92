// Finds the words for things: each thing has an id and, in each language, the phrases that name it. One or two other words may be between
// two words of a phrase (`pain in my chest`).
import { LANGUAGES, type Language } from '../../domain/language.ts';
import { stemOf } from '../fold.ts';
import type { Token } from '../tokens/tokens.ts';
import { makePhraseFinder, type PhraseFinder } from './phrase-finder.ts';
import { type Notation, type PhrasePart, readPhrase } from './phrase-notation.ts';

export type NamedThing = {
  readonly id: string;
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
};
export type FindNamedThings = (tokens: readonly Token[], language: Language) => readonly NamedThing[];

const START_LETTERS = 4;
/** Words whose phrases are kept for the next time. A conversation has few different ones. */
const MOST_KEPT = 10_000;
const NOTATION: Notation = { wordsOf: (choice) => [stemOf(choice)], shortestStart: START_LETTERS, gap: 2 };
const NO_FAMILIES: ReadonlySet<string> = new Set();

/** Each line is a thing: `fever = fever, febrile / fiebre / febre`, with the languages in their usual order. */
export function makeFindNamedThings(lines: string): FindNamedThings {
  const finders = LANGUAGES.map((_, place) =>
    withKept(
      makePhraseFinder<string, Token>(readLines(lines, place), {
        formOf: ({ stem }) => stem,
        wordOf: ({ word }) => word,
        familiesOf: () => NO_FAMILIES,
        isBarrier: ({ kind, word }) => kind === 'mark' && word !== '-',
        startLetters: START_LETTERS,
      }),
    ),
  );
  return (tokens, language) => {
    const finder = finders[LANGUAGES.indexOf(language)];
    const found: NamedThing[] = [];
    let end = 0;
    for (let index = 0; finder !== undefined && index < tokens.length; index += 1) {
      const thing = longestAt(tokens, index, finder);
      // `Coughing up blood` is no cough, and `night sweats` is one finding.
      if (thing === undefined || thing.end <= end) continue;
      found.push(thing);
      end = thing.end;
    }
    return found;
  };
}

/** Most words begin no phrase, and come again and again. */
function withKept(finder: PhraseFinder<string, Token>): PhraseFinder<string, Token> {
  const known = new Map<string, ReturnType<typeof finder.startingWith>>();
  const startingWith = (token: Token) => {
    let found = known.get(token.word);
    if (found === undefined) {
      if (known.size >= MOST_KEPT) known.clear();
      found = finder.startingWith(token);
      known.set(token.word, found);
    }
    return found;
  };
  return { ...finder, startingWith };
}

function readLines(lines: string, place: number): readonly (readonly [readonly PhrasePart[], string])[] {
  return lines
    .split('\n')
    .filter((line) => line.includes('='))
    .flatMap((line) => {
      const [id = '', forms = ''] = line.split('=').map((side) => side.trim());
      const phrases = (forms.split('/')[place] ?? '').split(',').map((phrase) => phrase.trim());
      return phrases.filter(Boolean).map((phrase) => [partsOf(phrase), id] as const);
    });
}

function partsOf(phrase: string): readonly PhrasePart[] {
  const parts = readPhrase(phrase, NOTATION);
  if ('problem' in parts) throw new Error(`The phrase "${phrase}" ${parts.problem}`);
  return parts;
}

function longestAt(
  tokens: readonly Token[],
  first: number,
  finder: PhraseFinder<string, Token>,
): NamedThing | undefined {
  const token = tokens[first];
  if (token?.kind !== 'word') return undefined;
  let longest: NamedThing | undefined;
  let most = 0;
  for (const phrase of finder.startingWith(token)) {
    const length = phrase.elements.length;
    const end = length > most ? finder.endOf(tokens, first, phrase) : undefined;
    if (end !== undefined) [longest, most] = [{ id: phrase.what, first, end }, length];
  }
  return longest;
}
