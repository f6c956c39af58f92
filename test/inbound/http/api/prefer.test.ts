import { describe, expect, it } from '@jest/globals';
import { preferenceOf } from '../../../../src/inbound/http/api/prefer.ts';

describe('the Prefer header', () => {
  it.each([
    'include=check',
    'Include=check',
    'include="check"',
    'include = check',
    'respond-async, wait=10, include=check',
    'include=check; for=me; x="a, b"',
    'lenient="a, include=no"; y, include="c\\heck"',
    'include=check, include=other',
    ' , ,include=check,',
  ])('the value of include is check in: %s', (header) => {
    expect(preferenceOf(header, 'include')).toBe('check');
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['respond-async', undefined],
    ['return="include=check"', undefined],
    ['return=minimal; include=check', undefined],
    ['xinclude=check', undefined],
    ['include', ''],
    ['include=""', ''],
    ['include=other, include=check', 'other'],
    ['include=checks', 'checks'],
    ['include=CHECK', 'CHECK'],
    ['include="check', ''],
  ])('of the header %j the value is %j', (header, value) => {
    expect(preferenceOf(header, 'include')).toBe(value);
  });

  it('a very long header is not read', () => {
    expect(preferenceOf(`${'"\\'.repeat(8000)}, include=check`, 'include')).toBeUndefined();
  });
});
