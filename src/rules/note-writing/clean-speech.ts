// Cleans one spoken sentence: hesitations, false starts and corrected words are removed; no word is changed or added. If a correction is
// ambiguous, the whole sentence stays.

import { foldWord } from '../../clinical-text/fold.ts';
import { readTokens, type Token } from '../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';
import { makeTakeCorrections } from './take-corrections.ts';
import { makeFamilies } from './word-families.ts';

export type CleanSpeech = (sentence: string) => string;

const MIN_FRAGMENT = 2;

export function makeCleanSpeech(
  { speech, words }: Pick<CueFiles, 'speech' | 'words'>,
  language: Language,
): CleanSpeech {
  const hesitations = new Set(speech.hesitations[language].map(plain));
  const repeats = new Set(speech.repeats[language].map(plain));
  const openers = new Set(speech.openers[language].map(foldAll));
  const asides = new Set(speech.asides[language].map(foldAll));
  const families = makeFamilies(Object.entries(words).map(([name, lists]) => [name, lists[language]]));
  const takeCorrections = makeTakeCorrections({ speech, families, language });
  return (sentence) => {
    let text = sentence;
    for (const step of [dropHesitations, dropFragments, dropRepeats, takeCorrections, dropAsides, dropOpeners]) {
      text = cut(text, step);
    }
    return finish(text);
  };

  /** Behind a number nothing is removed: `5 mm` is a measure. */
  function dropHesitations(tokens: readonly Token[], text: string): readonly number[] {
    return tokens.flatMap(({ kind, from, to }, index) => {
      if (kind !== 'word' || !hesitations.has(plain(text.slice(from, to))) || tokens[index - 1]?.kind === 'number')
        return [];
      return [index, ...trailingMarks(tokens, index)];
    });
  }

  /** Removes the beginning of a repeated word: `Ena... enalapril`, `chest- chest pain`. */
  function dropFragments(tokens: readonly Token[]): readonly number[] {
    return tokens.flatMap(({ word, kind }, index) => {
      const marks = trailingMarks(tokens, index, /^[.-]$/);
      const next = tokens[index + marks.length + 1];
      const isBroken = marks.length > (tokens[index + 1]?.word === '-' ? 0 : 2);
      if (kind !== 'word' || !isBroken || word.length < MIN_FRAGMENT || next?.kind !== 'word') return [];
      return next.word.startsWith(word) && next.word !== word && !next.isGlued ? [index, ...marks] : [];
    });
  }

  function dropRepeats(tokens: readonly Token[], text: string): readonly number[] {
    const spelling = (token: Token | undefined) => token && plain(text.slice(token.from, token.to));
    return tokens.flatMap((token, index) => {
      const marks = trailingMarks(tokens, index, /^[,.]$/);
      const word = spelling(token) ?? '';
      const isTwice = token.kind === 'word' && repeats.has(word) && spelling(tokens[index + marks.length + 1]) === word;
      return isTwice ? [index, ...marks] : [];
    });
  }

  function dropAsides(tokens: readonly Token[]): readonly number[] {
    const dropped: number[] = [];
    for (let index = 1; index < tokens.length; index += 1) {
      if (tokens[index - 1]?.word !== ',') continue;
      const length = [1, 2].find(
        (size) => asides.has(joined(tokens, index, size)) && tokens[index + size]?.word === ',',
      );
      if (length) dropped.push(...Array.from({ length: length + 1 }, (_, step) => index + step - 1));
    }
    return dropped;
  }

  function dropOpeners(tokens: readonly Token[]): readonly number[] {
    const dropped: number[] = [];
    for (let start = 0; ; ) {
      const length = [3, 2, 1].find(
        (size) => openers.has(joined(tokens, start, size)) && tokens[start + size]?.word === ',',
      );
      if (!length) return dropped;
      dropped.push(...Array.from({ length: length + 1 }, (_, step) => start + step));
      start += length + 1;
    }
  }
}

/** Keeps the accents: `hã` is a hesitation, `há` is not. */
function plain(word: string): string {
  return word.toLowerCase().normalize('NFC');
}

function foldAll(phrase: string): string {
  return phrase.split(/\s+/).map(foldWord).join(' ');
}

function joined(tokens: readonly Token[], first: number, size: number): string {
  const words = tokens.slice(first, first + size);
  return words.length === size && words.every(({ kind }) => kind === 'word')
    ? words.map(({ word }) => word).join(' ')
    : '';
}

/** Returns at most three marks: more points of a row mean nothing. */
function trailingMarks(tokens: readonly Token[], index: number, marks = /^[,.-]$/): readonly number[] {
  const found: number[] = [];
  for (let next = index + 1; found.length < 3 && marks.test(tokens[next]?.word ?? ''); next += 1) {
    // The last mark of the sentence stays.
    if (next === tokens.length - 1) break;
    found.push(next);
  }
  return found;
}

/** Returns the text without the chosen tokens. */
function cut(text: string, choose: (tokens: readonly Token[], text: string) => readonly number[]): string {
  const tokens = readTokens(text);
  const dropped = new Set(choose(tokens, text));
  if (dropped.size === 0) return text;
  let [rest, from] = ['', 0];
  for (const index of [...dropped].toSorted((a, b) => a - b)) {
    const token = tokens[index];
    if (token === undefined) continue;
    rest += `${text.slice(from, token.from)} `;
    from = token.to;
  }
  return rest + text.slice(from);
}

function finish(text: string): string {
  const tidy = text
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;:?!])/g, '')
    .replace(/,(?:\s?,)+/g, ',')
    .replace(/^[\s,.;:\-–—]+/, '')
    .replace(/[\s,;:\-–—]{1,20}$/, '');
  if (!/[\p{L}\p{N}]/u.test(tidy)) return '';
  const first = /^[¿¡"“«]?./u.exec(tidy)?.[0] ?? '';
  const capital = first.toUpperCase() + tidy.slice(first.length);
  return /[.!?…]["”»)]?$/.test(capital) ? capital : `${capital}.`;
}
