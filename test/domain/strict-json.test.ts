import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../src/domain/errors.ts';
import { parseStrictJson } from '../../src/domain/strict-json.ts';
import { fc } from '../support/fast-check.ts';

function refusal(text: string): AppError {
  try {
    parseStrictJson(text);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error('it was taken');
}

function isPlain(value: unknown): boolean {
  return !/"(__proto__|constructor|prototype)":|\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value));
}

describe('strict JSON', () => {
  it('it reads any valid JSON, with or without spaces', () => {
    fc.assert(
      fc.property(fc.jsonValue().filter(isPlain), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseStrictJson(text, { maxDepth: 1_000 })).toEqual(JSON.parse(text));
      }),
    );
  });

  it('it refuses any invalid JSON, without repeating it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(60), (noise, cut) => {
        const text = `{"secret":"Jane Roe", "list":[1,{"a":"b"}]${noise}`.slice(0, 20 + cut);
        try {
          JSON.parse(text);
        } catch {
          const { code, message } = refusal(text);
          expect(code).toBe('invalidRequest');
          expect(message).not.toContain('Jane');
        }
      }),
    );
  });

  it('it accepts 64 levels and refuses 65', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseStrictJson(nested(64))).toBeDefined();
    expect(refusal(nested(65)).message).toContain('64');
    expect(refusal(nested(100_000)).message).toContain('64');
    expect(refusal('{"a":'.repeat(100_000)).message).toContain('64');
  });

  it('brackets in a text do not count as levels', () => {
    const value = { text: '[{'.repeat(500), '[[[': '\\"[[' };
    expect(parseStrictJson(JSON.stringify(value))).toEqual(value);
  });

  it.each([
    ['plainly', '{"a":1,"a":2}'],
    ['in an inner object', '{"x":[{"a":1,"b":{},"a":2}]}'],
    ['once with an escape', '{"a":1,"\\u0061":2}'],
    ['with a space before the colon', '{"a" :1,"a"\n:2}'],
  ])('it refuses a duplicate key: %s', (_title, text) => {
    expect(refusal(text).message).toContain('same key twice');
  });

  it('it accepts the same key in different objects, and as a value', () => {
    const text = '{"a":{"a":"a"},"b":[{"a":1},{"a":"a"}]}';
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{}}}',
    '{"a":[{"prototype":1}]}',
    '{"__pr\\u006fto__":1}',
  ])('it refuses a key that reaches prototypes: %s', (text) => {
    expect(refusal(text).message).toContain('not allowed');
  });

  it('it accepts such names as values', () => {
    expect(parseStrictJson('{"a":"__proto__","b":["constructor"]}')).toEqual({ a: '__proto__', b: ['constructor'] });
  });

  it.each([
    ['U+0000', '{"a":"x\\u0000y"}'],
    ['U+0000 in a key', '{"\\u0000":1}'],
    ['the first half of a pair', '{"a":"\\ud83d"}'],
    ['the second half of a pair', '["\\ude00 x"]'],
    ['two halves in the wrong order', '["\\ude00\\ud83d"]'],
  ])('it refuses a text with %s', (_title, text) => {
    expect(refusal(text).message).toContain('character that is not allowed');
  });

  it('it accepts complete surrogate pairs, escaped or not, and a backslash before a u', () => {
    expect(parseStrictJson('["\\ud83d\\ude00","😀","\\\\u0000"]')).toEqual(['😀', '😀', '\\u0000']);
  });

  it('it reads a megabyte of backslashes without delay', () => {
    const text = JSON.stringify({ a: '\\'.repeat(500_000), b: '"'.repeat(200_000) });
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});
