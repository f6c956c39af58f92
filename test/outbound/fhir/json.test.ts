import { describe, expect, it } from '@jest/globals';
import { parseJsonObject } from '../../../src/outbound/fhir/json.ts';
import { fc } from '../../support/fast-check.ts';

const lists = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('JSON of a server that is not trusted', () => {
  it('is read unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string().filter(isHarmless), fc.jsonValue({ maxDepth: 4 })), (value) => {
        fc.pre(isHarmless(JSON.stringify(value)));
        expect(parseJsonObject(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('may be as deep as FHIR, and no deeper', () => {
    expect(parseJsonObject(lists(99))).toBeDefined();
    expect(parseJsonObject(lists(100))).toBeUndefined();
  });

  it('may contain brackets and quotation marks in texts', () => {
    for (const text of ['['.repeat(1000), '\\', '"['.repeat(200), '\\"'.repeat(200), '{"a":{']) {
      expect(parseJsonObject(JSON.stringify({ text, more: [] }))).toEqual({ text, more: [] });
    }
  });

  it.each(['{"a":{"__proto__":{}}}', '{"a":[{"constructor":1}]}', '{"prototype":1}', '{"__pr\\u006fto__":{"x":1}}'])(
    'is refused with keys that reach prototypes: %s',
    (text) => {
      expect(parseJsonObject(text)).toBeUndefined();
    },
  );

  it('may contain the same words as values', () => {
    expect(parseJsonObject('{"a":"constructor"}')).toEqual({ a: 'constructor' });
  });

  it.each(['[]', '"a"', '1', 'null', '', '{', '{"a":1}}', '{"a":"'])(
    'is refused if it is not an object: %s',
    (text) => {
      expect(parseJsonObject(text)).toBeUndefined();
    },
  );

  it.each([
    ['endless nesting', `{"a":${'['.repeat(8_000_000)}${']'.repeat(8_000_000)}}`],
    ['millions of empty objects', `{"a":[${'{},'.repeat(5_000_000)}{}]}`],
  ])('is refused with %s before it costs time', (_, text) => {
    const startedMs = performance.now();
    expect(parseJsonObject(text)).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});

function isHarmless(text: string): boolean {
  return !/__proto__|constructor|prototype/.test(text);
}
