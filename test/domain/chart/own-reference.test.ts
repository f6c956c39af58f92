import { describe, expect, it } from '@jest/globals';
import { ownReference } from '../../../src/domain/chart/own-reference.ts';

const BASE = 'https://ehr.example.org/fhir/R4';
const own = (reference: unknown, baseUrl: string | undefined = BASE) => ownReference({ reference }, baseUrl);

describe('a reference to a resource of this EHR', () => {
  it('is relative, or absolute below its own address', () => {
    expect(own('Patient/1')).toBe('Patient/1');
    expect(own('Patient/1/_history/3')).toBe('Patient/1');
    expect(own('Patient/1.2..3')).toBe('Patient/1.2..3');
    expect(own(`${BASE}/Patient/1`)).toBe('Patient/1');
    expect(own(`${BASE}/Patient/1/_history/2`, `${BASE}/`)).toBe('Patient/1');
    expect(own('https://EHR.example.org:443/fhir/R4/Patient/1')).toBe('Patient/1');
  });

  it('another server’s patient of the same id is another person', () => {
    const others = [
      'https://other.example.org/fhir/R4/Patient/1',
      'https://ehr.example.org/fhir/R4x/Patient/1',
      'https://ehr.example.org.evil.example/fhir/R4/Patient/1',
      'http://ehr.example.org/fhir/R4/Patient/1',
      `${BASE}/other/Patient/1`,
      `${BASE}/Patient/1?x=y`,
    ];
    for (const other of others) expect(own(other)).toBeUndefined();
    expect(ownReference({ reference: `${BASE}/Patient/1` }, undefined)).toBeUndefined();
  });

  it('anything else is no reference', () => {
    for (const text of [
      '#p',
      'urn:uuid:1',
      'Patient',
      'Patient/',
      'Patient/1/2',
      'Patient/a b',
      'Patient/.',
      'Patient/..',
      '',
      7,
      undefined,
    ]) {
      expect(own(text)).toBeUndefined();
    }
    expect(ownReference('Patient/1', BASE)).toBeUndefined();
    expect(ownReference({ identifier: { value: '1' } }, BASE)).toBeUndefined();
  });
});
