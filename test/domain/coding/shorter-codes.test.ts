import { describe, expect, it } from '@jest/globals';
import { shorterCodes } from '../../../src/domain/coding/shorter-codes.ts';

describe('The codes above a code', () => {
  it.each([
    ['J45.901', 'icd-10', ['J45.9', 'J45']],
    ['S21.90XA', 'icd-10', ['S21.9', 'S21']],
    ['R05.8', 'icd-10', ['R05']],
    ['T68.XXXA', 'icd-10', ['T68.X', 'T68']],
    ['J45.901', 'cie-10-es', ['J45.90', 'J45.9', 'J45']],
    ['G20.A1', 'cie-10-es', ['G20.A', 'G20']],
    ['I10', 'icd-10', []],
    ['', 'icd-10', []],
    // A code that ICD-10-CM does not have is no code: it is the edition of the reasoner.
    ['J45.905', 'icd-10-cm', []],
    ['J45.901', undefined, []],
  ] as const)('of %s for %s are %j', (code, system, shorter) => {
    expect(shorterCodes(code, system)).toEqual(shorter);
  });

  it.each([
    ['without bleeding', 'I85.00', ['I85']],
    ['without bleeding', 'K29.00', ['K29']],
    ['without coma', 'E11.00', ['E11']],
    ['with a part of the body instead of a stage', 'L89.019', ['L89']],
    ['with hypoxaemia', 'R09.02', ['R09']],
    ['with severe sepsis', 'R65.20', ['R65']],
    ['with suspected abuse', 'T76.12XA', []],
  ] as const)('leave out at the WHO what means something else there: %s (%s)', (_what, code, shorter) => {
    expect(shorterCodes(code, 'icd-10')).toEqual(shorter);
  });
});
