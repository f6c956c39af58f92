import { describe, expect, it } from '@jest/globals';
import { scanText } from '../../src/clinical-text/tokens/scan.ts';
import { readTokens } from '../../src/clinical-text/tokens/tokens.ts';
import { readWordTokens } from '../../src/clinical-text/tokens/word-tokens.ts';
import { fc } from '../support/fast-check.ts';

/** Texts of letters, digits and marks as notes have them. */
const NOTE = fc
  .array(
    fc.constantFrom(..."aBéñç ªº\u0301.,;:-/%°½0123 \n’'?!()".split(''), 'HbA1c', 'SpO2', 'b.i.d.', '38,5ºC', 'Tª'),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(''));

describe('The scanner of clinical text', () => {
  it('cuts letters, digits and marks, and the ordinals of Tª and ºC are marks', () => {
    expect(scanText("Tª 38,5ºC, doesn't").map(({ text }) => text)).toEqual([
      'T',
      'ª',
      '38',
      ',',
      '5',
      'º',
      'C',
      ',',
      "doesn't",
    ]);
  });

  it('loses no letter and no digit, and its pieces are in order and as written', () => {
    fc.assert(
      fc.property(NOTE, (text) => {
        const pieces = scanText(text);
        expect(pieces.every(({ text: piece, from, to }) => text.slice(from, to) === piece)).toBe(true);
        expect(pieces.every(({ from }, at) => from >= (pieces[at - 1]?.to ?? 0))).toBe(true);
        const plain = (all: string) => all.replace(/[^\p{L}\d]|[ªº]/gu, '');
        expect(plain(pieces.map((piece) => piece.text).join(''))).toBe(plain(text));
      }),
    );
  });

  it('gives both readers their words: each word of the one begins or goes on within a word of the other', () => {
    fc.assert(
      fc.property(NOTE, (text) => {
        const covered = (spans: readonly { from: number; to: number }[]) =>
          [...text].map((_, at) => spans.some(({ from, to }) => at >= from && at < to));
        const check = covered(readTokens(text).filter(({ kind }) => kind !== 'mark'));
        const rules = covered(readWordTokens(text).map(({ start, end }) => ({ from: start, to: end })));
        const isLetter = (at: number) => /[\p{L}\d]/u.test(text[at] ?? '') && !/[ªº]/.test(text[at] ?? '');
        expect(check.filter((_, at) => isLetter(at))).toEqual(rules.filter((_, at) => isLetter(at)));
      }),
    );
  });
});
