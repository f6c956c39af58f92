import { describe, expect, it } from '@jest/globals';
import { isAllowedCallback, readCallbackOrigin } from '../../../src/domain/access/callback.ts';

const ORIGINS = ['https://clinic.example.org'];

describe('the address of a call-back', () => {
  it.each(['https://clinic.example.org', 'https://clinic.example.org/hooks?a=b', 'https://clinic.example.org:443/'])(
    '%s is allowed at its origin',
    (address) => {
      expect(isAllowedCallback(address, ORIGINS)).toBe(true);
      expect(isAllowedCallback(address, [])).toBe(false);
    },
  );

  it.each([
    'http://clinic.example.org/hooks',
    'https://clinic.example.org:8443/',
    'https://clinic.example.org.evil.example/',
    'https://clinic.example.org@evil.example/',
    'https://user:password@clinic.example.org/',
    'https://clinic.example.org\\@evil.example/',
    'https://clinic.example.org/ a',
    '//clinic.example.org/',
    'ftp://clinic.example.org/',
    `https://clinic.example.org/${'a'.repeat(2_000)}`,
  ])('%s is not allowed', (address) => {
    expect(isAllowedCallback(address, ORIGINS)).toBe(false);
  });
});

describe('an origin for call-backs', () => {
  it('is https, or plain http on this machine, without anything behind the port', () => {
    expect(readCallbackOrigin('https://Clinic.example.org/')).toBe('https://clinic.example.org');
    expect(readCallbackOrigin('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    for (const text of [
      'http://clinic.example.org',
      'https://clinic.example.org/a',
      'https://a:b@clinic.example.org',
      'x',
      '',
    ]) {
      expect(readCallbackOrigin(text)).toBeUndefined();
    }
  });
});
