import { describe, expect, it } from '@jest/globals';
import { parseJsonObject } from '../../../src/outbound/fhir/json.ts';
import { fc } from '../../support/fast-check.ts';

const lists = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('JSON of a server that is not trusted', () => {
  it('is taken as it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string().filter(isHarmless), fc.jsonValue({ maxDepth: 4 })), (value) => {
        fc.pre(isHarmless(JSON.stringify(value)));
        expect(parseJsonObject(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('may be as deep as FHIR ever is, and no deeper', () => {
    expect(parseJsonObject(lists(99))).toBeDefined();
    expect(parseJsonObject(lists(100))).toBeUndefined();
  });

  it('brackets and quotation marks inside of texts count for nothing', () => {
    for (const text of ['['.repeat(1000), '\\', '"['.repeat(200), '\\"'.repeat(200), '{"a":{']) {
      expect(parseJsonObject(JSON.stringify({ text, more: [] }))).toEqual({ text, more: [] });
    }
  });

  it.each(['{"a":{"__proto__":{}}}', '{"a":[{"constructor":1}]}', '{"prototype":1}', '{"__pr\\u006fto__":{"x":1}}'])(
    'keys that reach prototypes are refused: %s',
    (text) => {
      expect(parseJsonObject(text)).toBeUndefined();
    },
  );

  it('the same words as a value are only words', () => {
    expect(parseJsonObject('{"a":"constructor"}')).toEqual({ a: 'constructor' });
  });

  it.each(['[]', '"a"', '1', 'null', '', '{', '{"a":1}}', '{"a":"'])('%s is no object', (text) => {
    expect(parseJsonObject(text)).toBeUndefined();
  });

  it.each([
    ['nesting without an end', `{"a":${'['.repeat(8_000_000)}${']'.repeat(8_000_000)}}`],
    ['millions of nothings', `{"a":[${'{},'.repeat(5_000_000)}{}]}`],
  ])('%s is refused before it costs time', (_, text) => {
    const startedMs = performance.now();
    expect(parseJsonObject(text)).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});

function isHarmless(text: string): boolean {
  return !/__proto__|constructor|prototype/.test(text);
}
