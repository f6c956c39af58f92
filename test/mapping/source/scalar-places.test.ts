// A place in a text of a file is where an editor would put the cursor, whatever quotes, folds and indents are around it.
import { describe, expect, it } from '@jest/globals';
import { parseDocument, stringify } from 'yaml';
import { parseSource } from '../../../src/mapping/source/parse-source.ts';
import type { SourceScalar } from '../../../src/mapping/source/source-tree.ts';
import { fc } from '../../support/fast-check.ts';

function scalarOf(text: string, file = 'places.yaml'): SourceScalar {
  const { root, problems } = parseSource({ file, text });
  const [entry] = root?.kind === 'map' ? root.entries : [];
  if (entry?.value.kind !== 'scalar') throw new Error(`no text in it: ${JSON.stringify(problems)}`);
  return entry.value;
}

/** The line and column of the first `@` in the value. */
function placeOfMark(text: string, file?: string): string {
  const scalar = scalarOf(text, file);
  const { line, column } = scalar.placeAt(String(scalar.value).indexOf('@'));
  return `${line}:${column}`;
}

describe('the place in the file of a character of a value', () => {
  it.each([
    ['a plain text', 'a: some @', '1:9'],
    ['a plain text over two lines', 'a: some\n   more @', '2:9'],
    ['a plain text with an empty line', 'a: some\n\n\n   more @', '4:9'],
    ['single quotes', "a: 'it''s @'", '1:11'],
    ['single quotes over two lines', "a: 'it''s\n   more @'", '2:9'],
    ['double quotes', 'a: "some @"', '1:10'],
    ['double quotes with escapes', 'a: "\\u00e9\\n\\x41\\" @"', '1:20'],
    ['double quotes with a character of two halves', 'a: "\\U0001F600 @"', '1:16'],
    ['double quotes over two lines', 'a: "some\n   more @"', '2:9'],
    ['double quotes with a line that is joined', 'a: "some\\\n   more @"', '2:9'],
    ['double quotes with an empty line', 'a: "some\n\n   more @"', '3:9'],
    ['a literal block', 'a: |\n  some\n  more @\n', '3:8'],
    ['a literal block that is indented further', 'a: |\n  some\n      more @\n', '3:12'],
    ['a literal block that begins with an empty line', 'a: |\n\n  some @\n', '3:8'],
    ['a literal block that begins with spaces of its own', 'a: |2\n      some @\n', '2:12'],
    ['a literal block with a comment at its head', 'a: |- # as it is: |\n  some @\n', '2:8'],
    ['a folded block', 'a: >-\n  some\n  more @\n', '3:8'],
    ['a folded block with an empty line', 'a: >\n  some\n\n  more @\n', '4:8'],
    ['a folded block with a line that is indented further', 'a: >-\n  {{\n    some @\n  }}\n', '3:10'],
    ['lines that end as on Windows', 'a: >-\r\n  some\r\n  more @\r\n', '3:8'],
    ['a text with an anchor', 'a: &x some @', '1:12'],
    ['a text behind a byte order mark', '\uFEFFa: some @', '1:9'],
  ])('%s', (_, text, place) => {
    expect(placeOfMark(text)).toBe(place);
  });

  it('JSON', () => {
    expect(placeOfMark('{\n  "a": "\\u00e9\\n\\"@"\n}', 'places.json')).toBe('2:19');
  });

  it('a key', () => {
    const { root } = parseSource({ file: 'keys.yaml', text: 'b: 1\n"it\\"s @": 2' });
    const entry = root?.kind === 'map' ? root.entries[1] : undefined;
    expect(entry?.keyPlaceAt(5)).toEqual({ file: 'keys.yaml', line: 2, column: 8 });
  });

  it('an offset before the beginning or after the end is placed at the text', () => {
    const scalar = scalarOf('a: "some"');
    expect(scalar.placeAt(-5).column).toBe(5);
    expect(scalar.placeAt(4).column).toBe(9);
    expect(scalar.placeAt(500).column).toBe(9);
  });
});

describe('any text in any style of quotes', () => {
  const piece = fc.constantFrom(
    'word',
    'x',
    ' ',
    '  ',
    '\n',
    '\n\n',
    "'",
    '"',
    '\\',
    'é',
    '😀',
    '{{ %a }}',
    ':',
    '#',
    '\t',
  );
  const anyText = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
  const style = fc.constantFrom(
    'PLAIN',
    'QUOTE_SINGLE',
    'QUOTE_DOUBLE',
    'BLOCK_LITERAL',
    'BLOCK_FOLDED',
  ) as fc.Arbitrary<'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | 'BLOCK_LITERAL' | 'BLOCK_FOLDED'>;

  it('each visible character has the place at which it was written', () => {
    fc.assert(
      fc.property(anyText, style, fc.integer({ min: 20, max: 60 }), (value, defaultStringType, lineWidth) => {
        const text = stringify({ outer: { key: value } }, { defaultStringType, lineWidth, defaultKeyType: 'PLAIN' });
        const lines = text.split('\n');
        // Some texts cannot be written in some of the ways; the library then writes another one, one it does not read itself, or
        // half a character on each of two lines.
        const reread = parseDocument(text);
        fc.pre(text.isWellFormed() && reread.errors.length === 0 && reread.getIn(['outer', 'key']) === value);
        const { root } = parseSource({ file: 'any.yaml', text });
        const outer = root?.kind === 'map' ? root.entries[0]?.value : undefined;
        const scalar = outer?.kind === 'map' ? outer.entries[0]?.value : undefined;
        if (scalar?.kind !== 'scalar') throw new Error('the text was lost');
        expect(scalar.value).toBe(value);
        for (let index = 0; index < value.length; index++) {
          const { line, column } = scalar.placeAt(index);
          const written = lines[line - 1]?.[column - 1];
          // What was escaped is found at its backslash.
          if (written !== '\\' && !/\s/.test(value.charAt(index))) expect(written).toBe(value[index]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
