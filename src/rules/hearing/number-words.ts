// Numbers that are spoken: "a hundred and two", "thirty-eight point five", "one sixty over one ten", "ochenta y cuatro", "oitenta e
// quatro". Up to twelve a word alone stays a word: "one eye", "two children".
import type { Word } from './tokens.ts';

const UNITS = numbered('one two three four five six seven eight nine', 1);
const TEENS = new Map([
  ...numbered('ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', 10),
  ...numbered('trece catorce quince dieciseis diecisiete dieciocho diecinueve', 13),
  ...numbered(
    'veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve',
    21,
  ),
  ...numbered('treze quatorze quinze dezesseis dezessete dezoito dezenove', 13),
  ...numbered('dezasseis dezassete', 16),
  ...numbered('dezanove', 19),
]);
const TENS = numbered('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10);
const TENS_ES = numbered('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa', 20, 10);
const TENS_PT = numbered('vinte trinta quarenta cinquenta sessenta setenta oitenta noventa', 20, 10);
const UNITS_ES = new Map([...numbered('uno dos tres cuatro cinco seis siete ocho nueve', 1), ['un', 1], ['una', 1]]);
const UNITS_PT = new Map([...numbered('um dois tres quatro cinco seis sete oito nove', 1), ['uma', 1], ['duas', 2]]);
const SMALLEST_ALONE = 13;

/** `to`: behind its last word. */
type Spoken = { readonly number: number; readonly to: number };

export function joinNumbers(text: string, words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const spoken = readSpoken(text, words, at);
    const last = spoken === undefined ? undefined : words[spoken.to - 1];
    if (spoken === undefined || last === undefined) {
      joined.push(word);
      continue;
    }
    const isAlone = spoken.to === at + 1;
    joined.push({
      text: isAlone ? word.text : String(spoken.number),
      start: word.start,
      end: last.end,
      number: spoken.number,
    });
    at = spoken.to - 1;
  }
  return joined;
}

function readSpoken(text: string, words: readonly Word[], at: number): Spoken | undefined {
  const whole = hundreds(text, words, at) ?? underHundred(text, words, at);
  const unit = UNITS.get(words[at]?.text ?? '');
  const start = whole ?? (unit === undefined ? undefined : { number: unit, to: at + 1 });
  if (start === undefined) return undefined;
  const tenth = next(text, words, start.to, 'point') ? UNITS.get(words[start.to + 1]?.text ?? '') : undefined;
  if (tenth !== undefined && isNear(text, words, start.to + 1))
    return { number: Number(`${start.number}.${tenth}`), to: start.to + 2 };
  return whole !== undefined && whole.number >= SMALLEST_ALONE ? whole : undefined;
}

/** "A hundred and two", "two hundred", "one sixty", "one oh five". */
function hundreds(text: string, words: readonly Word[], at: number): Spoken | undefined {
  const first = words[at]?.text ?? '';
  const isHundred = first === 'hundred';
  const count = first === 'a' || isHundred ? 1 : UNITS.get(first);
  const to = isHundred ? at + 1 : at + 2;
  if (count === undefined) return undefined;
  if (isHundred || next(text, words, at + 1, 'hundred')) {
    const from = next(text, words, to, 'and') ? to + 1 : to;
    const rest = isNear(text, words, from) ? (underHundred(text, words, from) ?? oneUnit(words, from)) : undefined;
    return rest === undefined ? { number: count * 100, to } : { number: count * 100 + rest.number, to: rest.to };
  }
  if ((first !== 'one' && first !== 'two') || !isNear(text, words, at + 1)) return undefined;
  const isOh = words[at + 1]?.text === 'oh' && isNear(text, words, at + 2);
  const rest = isOh ? oneUnit(words, at + 2) : underHundred(text, words, at + 1);
  return rest === undefined ? undefined : { number: count * 100 + rest.number, to: rest.to };
}

function underHundred(text: string, words: readonly Word[], at: number): Spoken | undefined {
  const word = words[at]?.text ?? '';
  const teen = TEENS.get(word);
  if (teen !== undefined) return { number: teen, to: at + 1 };
  const tens = TENS.get(word);
  if (tens === undefined) return tensAndUnit(text, words, at);
  const unit = isNear(text, words, at + 1) ? UNITS.get(words[at + 1]?.text ?? '') : undefined;
  return unit === undefined ? { number: tens, to: at + 1 } : { number: tens + unit, to: at + 2 };
}

/** "Ochenta y cuatro", "oitenta e quatro". */
function tensAndUnit(text: string, words: readonly Word[], at: number): Spoken | undefined {
  const word = words[at]?.text ?? '';
  const tens = TENS_ES.get(word) ?? TENS_PT.get(word);
  if (tens === undefined) return undefined;
  const unitsBehind = next(text, words, at + 1, 'y') ? UNITS_ES : next(text, words, at + 1, 'e') ? UNITS_PT : undefined;
  const unit = isNear(text, words, at + 2) ? unitsBehind?.get(words[at + 2]?.text ?? '') : undefined;
  return unit === undefined ? { number: tens, to: at + 1 } : { number: tens + unit, to: at + 3 };
}

function oneUnit(words: readonly Word[], at: number): Spoken | undefined {
  const unit = UNITS.get(words[at]?.text ?? '');
  return unit === undefined ? undefined : { number: unit, to: at + 1 };
}

function next(text: string, words: readonly Word[], at: number, word: string): boolean {
  return words[at]?.text === word && isNear(text, words, at);
}

/** Only a blank or a hyphen before it. */
function isNear(text: string, words: readonly Word[], at: number): boolean {
  const between = text.slice(words[at - 1]?.end ?? 0, words[at]?.start ?? 0);
  return words[at] !== undefined && (between === ' ' || between === '-');
}

function numbered(list: string, from: number, step = 1): ReadonlyMap<string, number> {
  return new Map(list.split(' ').map((word, at) => [word, from + at * step]));
}
