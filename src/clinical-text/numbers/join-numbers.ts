// Joins the words of a spoken number into one word of a history: "a hundred and two", "thirty-eight point five", "one sixty over one
// ten", "ochenta y cuatro". A word up to twelve stays a word if it is alone: "one eye", "two children".
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { RawWord } from '../tokens/raw-word.ts';
import { type Cardinal, readCardinal, type WordRow } from './cardinals.ts';
import { type NumberWords, numbersIn } from './number-words.ts';

const ENGLISH = underThousand('en');
const SPOKEN_IN = LANGUAGES.map(underThousand);
const BEGINNINGS: ReadonlySet<string> = new Set(['a', ...SPOKEN_IN.flatMap(({ words }) => [...words.keys()])]);
const SMALLEST_ALONE = 13;

export function joinNumbers(text: string, words: readonly RawWord[]): RawWord[] {
  const row: WordRow = {
    wordAt: (index) => words[index]?.text,
    goesOnAt: (index) => (isNear(text, words, index) ? index : undefined),
  };
  const joined: RawWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const spoken = BEGINNINGS.has(word.text) ? readSpoken(row, at) : undefined;
    const last = spoken === undefined ? undefined : words[spoken.end - 1];
    if (spoken === undefined || last === undefined) {
      joined.push(word);
      continue;
    }
    const isAlone = spoken.end === at + 1;
    joined.push({ ...word, text: isAlone ? word.text : String(spoken.value), end: last.end, number: spoken.value });
    at = spoken.end - 1;
  }
  return joined;
}

/** Thousands are left out: in a history they count money or name a year, and are hardly ever a value of the patient. */
function underThousand(language: Language): NumberWords {
  const numbers = numbersIn(language);
  return { ...numbers, words: new Map([...numbers.words].filter(([, { kind }]) => kind !== 'thousand')) };
}

/** Returns the longest reading in any of the languages. */
function readSpoken(row: WordRow, at: number): Cardinal | undefined {
  const first = row.wordAt(at) === 'a' ? beforeHundred(row, at) : at;
  if (first === undefined) return undefined;
  const readings = SPOKEN_IN.flatMap((language) => readCardinal(row, first, language) ?? []);
  const [longest] = readings.toSorted((a, b) => b.end - a.end);
  if (longest === undefined) return undefined;
  const whole = hundredsAlone(row, longest) ?? longest;
  const tenth = row.wordAt(row.goesOnAt(whole.end) ?? -1) === 'point' ? digitAt(row, whole.end + 1) : undefined;
  if (tenth !== undefined) return { value: Number(`${whole.value}.${tenth}`), end: whole.end + 2 };
  const isNumber = whole.value >= SMALLEST_ALONE && !(whole.end === first + 1 && isRoundAlone(row, first));
  return isNumber ? whole : undefined;
}

/** A round number alone is rarely a value: "noventa por ciento", "cien veces". */
function isRoundAlone(row: WordRow, at: number): boolean {
  const word = row.wordAt(at) ?? '';
  return word !== 'hundred' && SPOKEN_IN.some(({ words }) => (words.get(word)?.value ?? 0) >= 100);
}

/** Returns the place of "hundred" in "a hundred". */
function beforeHundred(row: WordRow, at: number): number | undefined {
  return row.goesOnAt(at + 1) !== undefined && row.wordAt(at + 1) === 'hundred' ? at + 1 : undefined;
}

/** Reads "one sixty" and "one oh five". */
function hundredsAlone(row: WordRow, { value, end }: Cardinal): Cardinal | undefined {
  if ((value !== 1 && value !== 2) || row.goesOnAt(end) === undefined) return undefined;
  if (row.wordAt(end) === 'oh') {
    const unit = digitAt(row, end + 1);
    return unit === undefined ? undefined : { value: value * 100 + unit, end: end + 2 };
  }
  const rest = readCardinal(row, end, ENGLISH);
  return rest !== undefined && rest.value >= 10 && rest.value < 100
    ? { value: value * 100 + rest.value, end: rest.end }
    : undefined;
}

function digitAt(row: WordRow, at: number): number | undefined {
  const word = row.goesOnAt(at) === undefined ? undefined : ENGLISH.words.get(row.wordAt(at) ?? '');
  return word?.kind === 'digit' && word.value > 0 ? word.value : undefined;
}

/** True if only a blank or a hyphen is before the word. */
function isNear(text: string, words: readonly RawWord[], at: number): boolean {
  const between = text.slice(words[at - 1]?.end ?? 0, words[at]?.start ?? 0);
  return words[at] !== undefined && (between === ' ' || between === '-');
}
