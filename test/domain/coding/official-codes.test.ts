// Codes of diseases beside the official list of their system.
import { describe, expect, it } from '@jest/globals';
import { listedSystem } from '../../../src/domain/coding/code-system.ts';
import { checkCodes, isUnknownCode, type OfficialCodes, tableFor } from '../../../src/domain/coding/official-codes.ts';
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
    const { codes, system, unmapped } = tableFor({ codes: CODES, table: TABLE, official: OFFICIAL });
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

/** The code that a mapping writes for this one; empty if it writes none. */
function writtenCode(code: string, table: CodeTable, official: OfficialCodes | undefined): string {
  if (isUnknownCode(code, table, official)) return '';
  return tableFor({ codes: [code], table, official }).codes[code]?.code ?? code;
}

describe('a code that is finer than the system of the site', () => {
  const WHO: CodeTable = {
    name: 'diagnosis',
    system: 'http://hl7.org/fhir/sid/icd-10',
    unmapped: 'keep',
    codes: { 'J45.9': { code: 'J45.9', display: 'Asthma, unspecified' }, R05: { code: 'R05', display: 'Cough' } },
  };
  const LIST: OfficialCodes = { system: 'icd-10', version: '2019', displays: { 'J45.9': 'Asthma', I48: 'Flutter' } };

  it.each([
    ['J45.901', undefined, 'J45.9'],
    ['R05.8', undefined, 'R05'],
    ['J45.9', undefined, 'J45.9'],
    ['I48.91', undefined, 'I48.91'],
    ['J45.901', LIST, 'J45.9'],
    ['I48.91', LIST, 'I48'],
    ['K35.80', LIST, ''],
  ] as const)(
    '%s is written as the code above it that the WHO is known to have, or not at all',
    (code, list, written) => {
      expect(writtenCode(code, WHO, list)).toBe(written);
    },
  );

  it('has the name of the code above it, from the list before the table', () => {
    const [inTable, inList] = [undefined, LIST].map((official) =>
      tableFor({ codes: ['J45.901'], table: WHO, official }),
    );
    expect(inTable?.codes['J45.901']).toEqual({ code: 'J45.9', display: 'Asthma, unspecified' });
    expect(inList?.codes['J45.901']).toEqual({ code: 'J45.9', display: 'Asthma', version: '2019' });
  });

  it('is counted as official by the code that is written', () => {
    const codes = ['J45.901', 'I48.91'];
    expect(checkCodes({ codes, table: WHO, official: undefined })).toEqual({ official: 1, unverified: 1, unknown: 0 });
    expect(checkCodes({ codes, table: WHO, official: LIST })).toMatchObject({ official: 2, unknown: 0 });
  });

  it('stays in a national edition without a list, of which the shipped table is a small part', () => {
    for (const edition of ['icd-10-cm', 'icd-10-es']) {
      const table = { ...WHO, system: `http://hl7.org/fhir/sid/${edition}` };
      expect(writtenCode('J45.901', table, undefined)).toBe('J45.901');
    }
  });

  it('becomes the code above it in CIE-10-ES if its list does not have it, and is left out of ICD-10-CM', () => {
    const displays = { 'J45.90': 'Asma no especificada', 'J45.9': 'Otros tipos de asma' };
    expect(writtenCode('J45.901', WHO, { system: 'cie-10-es', version: '2026', displays })).toBe('J45.90');
    expect(writtenCode('J45.901', WHO, { system: 'icd-10-cm', version: '2026', displays })).toBe('');
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
