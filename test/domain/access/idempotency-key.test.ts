import { describe, expect, it } from '@jest/globals';
import { readIdempotencyKey } from '../../../src/domain/access/idempotency-key.ts';

describe('the Idempotency-Key of a request', () => {
  it.each([
    ['quoted, as the draft has it', '"8e03978e-40d5"', '8e03978e-40d5'],
    ['bare', '8e03978e-40d5', '8e03978e-40d5'],
    ['with blanks around it', '  "a key" ', 'a key'],
    ['with escaped quotes', '"a \\"b\\" \\\\"', 'a "b" \\'],
    ['of 255 characters', 'k'.repeat(255), 'k'.repeat(255)],
  ])('a key %s is read', (_, header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  it.each([
    ['nothing', ''],
    ['empty quotes', '""'],
    ['blanks', '"  "'],
    ['an open quote', '"abc'],
    ['a quote within', 'a"b'],
    ['two quoted texts', '"a", "b"'],
    ['a letter outside ASCII', 'clé'],
    ['256 characters', 'k'.repeat(256)],
  ])('%s is no key', (_, header) => {
    expect(readIdempotencyKey(header)).toBeUndefined();
  });
});
