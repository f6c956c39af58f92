// Finds the words for things: each thing has an id and, in each language, the phrases that name it. Between two words of a phrase one or
// two others may stand (`pain in my chest`).
import { LANGUAGES, type Language } from '../../domain/language.ts';
import { stemOf } from '../fold.ts';
import type { Token } from '../tokens/tokens.ts';

export type NamedThing = {
  readonly id: string;
  /** Tokens: from, up to but without. */
  readonly first: number;
  readonly end: number;
};
export type FindNamedThings = (tokens: readonly Token[], language: Language) => readonly NamedThing[];

type Phrase = { readonly id: string; readonly words: readonly string[] };
type Phrases = {
  readonly byWord: ReadonlyMap<string, readonly Phrase[]>;
  /** Those that begin with the beginning of a word. */
  readonly byStart: ReadonlyMap<string, readonly Phrase[]>;
};

const MAX_GAP = 2;
const START_LETTERS = 4;

/**
 * A line a thing: `fever = fever, febrile / fiebre / febre`, languages in their usual order. `febri*` is the beginning of a word, of
 * four letters or more.
 */
export function makeFindNamedThings(lines: string): FindNamedThings {
  const byLanguage = LANGUAGES.map((_, place) => compile(readLines(lines, place)));
  return (tokens, language) => {
    const phrases = byLanguage[LANGUAGES.indexOf(language)];
    const found: NamedThing[] = [];
    let end = 0;
    for (let index = 0; phrases !== undefined && index < tokens.length; index += 1) {
      const thing = longestAt(tokens, index, phrases);
      // `Coughing up blood` is no cough, and `night sweats` is one finding.
      if (thing === undefined || thing.end <= end) continue;
      found.push(thing);
      end = thing.end;
    }
    return found;
  };
}

function readLines(lines: string, place: number): readonly Phrase[] {
  return lines
    .split('\n')
    .filter((line) => line.includes('='))
    .flatMap((line) => {
      const [id = '', forms = ''] = line.split('=').map((side) => side.trim());
      const own = forms.split('/')[place]?.split(',') ?? [];
      return own
        .map((phrase) => phrase.trim())
        .filter(Boolean)
        .map((phrase) => ({ id, words: phrase.split(/\s+/).map(asPattern) }));
    });
}

function asPattern(word: string): string {
  return word.endsWith('*') ? word : stemOf(word);
}

function compile(phrases: readonly Phrase[]): Phrases {
  const isStart = ({ words }: Phrase) => words[0]?.endsWith('*') ?? false;
  return {
    byWord: Map.groupBy(
      phrases.filter((phrase) => !isStart(phrase)),
      ({ words }) => words[0] ?? '',
    ),
    byStart: Map.groupBy(phrases.filter(isStart), ({ words }) => words[0]?.slice(0, START_LETTERS) ?? ''),
  };
}

function longestAt(tokens: readonly Token[], first: number, { byWord, byStart }: Phrases): NamedThing | undefined {
  const token = tokens[first];
  if (token?.kind !== 'word') return undefined;
  let longest: NamedThing | undefined;
  let most = 0;
  for (const candidates of [byWord.get(token.stem), byStart.get(token.word.slice(0, START_LETTERS))]) {
    for (const { id, words } of candidates ?? []) {
      const end = words.length > most ? endOf(tokens, first, words) : undefined;
      if (end !== undefined) [longest, most] = [{ id, first, end }, words.length];
    }
  }
  return longest;
}

function endOf(tokens: readonly Token[], first: number, words: readonly string[]): number | undefined {
  let index = first;
  for (const [place, word] of words.entries()) {
    const reach = place === 0 ? index : index + MAX_GAP;
    while (index <= reach && !isWord(tokens[index], word)) {
      if (tokens[index]?.kind === 'mark' && tokens[index]?.word !== '-') return undefined;
      index += 1;
    }
    if (index > reach || tokens[index] === undefined) return undefined;
    index += 1;
  }
  return index;
}

function isWord(token: Token | undefined, pattern: string): boolean {
  if (token === undefined) return false;
  return pattern.endsWith('*') ? token.word.startsWith(pattern.slice(0, -1)) : token.stem === pattern;
}
