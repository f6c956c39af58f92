import { describe, expect, it } from '@jest/globals';
import { BrokenAnswer } from '../../../src/outbound/openai/broken-answer.ts';
import { GrowingJson } from '../../../src/outbound/openai/growing-json.ts';
import { type JsonNode, toValue } from '../../../src/outbound/openai/json-tree.ts';
import { fc } from '../../support/fast-check.ts';

function readInPieces(pieces: readonly string[]): unknown {
  const json = new GrowingJson();
  for (const piece of pieces) json.write(piece);
  json.finish();
  return json.root && toValue(json.root);
}

/** Cuts the text at these places, each taken modulo its length. */
function cut(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index] ?? text.length));
}

/** Makes every UTF-16 unit that JSON can contain, among them halves of pairs, escapes and unusual keys. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xff_ff }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('__proto__', 'constructor', '', '\ud83d\ude00', '\ud83d', '\ude00', '"\\/\b\f\n\r\t'),
);
const anyDocument = fc.oneof(
  fc.jsonValue({ noUnicodeString: false }),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      anyText,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .uniqueArray(fc.tuple(anyText, tie('value')), { maxLength: 4, selector: ([key]) => key })
        .map(Object.fromEntries),
    ),
  })).value,
);
const cuts = fc.array(fc.nat(10_000), { maxLength: 60 });
const layout = fc.constantFrom(undefined, 1, '\t', ' \t');

/** Returns whether everything in `before` is still in `after`, unchanged or grown. */
function isExtended(before: unknown, after: unknown): boolean {
  if (typeof before === 'string') return typeof after === 'string' && after.startsWith(before);
  if (Array.isArray(before)) {
    return Array.isArray(after) && before.every((item, index) => isExtended(item, after[index]));
  }
  if (typeof before === 'object' && before !== null) {
    return (
      typeof after === 'object' &&
      after !== null &&
      Object.entries(before).every(([key, value]) =>
        isExtended(value, Object.getOwnPropertyDescriptor(after, key)?.value),
      )
    );
  }
  return Object.is(before, after);
}

function hasHalfPairAtItsEnd(node: JsonNode): boolean {
  if (node.kind === 'string') return !node.isComplete && /[\ud800-\udbff]$/.test(node.text);
  if (node.kind === 'array') return node.items.some(hasHalfPairAtItsEnd);
  return node.kind === 'object' && [...node.members.values()].some(hasHalfPairAtItsEnd);
}

describe('JSON that is read while it arrives', () => {
  it('has the value of JSON.parse in the end, however the text is cut', () => {
    fc.assert(
      fc.property(anyDocument, cuts, layout, (document, places, indent) => {
        const text = JSON.stringify(document, null, indent);
        expect(readInPieces(cut(text, places))).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('may be cut anywhere within an escape', () => {
    const text = '{"k\\u00e9y\\n":"\\ud83d\\ude00 \\"\\\\\\/\\b\\f\\r\\t\\u0041","n":-12.5e+3,"w":[true,false,null]}';
    for (let place = 0; place <= text.length; place += 1) {
      expect(readInPieces([text.slice(0, place), text.slice(place)])).toEqual(JSON.parse(text));
    }
    expect(readInPieces([...text])).toEqual(JSON.parse(text));
  });

  it('only grows: no value that was shown changes or disappears', () => {
    fc.assert(
      fc.property(anyDocument, cuts, (document, places) => {
        const json = new GrowingJson();
        let before: unknown;
        const text = JSON.stringify(document);
        for (const piece of cut(text, places)) {
          json.write(piece);
          const after = json.root && toValue(json.root);
          if (before !== undefined) expect(isExtended(before, after)).toBe(true);
          before = after;
        }
        json.finish();
        if (before !== undefined) expect(isExtended(before, JSON.parse(text))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never shows half of a character', () => {
    const json = new GrowingJson();
    const text = `{"a":"x\u{1f600}y","b":"\\ud83d\\ude00"}`;
    for (const unit of text.split('')) {
      json.write(unit);
      expect(json.root && hasHalfPairAtItsEnd(json.root)).not.toBe(true);
    }
    json.finish();
  });

  it('shows the beginning of an unfinished string, and no unfinished number or word', () => {
    const json = new GrowingJson();
    json.write('{"why":"fev');
    expect(json.root && toValue(json.root)).toEqual({ why: 'fev' });
    json.write('er","probability":0.6');
    expect(json.root && toValue(json.root)).toEqual({ why: 'fever' });
    json.write('2,"first_line":tru');
    expect(json.root && toValue(json.root)).toEqual({ why: 'fever', probability: 0.62 });
  });

  it('reports which texts grew and which values ended, each once per piece', () => {
    const json = new GrowingJson();
    const keys = (piece: string) => {
      const { grown, ended } = json.write(piece);
      return [grown.map(({ key }) => key), ended.map(({ key }) => key)];
    };
    expect(keys('{"a":')).toEqual([[], []]);
    expect(keys('"on')).toEqual([['a'], []]);
    expect(keys('e\\u0021 two')).toEqual([['a'], []]);
    expect(keys('","b":[1,2')).toEqual([[], ['a', 0]]);
    expect(keys(']}')).toEqual([[], [1, 'b', '']]);
  });

  it('is refused if JSON.parse refuses it', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u01.eE+-tfn \n\u0000a'), maxLength: 12 });
    fc.assert(
      fc.property(
        fc.oneof(
          noise,
          fc.tuple(anyDocument, noise).map(([d, n]) => JSON.stringify(d) + n),
        ),
        cuts,
        (text, at) => {
          let expected: unknown;
          try {
            expected = JSON.parse(text);
          } catch {
            expect(() => readInPieces(cut(text, at))).toThrow(BrokenAnswer);
            return;
          }
          try {
            expect(readInPieces(cut(text, at))).toEqual(expected);
          } catch (error) {
            // A repeated key is refused, which JSON.parse accepts.
            expect((error as Error).message).toBe('the JSON has the same key twice');
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['', 'the JSON is not whole'],
    ['{"a":1', 'the JSON is not whole'],
    ['"a', 'the JSON is not whole'],
    ['{"a":1}}', 'there is more behind the JSON'],
    ['{"a":1} {"a":2}', 'there is more behind the JSON'],
    ['{"a":1,"a":2}', 'the JSON has the same key twice'],
    ['[1}', 'the JSON ends something that was not begun'],
    ['{"a":01}', 'the JSON has an unknown word'],
    ['```json', 'the JSON has an unknown word'],
    ['{"a":"\n"}', 'the JSON has a control character in a string'],
  ])('is refused as %j with the message: %s', (text, reason) => {
    expect(() => readInPieces([text])).toThrow(new BrokenAnswer(reason));
  });

  it('may have 64 levels, and is refused with 65, also if the nesting never ends', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(readInPieces([nested(64)])).toEqual(JSON.parse(nested(64)));
    expect(() => readInPieces([nested(65)])).toThrow(new BrokenAnswer('the JSON is deeper than 64'));
    expect(() => readInPieces(['[{"a":'.repeat(100_000)])).toThrow(BrokenAnswer);
  });

  it('keeps the key __proto__ as a key, and gives no object another prototype', () => {
    const value = readInPieces(['{"__proto__":{"polluted":true},"constructor":{"prototype":1}}']) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is read with at most two looks at each character, however small the pieces', () => {
    const text = JSON.stringify({
      diseases: Array.from({ length: 500 }, (_, id) => ({ id, why: 'a "cough" \n'.repeat(20) })),
    });
    for (const pieceChars of [1, 3, 64, text.length]) {
      const json = new GrowingJson();
      for (let start = 0; start < text.length; start += pieceChars) json.write(text.slice(start, start + pieceChars));
      json.finish();
      expect(json.steps).toBeLessThanOrEqual(2 * text.length);
      expect(json.steps).toBeGreaterThanOrEqual(text.length);
    }
  });
});
