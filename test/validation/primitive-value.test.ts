import { describe, expect, it } from '@jest/globals';
import { primitiveProblem } from '../../src/validation/primitive-value.ts';

describe('values of FHIR’s primitive types', () => {
  it.each<readonly [type: string, good: readonly unknown[], bad: readonly unknown[]]>([
    ['boolean', [true, false], ['true', 1, 0]],
    ['integer', [0, -5, 2_147_483_647], [1.5, 2_147_483_648, '1', true]],
    ['unsignedInt', [0, 1], [-1]],
    ['positiveInt', [1], [0]],
    ['decimal', [0, -1.5, 1e-7], ['1', Number.NaN, Number.POSITIVE_INFINITY]],
    ['string', ['a', '\ta\r\nb', 'é😀'], ['', ' \n', 'a\u0007', 'a\u007f', 'a\u0085', '\ud800', 'a\uffff', 1]],
    ['markdown', ['# a\n\n* b'], ['', '\u0000']],
    ['code', ['a', 'a b'], ['a  b', ' a', 'a ', 'a\tb']],
    ['id', ['A-1.b', 'x'.repeat(64)], ['x'.repeat(65), 'a_b', 'a/b']],
    ['uri', ['urn:a', 'a/b'], ['a b']],
    ['url', ['https://example.org'], ['https://example.org/a b']],
    ['canonical', ['https://example.org/a|1'], ['a\nb']],
    ['oid', ['urn:oid:1.2.3'], ['1.2.3', 'urn:oid:3.1', 'urn:oid:1.02']],
    [
      'uuid',
      ['urn:uuid:c757873d-ec9a-4326-a141-556f43239520'],
      ['urn:uuid:C757873D-EC9A-4326-A141-556F43239520', 'c757873d'],
    ],
    ['base64Binary', ['QUJD', 'QUI=', 'QQ=='], ['QUJ', 'QUJ D', 'Q===', 'QU-_']],
    [
      'date',
      ['2026', '2026-01', '2026-01-31', '0001-01-01'],
      ['26', '0000', '2026-13', '2026-1-1', '2026-01-31T00:00:00Z', '31.1.2026'],
    ],
    [
      'dateTime',
      ['2026', '2026-01-31', '2026-01-31T23:59:59Z', '2026-01-31T09:30:00.123456+05:30'],
      [
        '2026-01-31T09:30:00',
        '2026-01-31T09:30Z',
        '2026-01-31 09:30:00Z',
        '2026-01-31T24:00:00Z',
        '2026-01-31T09:30:00+15:00',
        '2026-01Z',
      ],
    ],
    ['instant', ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.5-06:00'], ['2026-01-31', '2026-01-31T09:30:00']],
    ['time', ['09:30:00', '09:30:00.5'], ['09:30', '9:30:00', '24:00:00', '09:30:00Z']],
  ])('%s', (type, good, bad) => {
    expect(good.filter((value) => primitiveProblem(type, value) !== undefined)).toEqual([]);
    expect(bad.filter((value) => primitiveProblem(type, value) === undefined)).toEqual([]);
  });

  it.each([
    ['2024-02-29', undefined],
    ['2000-02-29', undefined],
    ['1900-02-29', 'is a date that no calendar has'],
    ['2026-02-29', 'is a date that no calendar has'],
    ['2026-04-31', 'is a date that no calendar has'],
    ['0099-02-29', 'is a date that no calendar has'],
    ['0096-02-29', undefined],
  ])('the day %s', (date, problem) => {
    expect(primitiveProblem('date', date)).toBe(problem);
    expect(primitiveProblem('dateTime', `${date}T00:00:00Z`)).toBe(problem);
  });
});
