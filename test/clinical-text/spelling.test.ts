import { describe, expect, it } from '@jest/globals';
import { makeNearNames } from '../../src/clinical-text/spelling/near-names.ts';
import { isMisspelling } from '../../src/clinical-text/spelling/speller.ts';

describe('A slip of the pen', () => {
  it('a misspelling has one letter more, less or other, or two letters that changed places', () => {
    expect(['vomting', 'vommiting', 'vomitnig', 'vomiteng'].map((word) => isMisspelling(word, 'vomiting'))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['vomiting', 'vomtng', 'xomating', 'vomits'].map((word) => isMisspelling(word, 'vomiting'))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('a form of another word is no misspelling', () => {
    expect(isMisspelling('cases', 'caused')).toBe(false);
  });

  it('finds the only near name, and none if two are near', () => {
    const names = makeNearNames(7);
    for (const name of ['ramipril', 'lisinopril', 'cefaclor', 'cefaclon']) names.add(name);
    expect(['ramiprl', 'lisinoprill', 'ramipril', 'cefaclox', 'aspirin'].map(names.find)).toEqual([
      'ramipril',
      'lisinopril',
      'ramipril',
      undefined,
      undefined,
    ]);
  });
});
