import { describe, expect, it } from '@jest/globals';
import { readWordTokens } from '../../src/clinical-text/tokens/word-tokens.ts';

function wordsOf(text: string): string {
  return readWordTokens(text)
    .map((token) => token.text)
    .join(' ');
}

describe('A history as words and numbers', () => {
  it.each([
    ['T 38,5ºC', 't 38,5 c'],
    ['58yo', '58 yo'],
    ['c/o N/V and D+V', 'c/o n/v and d/v'],
    ['s/ febre c/ tosse', 's/ febre c/ tosse'],
    ["doesn't can’t", 'doesnt cant'],
    ['Niña coração', 'nina coracao'],
    ['and/or fever/cough', 'and or fever cough'],
    ['IG 8sem com dor', 'ig 8 semanas com dor'],
    ['há 2 sem tosse, 2x/sem, na sem. passada', 'ha 2 semanas tosse 2 x semanas na semanas passada'],
    ['FR 22 sem tiragem', 'fr 22 sem tiragem'],
    ['BHCG +, Murphy (+). Lasègue + à E', 'bhcg positivo murphy positivo lasegue positivo a e'],
    ['febre + tosse, edema 2+/4+', 'febre tosse edema 2 4'],
    ['dor no pé da barriga e no pé', 'dor no hipogastrio da barriga e no pe'],
    ['dor no peito do pé', 'dor no dorso do pe'],
  ])('"%s" is read as "%s"', (text, expected) => {
    expect(wordsOf(text)).toBe(expected);
  });

  it.each([
    ['blood pressure one sixty over one oh five', 'blood pressure 160 over 105'],
    ['thirty-eight point five', '38.5'],
    ['a hundred and two', '102'],
    ['ochenta y cuatro años', '84 anos'],
    ['presión ciento veinte con ochenta', 'presion 120 con ochenta'],
    ['glicose duzentos e cinquenta', 'glicose 250'],
    ['one eye, two children', 'one eye two children'],
    ['noventa por ciento', 'noventa por ciento'],
    ['dois mil reais, mil gracias', 'dois mil reais mil gracias'],
  ])('the spoken numbers of "%s" are joined: "%s"', (text, expected) => {
    expect(wordsOf(text)).toBe(expected);
  });

  it.each([
    ['ochenta', 80],
    ['catorze', 14],
    ['veintiún', 21],
    ['twelve', undefined],
    ['once', undefined],
    ['ciento', undefined],
  ])('the word "%s" alone is the number %s', (text, number) => {
    expect(readWordTokens(text)[0]?.number).toBe(number);
  });

  it.each([
    ['Fever. Cough', 2],
    ['Dr. Smith saw him', 1],
    ['abd. flácido', 1],
    ['T 38.5 and cough', 1],
    ['fever\ncough', 2],
    ['A line of a letter that was wrapped by a program at its margin\nand goes on', 1],
    ['fever.cough', 2],
    ['- fever\n- cough', 2],
    ['Fever! Cough? Rash', 3],
    ['?PE', 1],
  ])('"%s" has %i sentences', (text, count) => {
    expect(readWordTokens(text).filter(({ before }) => before === 3)).toHaveLength(count);
  });
});
