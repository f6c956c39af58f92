import { describe, expect, it } from '@jest/globals';
import { cleanText, cleanTexts } from '../../src/domain/clean-text.ts';

describe('text from outside', () => {
  it.each([
    ['control characters go', 'a\u0000b\u0008c\u001fd\u007fe\u0085f', 'abcdef'],
    ['tabs and line ends stay, and every line ends alike', 'a\tb\r\nc\rd\ne', 'a\tb\nc\nd\ne'],
    ['half a character becomes a mark that there was one', 'a\ud800b', 'a\ufffdb'],
    ['what would turn a dose around goes', 'take \u202e05\u202c mg \u2066x\u2069', 'take 05 mg x'],
    ['every line ends alike, and every space is one that FHIR knows', 'a\u2028b\u00a0c\u3000d', 'a\nb c d'],
    ['accents, emoji and right-to-left words stay', 'años ção 🙂 שלום', 'años ção 🙂 שלום'],
    ['markup stays as it is: it is text', '<b>& ]]>', '<b>& ]]>'],
  ])('%s', (_, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it('it is cleaned everywhere in a value, and nothing else changes', () => {
    const given = { a: ['x\u0000', 1, null, { b: '\u0007y' }], c: false };
    expect(cleanTexts(given)).toEqual({ a: ['x', 1, null, { b: 'y' }], c: false });
  });

  it('a megabyte is cleaned', () => {
    expect(cleanText('a\u0000'.repeat(500_000))).toBe('a'.repeat(500_000));
  });
});
