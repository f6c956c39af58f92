// Splits a folded dosage into numbers, words and marks. Numbers in words count as numbers.
import { numbersIn } from '../../clinical-text/numbers/number-words.ts';
import { LANGUAGES } from '../language.ts';
import { TIME_UNITS, WORDS_BEHIND_NUMBERS } from './dosage-words.ts';

export type Token = {
  readonly word: string;
  /** Only of numbers, in digits or in words. */
  readonly value?: number;
  /** No space before it. */
  readonly isAttached: boolean;
};

const TOKEN =
  /(\d+(?:[.,' \u00a0]\d+)*)|([a-zµμ]+(?:\.[a-z]+)+\.?|[mo]2|[a-zµμ]+(?:-[a-z]+)*|%|['’](?![a-z]))|[^\s\w]/g;
const MULTIPLIERS: Readonly<Record<string, number>> = {
  hundred: 100,
  cien: 100,
  ciento: 100,
  cem: 100,
  cento: 100,
  thousand: 1000,
  mil: 1000,
  million: 1_000_000,
  millions: 1_000_000,
  millon: 1_000_000,
  millones: 1_000_000,
  milhao: 1_000_000,
  milhoes: 1_000_000,
};
/** Articles as well as numbers. */
const ARTICLES = new Set(['a', 'an', 'un', 'una', 'um', 'uma', 'uno', 'one']);

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap((language) =>
    Array.from(numbersIn(language).words, ([word, { value }]) => [word, value] as const),
  ).filter(([word]) => !TIME_UNITS.has(word) && !WORDS_BEHIND_NUMBERS.has(word)),
);

export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const isAttached = match.index === end && match.index > 0;
    end = match.index + match[0].length;
    const word = match[0].replace(/(?<=[a-z])\./g, '').replace('’', "'");
    const value = match[1] === undefined ? wordValue(word) : numberOf(match[1]);
    const multiplier = MULTIPLIERS[word];
    const last = tokens.at(-1);
    if (multiplier !== undefined && last?.value !== undefined) {
      tokens[tokens.length - 1] = { ...last, value: last.value * multiplier };
    } else tokens.push({ word, isAttached, ...(value !== undefined && { value }) });
  }
  return tokens;
}

function wordValue(word: string): number | undefined {
  return ARTICLES.has(word) ? undefined : (NUMBER_WORDS.get(word) ?? MULTIPLIERS[word]);
}

/** `1,000`, `2.500` and `50 000` are thousands; `0.125`, `3.375` and `2,5` are not. */
function numberOf(digits: string): number {
  const isGrouped = /^[1-9]\d{0,2}(?:[' \u00a0]\d{3}|[.,]\d00|[.,]\d{3}(?=[.,]\d{3})|(?<=[.,]\d{3})[.,]\d{3})+$/.test(
    digits,
  );
  if (isGrouped) return Number(digits.replace(/\D/g, ''));
  return Number.parseFloat(digits.replace(/[ '\u00a0].*$/, '').replace(',', '.'));
}

const RANGE = new Set([
  '-',
  '–',
  '—',
  '/',
  'to',
  'or',
  'a',
  'o',
  'ou',
  'y',
  'e',
  'and',
  'x',
  '×',
  ':',
  '+',
  'hasta',
  'ate',
  'then',
]);

/** The place of the unit: behind the last number of `1-2`, `500/125`, `500 to 1000`. */
export function skipRange(tokens: readonly Token[], index: number): number {
  let at = index + 1;
  while (isConnector(tokens[at]) && tokens[at + 1]?.value !== undefined) at += 2;
  return tokens[at]?.word === '-' && tokens[at + 1] !== undefined ? at + 1 : at;
}

/** `1e6` is no range. */
function isConnector(token: Token | undefined): boolean {
  return token !== undefined && RANGE.has(token.word) && !(token.isAttached && /[a-wyz]/.test(token.word));
}
