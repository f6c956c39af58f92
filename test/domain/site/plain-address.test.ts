import { describe, expect, it } from '@jest/globals';
import { isUnencryptedRemote } from '../../../src/domain/site/plain-address.ts';

describe('an address', () => {
  it.each([
    ['https://ehr.example.org/fhir', false],
    ['http://127.0.0.1:8103/fhir', false],
    ['http://127.1.2.3/fhir', false],
    ['http://localhost/fhir', false],
    ['http://[::1]:8080/fhir', false],
    ['http://ehr.example.org/fhir', true],
    ['http://10.0.0.7/fhir', true],
    ['http://localhost.example.org/fhir', true],
    ['http://127.0.0.1.example.org/fhir', true],
    ['', false],
  ])('%s sends data without encryption to another machine: %s', (address, isOpen) => {
    expect(isUnencryptedRemote(address)).toBe(isOpen);
  });
});
