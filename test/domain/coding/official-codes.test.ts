// Codes of diseases beside the official list of their system.
import { describe, expect, it } from '@jest/globals';
import { listedSystem } from '../../../src/domain/coding/code-system.ts';
import {
  checkCodes,
  isUnknownCode,
  type OfficialCodes,
  withOfficialCodes,
} from '../../../src/domain/coding/official-codes.ts';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';

const CM = 'http://hl7.org/fhir/sid/icd-10-cm';
const TABLE: CodeTable = {
  name: 'diagnosis',
  system: CM,
  unmapped: 'keep',
  codes: {
    I10: { code: 'I10', display: 'Essential (primary) hypertension' },
    R69: {},
    'Z99.9': { code: 'local-1', system: 'urn:local', display: 'A local name' },
  },
};
const OFFICIAL: OfficialCodes = {
  system: 'icd-10-cm',
  version: '2026',
  displays: {
    I10: 'Essential (primary) hypertension, 2026',
    'J18.9': 'Pneumonia, unspecified organism',
    R69: 'Illness, unspecified',
  },
};
const CODES = ['I10', 'J18.9', 'X99.9', 'R69', 'Z99.9', 'I10'];

describe('the codes of a diagnosis', () => {
  it('are official or unverified by the table of the site where no list is imported', () => {
    expect(checkCodes({ codes: CODES, table: TABLE, official: undefined })).toEqual({
      official: 3,
      unverified: 2,
      unknown: 0,
    });
  });

  it('are official or unknown by the list where one is imported; what the site maps to its own codes stays', () => {
    expect(checkCodes({ codes: CODES, table: TABLE, official: OFFICIAL })).toEqual({
      list: { system: 'icd-10-cm', version: '2026' },
      official: 4,
      unverified: 0,
      unknown: 1,
    });
    expect(CODES.filter((code) => isUnknownCode(code, TABLE, OFFICIAL))).toEqual(['X99.9']);
    expect(CODES.filter((code) => isUnknownCode(code, TABLE, undefined))).toEqual([]);
  });

  it('are not counted for a site that writes none', () => {
    const none = { ...TABLE, unmapped: 'ignore' } as const;
    expect(checkCodes({ codes: CODES, table: none, official: undefined })).toBeUndefined();
    expect(checkCodes({ codes: CODES, table: undefined, official: OFFICIAL })).toBeUndefined();
  });

  it('get names and version from the list, before those of the table', () => {
    const { codes, system, unmapped } = withOfficialCodes(TABLE, OFFICIAL);
    expect({ system, unmapped, ...codes }).toEqual({
      system: CM,
      unmapped: 'keep',
      I10: { code: 'I10', display: 'Essential (primary) hypertension, 2026', version: '2026' },
      'J18.9': { code: 'J18.9', display: 'Pneumonia, unspecified organism', version: '2026' },
      R69: {},
      'Z99.9': { code: 'local-1', system: 'urn:local', display: 'A local name' },
    });
  });

  it('that have the name of a member of every object are no members of it', () => {
    const official = { ...OFFICIAL, displays: {} };
    for (const code of ['constructor', '__proto__', 'toString']) {
      expect(checkCodes({ codes: [code], table: TABLE, official })?.unknown).toBe(1);
      expect(checkCodes({ codes: [code], table: TABLE, official: undefined })?.unverified).toBe(1);
    }
  });
});

describe('the list of a site', () => {
  it.each([
    ['icd-10-cm', CM, 'icd-10-cm'],
    ['icd-10', 'http://hl7.org/fhir/sid/icd-10', 'icd-10'],
    ['icd-10', 'http://fhir.de/CodeSystem/bfarm/icd-10-gm', undefined],
    ['icd-10-es', 'http://hl7.org/fhir/sid/icd-10-es', 'cie-10-es'],
    ['icd-10-es', 'urn:oid:2.16.724.4.21.5.29', 'cie-10-es'],
    ['none', CM, undefined],
  ] as const)('for the table %s of %s is %s', (chosen, system, expected) => {
    expect(listedSystem({ table: { ...TABLE, system }, chosen })).toBe(expected);
  });
});
