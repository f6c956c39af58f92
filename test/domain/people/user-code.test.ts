import { describe, expect, it } from '@jest/globals';
import { makeUserCode, readUserCode, USER_CODE_LETTERS } from '../../../src/domain/people/user-code.ts';

describe('the code that a person types', () => {
  it('has 8 of 20 consonants, each as often as the others if each byte comes as often as the others', () => {
    let next = 0;
    const eachByteInTurn = (sizeBytes: number) => Uint8Array.from({ length: sizeBytes }, () => next++ % 256);
    const codes = Array.from({ length: 30 }, () => makeUserCode(eachByteInTurn));
    for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const countOf = (letter: string) => codes.join('').split(letter).length - 1;
    expect([...USER_CODE_LETTERS].map(countOf)).toEqual(Array.from({ length: 20 }, () => 12));
  });

  it('skips the bytes that would make some letters likelier', () => {
    const bytes = [Uint8Array.from([240, 241, 250, 255, 239, 0, 19, 20]), Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])];
    expect(makeUserCode(() => bytes.shift() ?? new Uint8Array())).toBe('ZBZB-CDFG');
  });

  it.each(['WDJB-MJHT', 'wdjbmjht', ' WDJB MJHT ', 'wdjb–mjht', 'W D J B . M J H T'])(
    'is read as it was typed: %s',
    (typed) => expect(readUserCode(typed)).toBe('WDJB-MJHT'),
  );

  it.each(['', 'WDJB-MJH', 'WDJB-MJHTT', 'WDJB-MJHA', 'WDJB-MJH1', 'WDJB/MJHT'])('is not %s', (typed) =>
    expect(readUserCode(typed)).toBeUndefined(),
  );
});
