// Files that a person edits: what is read, and what is refused with a place and in plain words. Nothing here takes long.
import { describe, expect, it } from '@jest/globals';
import { parseSource } from '../../../src/mapping/source/parse-source.ts';
import { toPlain } from '../../../src/mapping/source/source-tree.ts';
import { fc } from '../../support/fast-check.ts';

function read(text: string | Uint8Array, file = 'file.yaml'): unknown {
  const { root, problems } = parseSource({ file, text });
  if (!root || problems.length > 0) throw new Error(said(problems).join('\n'));
  return toPlain(root);
}

function problemsOf(text: string | Uint8Array, file = 'file.yaml'): readonly string[] {
  return said(parseSource({ file, text }).problems);
}

function said(problems: ReturnType<typeof parseSource>['problems']): readonly string[] {
  return problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`);
}

const QUOTES =
  'this needs quotes around it: without them YAML reads the { as the beginning of an object ("{{ … }}", "{% … %}": …)';
const DEEP = 'this is nested too deep: a file has at most 32 levels';
const SINGLE = "this quote ends the text: texts inside an expression are written in single quotes, 'x'";
const UTF8 = 'this is not UTF-8: save the file with the encoding UTF-8';
const MANY = 'this file holds more than 50,000 values when its aliases are written out';

describe('YAML that is accepted', () => {
  it.each([
    [
      'texts, numbers, true, null',
      'a: text\nb: 1.5\nc: true\nd: ~\ne:',
      { a: 'text', b: 1.5, c: true, d: null, e: null },
    ],
    [
      'yes, no and dates are texts',
      'a: yes\nb: no\nc: 2026-11-21\nd: 12:30',
      { a: 'yes', b: 'no', c: '2026-11-21', d: '12:30' },
    ],
    ['lists and objects in both forms', 'a: [1, {b: 2}]\nc:\n  - d: 3', { a: [1, { b: 2 }], c: [{ d: 3 }] }],
    ['anchors and aliases', 'a: &x {b: 1}\nc: *x\nd: [*x]', { a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }] }],
    ['an alias of an alias', 'a: &x 1\nb: &y [*x]\nc: *y', { a: 1, b: [1], c: [1] }],
    ['an anchor given again', 'a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    ['comments', '# one\na: 1 # two\n', { a: 1 }],
    ['a tag of YAML itself', 'a: !!str 5', { a: '5' }],
    ['document marks around one document', '---\na: 1\n...\n', { a: 1 }],
    ['a byte order mark', '\uFEFFa: 1', { a: 1 }],
    ['lines that end as on Windows', 'a: 1\r\nb: |\r\n  x\r\n', { a: 1, b: 'x\n' }],
    ['numbers in other forms', 'a: 0x1F\nb: 0o17\nc: -1e3\nd: 0\ne: 0.5', { a: 31, b: 15, c: -1000, d: 0, e: 0.5 }],
  ])('%s', (_, text, data) => {
    expect(read(text)).toEqual(data);
    expect(read(new TextEncoder().encode(text))).toEqual(data);
  });
});

describe('YAML that is refused', () => {
  it.each<[string, string, readonly string[]]>([
    ['an empty file', '', ['1:1: there is nothing in this file']],
    ['only comments', '# nothing\n', ['1:1: there is nothing in this file']],
    ['an expression without quotes', 'a: {{ %x }}\nb: {{ %y }}', [`1:4: ${QUOTES}`, `2:4: ${QUOTES}`]],
    ['an expression without quotes that YAML can read', 'a: {{ x }}', [`1:4: ${QUOTES}`]],
    ['a list expression without quotes', 'a: {[ %x ]}', [`1:4: ${QUOTES}`]],
    [
      'a tab in one line, and nothing of what YAML makes of the lines after it',
      'a:\n  b: 1\n\tc: 2\n  d: 3\n  e: 4\n  f: 5\ng: 6\n',
      ['3:1: a tab cannot indent: use spaces'],
    ],
    [
      'two expressions without quotes and another mistake between them',
      'a:\n  - {{ %x }}\n  - b: c: d\n  - @e\n  - {{ %y }}',
      [`2:5: ${QUOTES}`, '4:5: a text that begins with @ needs quotes', `5:5: ${QUOTES}`],
    ],
    [
      'double quotes in double quotes',
      'a: "{{ coalesce(%t, "x") }}"\nb: [ "{{ coalesce(%t, "x") }}" ]',
      [`1:21: ${SINGLE}`, `2:23: ${SINGLE}`],
    ],
    [
      'single quotes in single quotes',
      "a: '{{ coalesce(%t, 'x') }}'",
      ['1:21: this quote ends the text: put double quotes around all of it, and single ones inside'],
    ],
    [
      'a colon without a space before other keys, and at the end',
      'a:"x"\nb: 1\n',
      ['1:2: a space is missing behind the colon'],
    ],
    ['a colon without a space at the end', 'a: 1\nb:x', ['2:2: a space is missing behind the colon']],
    ['an address without its key', 'a: 1\nhttp://x', ['2:1: a colon and a value are missing here (key: value)']],
    ['a - without a space', 'a:\n  -b: 1\n   c: 2', ['2:3: a space is missing behind the -']],
    ['a block without quotes', 'a:\n  {% if %x %}: 1', [`2:3: ${QUOTES}`]],
    [
      'tabs, each once',
      '\ta: 1\nb:\n\tc: 1\nd:\n\te: 1',
      [
        '1:1: a tab cannot indent: use spaces',
        '3:1: a tab cannot indent: use spaces',
        '5:1: a tab cannot indent: use spaces',
      ],
    ],
    [
      'a key twice',
      'a: 1\nb:\n  c: 1\n  "c": 2\na: 2',
      [
        '4:3: this key is already in line 3: an object has each key once',
        '5:1: this key is already in line 1: an object has each key once',
      ],
    ],
    ['a second document', 'a: 1\n---\nb: 2', ['2:1: a second document begins here (---): a file holds one']],
    ['a directive', '%YAML 1.1\n---\na: yes', ['1:1: a line that begins with % changes how YAML is read: remove it']],
    [
      'tags',
      'a: !include x.yaml\nb: !!js/function "x"\nc: !!binary aGk=',
      [
        '1:4: a tag (!name) is not allowed here: this file holds plain data',
        '2:4: a tag (!name) is not allowed here: this file holds plain data',
        '3:4: a tag (!name) is not allowed here: this file holds plain data',
      ],
    ],
    ['a merge key', 'a: &x {b: 1}\nc:\n  <<: *x', ['3:3: YAML merge keys (<<) are not used here: write {% merge %}']],
    ['an unknown alias', 'a: *x', ['1:4: *x is not known here: the anchor &x comes before its aliases']],
    [
      'an alias before its anchor',
      '- *x\n- &x 1',
      ['1:3: *x is not known here: the anchor &x comes before its aliases'],
    ],
    ['an anchor that holds itself', 'a: &x\n  b: *x', ['2:6: *x would hold itself']],
    ['an anchor that holds itself further in', '&x [[{a: *x}]]', ['1:10: *x would hold itself']],
    [
      'keys that are no texts',
      '1: a\ntrue: b\n~: c\n? [d]\n: e\n? {f: g}\n: h',
      [
        '1:1: a key is a text: put it into quotes',
        '2:1: a key is a text: put it into quotes',
        '3:1: a key is a text: put it into quotes',
        '4:3: a key is a text, not a list, an object or an alias',
        '6:3: a key is a text, not a list, an object or an alias',
      ],
    ],
    [
      'keys that reach into objects',
      '__proto__: 1\na: {constructor: 1, prototype: 2}',
      ['1:1: __proto__ cannot be a key', '2:5: constructor cannot be a key', '2:21: prototype cannot be a key'],
    ],
    [
      'numbers that are none',
      'a: .inf\nb: -.inf\nc: .nan',
      [
        '1:4: this is no number that FHIR or JSON can hold',
        '2:4: this is no number that FHIR or JSON can hold',
        '3:4: this is no number that FHIR or JSON can hold',
      ],
    ],
    [
      'numbers with too many digits',
      'a: 900000000000000001',
      ['1:4: this number has more digits than can be kept exactly: put it into quotes'],
    ],
    ['numbers with leading zeros', 'a: 007', ['1:4: this number would lose its leading zeros: put it into quotes']],
    [
      'a quote that is not closed',
      'a: 1\nb: "text\nc: 2\nd: 3\n',
      ['2:4: the quote that begins this text is never closed'],
    ],
    ['a single quote that is not closed', "a: 'text", ['1:4: the quote that begins this text is never closed']],
    [
      'an apostrophe in single quotes',
      "a: 'it's'",
      ['1:8: the value had ended before this: put all of it into quotes'],
    ],
    ['text behind a quoted text', 'a: "b" c', ['1:8: the value had ended before this: put all of it into quotes']],
    [
      'a wrong escape',
      'a: "C:\\path"',
      [
        '1:7: this is no escape that double quotes know: write \\\\ for a backslash, or put the text into single quotes',
      ],
    ],
    [
      'a colon in a text',
      'a: b: c',
      ['1:4: a second key on this line: put a text with a colon into quotes, or check how the lines are indented'],
    ],
    [
      'a line that is indented too far',
      'a: 1\n\n  b: 2',
      ['3:3: this line is indented as if it belonged to the value above it'],
    ],
    [
      'a line that is indented too little',
      'a:\n    b: 1\n  c: 2',
      ['3:1: this line is not indented as the lines that it belongs to'],
    ],
    ['a key without a value', 'a: 1\nb', ['2:1: a colon and a value are missing here (key: value)']],
    ['a list beside its key', 'a: - b', ['1:4: a list begins on the line below its key']],
    [
      'a bracket that is not closed',
      'a: [1, 2\nb: 3',
      ['2:1: a [ or { is not closed before this, or what it holds is indented too little'],
    ],
    ['a bracket too many', 'a: ]', ['1:4: a ] that no [ has opened']],
    ['a comma too many', 'a: [1,,2]', ['1:7: a comma that separates nothing']],
    [
      'a sign that needs quotes',
      'a: @x\nb: `y\nc: %z',
      [
        '1:4: a text that begins with @ needs quotes',
        '2:4: a text that begins with ` needs quotes',
        '3:4: a text that begins with % needs quotes',
      ],
    ],
    ['a comment without a space', 'a: "b"#c', ['1:7: a comment needs a space before its #']],
    [
      'a control character',
      'a: x\nb: x\u0007y',
      ['2:5: there is a control character here (U+0007) that no editor shows: remove it'],
    ],
    ['NUL', 'a: \u0000', ['1:4: there is a control character here (U+0000) that no editor shows: remove it']],
    [
      'a control character by its escape',
      'a: "x\\0y"',
      ['1:6: this escape is a control character, which no text may hold'],
    ],
    ['half a character by its escape', 'a: "x\\ud83d"', ['1:6: this is half of a character: both halves, or none']],
    ['half a character', 'a: 1\nb: x\ud83d', [`2:5: ${UTF8}`]],
    ['33 levels of lists', '['.repeat(33) + ']'.repeat(33), [`1:33: ${DEEP}`]],
    ['33 levels of objects', `${'{a: '.repeat(33)}1${'}'.repeat(33)}`, [`1:129: ${DEEP}`]],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('an environment variable without quotes is reported once, without the errors that follow from it', () => {
    const token = '$' + '{TOKEN}';
    const inner = `  url: https://example.org,\n  token: ${token},\n  b: c`;
    expect(problemsOf(`name: a\ntarget: {\n${inner}\n}\nd: e\nf:\n  - g: h\n    i: j\nk: l`)).toEqual([
      `4:10: "${token}" needs quotes around it`,
    ]);
    expect(problemsOf(`a: [https://${token}/fhir]`)).toEqual([
      `1:13: the text with ${token} in it needs quotes around it`,
    ]);
    expect(problemsOf(`a: ${token}\nb: "${token}"`)).toEqual([]);
  });

  it('a file with 32 levels is accepted', () => {
    expect(problemsOf('['.repeat(32) + ']'.repeat(32))).toEqual([]);
  });

  it('an alias counts with the depth of the part that it repeats', () => {
    const deep = (levels: number, inner: string) => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
    expect(problemsOf(`a: &x ${deep(20, '1')}\nb: ${deep(11, '*x')}`)).toEqual([]);
    expect(problemsOf(`a: &x ${deep(20, '1')}\nb: ${deep(12, '*x')}`)).toEqual([`2:16: ${DEEP}`]);
  });

  it('bytes that are not UTF-8 are reported at the first of them', () => {
    expect(problemsOf(Uint8Array.of(0x61, 0x3a, 0x20, 0x0a, 0x62, 0xff, 0x0a))).toEqual([`2:2: ${UTF8}`]);
    expect(problemsOf(Buffer.from('a: ä', 'latin1'))).toEqual([`1:4: ${UTF8}`]);
    expect(problemsOf(Buffer.from('a: 1', 'utf16le'))).toEqual([
      '1:2: there is a control character here (U+0000) that no editor shows: remove it',
    ]);
  });
});

describe('files that are cheap to write and expensive to parse are refused', () => {
  const MiB = 1_048_576;
  const letters = 'abcdefghij';
  const laughs = [...letters].map((name, index) => {
    const inner = index === 0 ? 'ha' : `*${letters[index - 1]}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => inner).join(', ')}]`;
  });

  it.each<[string, string, readonly string[]]>([
    [
      'more than 1 MiB',
      'x'.repeat(MiB + 1),
      ['1:1: this file is larger than 1 MiB (1025 KiB): split it, or move what is not needed elsewhere'],
    ],
    [
      '10 MB',
      'a: 1\n'.repeat(2_000_000),
      ['1:1: this file is larger than 1 MiB (9766 KiB): split it, or move what is not needed elsewhere'],
    ],
    ['a billion laughs', laughs.join('\n'), [`1:1: ${MANY}`]],
    [
      '101 aliases',
      `- &x 1\n${'- *x\n'.repeat(101)}`,
      ['102:3: this file repeats more than 100 parts by aliases (*name)'],
    ],
    ['brackets without end', '['.repeat(MiB), [`1:65: ${DEEP}`]],
    ['lists in lists without end', '- '.repeat(MiB / 2), ['1:250000: this file has too many parts: split it']],
    ['commas without end', `[${','.repeat(MiB - 2)}]`, ['1:250000: this file has too many parts: split it']],
    [
      'a quarter of a million keys',
      Array.from({ length: 100_000 }, (_, index) => `k${index}:`).join('\n'),
      ['62500:8: this file has too many parts: split it'],
    ],
    ['60,000 values', `[${'1,'.repeat(60_000)}1]`, [`1:1: ${MANY}`]],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('a file with 100 aliases is accepted', () => {
    expect(problemsOf(`- &x 1\n${'- *x\n'.repeat(100)}`)).toEqual([]);
  });

  it('a file of 1 MiB is accepted', () => {
    expect(read(`a: ${'x'.repeat(MiB - 3)}`)).toEqual({ a: 'x'.repeat(MiB - 3) });
  });
});

describe('JSON', () => {
  it('JSON is read with the place of each value', () => {
    const { root } = parseSource({ file: 'file.json', text: '{\n  "a": [1, "b", true, null, -1.5e2]\n}' });
    expect(root && toPlain(root)).toEqual({ a: [1, 'b', true, null, -150] });
    expect(root?.kind === 'map' && root.entries[0]?.keyPlace).toEqual({ file: 'file.json', line: 2, column: 3 });
  });

  it.each<[string, string, readonly string[]]>([
    ['an empty file', ' \n', ['1:1: there is nothing in this file']],
    ['a comma behind the last one', '{"a": 1,}', ['1:8: JSON has no comma behind the last one']],
    ['a comma that is missing', '[1 2]', ['1:4: a comma or ] is missing here']],
    ['a colon that is missing', '{"a" 1}', ['1:6: a colon is missing here']],
    ['a key without quotes', '{a: 1}', ['1:2: a key needs double quotes']],
    ['single quotes', "{'a': 1}", ['1:2: a key needs double quotes']],
    ['an expression without quotes', '{"a": {{ %x }}}', ['1:8: a key needs double quotes']],
    ['a comment', '// no\n{}', ['1:1: a text needs double quotes']],
    ['a number with leading zeros', '[007]', ['1:2: this is no number of JSON']],
    ['a number that begins with its point', '[.5]', ['1:2: this is no number of JSON']],
    ['a word', '[undefined]', ['1:2: a text needs double quotes']],
    ['a bracket that is not closed', '{\n  "a": [1,\n  2', ['2:8: this is never closed with ]']],
    ['a value that is missing', '{"a": }', ['1:7: a value is missing here']],
    ['a quote that is not closed', '{"a":\n "b}', ['2:2: the quote that begins this text is never closed']],
    ['a line end in a text', '["a\nb"]', ['1:2: the quote that begins this text is never closed']],
    ['a tab in a text', '["a\tb"]', ['1:2: JSON texts have no tabs or line ends']],
    ['a wrong escape', '["C:\\\\a\\path"]', ['1:8: JSON knows no such escape: write \\\\ for a backslash']],
    ['something behind it', '{} {}', ['1:4: JSON ends before this: remove what follows']],
    [
      'a key twice, and another forbidden',
      '{"a": 1, "a": 2, "__proto__": {}}',
      ['1:10: this key is already in line 1: an object has each key once', '1:18: __proto__ cannot be a key'],
    ],
    ['a number out of range', '[1e999]', ['1:2: this is no number that FHIR or JSON can hold']],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), [`1:33: ${DEEP}`]],
    ['brackets without end', '['.repeat(1_000_000), [`1:33: ${DEEP}`]],
    ['60,000 values', `[${'1,'.repeat(60_000)}1]`, [`1:100000: ${MANY}`]],
  ])('%s is refused', (_, text, problems) => {
    expect(problemsOf(text, 'file.json')).toEqual(problems);
  });

  it('any JSON is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(3), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        const { root, problems } = parseSource({ file: 'any.json', text });
        if (problems.length === 0) expect(root && toPlain(root)).toEqual(JSON.parse(text));
        else expect(text).toMatch(/__proto__|constructor|prototype|<<|\\u00|\\u[dD]|e\+|\d{16}|\\[bf]|\u007f/);
      }),
    );
  });
});

describe('any content of a file', () => {
  const marks = fc.constantFrom(
    ...[
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '|',
      '>',
      '&x ',
      '*x',
      '!t ',
      '?',
      '#',
      ',',
      '\t',
      '---',
      '%',
      '\\',
      '{{ ',
      ' }}',
      '<<',
      '0',
      '\u0000',
      '\ud800',
    ],
  );
  const files = fc.constantFrom('file.yaml', 'file.json');

  function isWell({ root, problems }: ReturnType<typeof parseSource>): void {
    expect(root !== undefined || problems.length > 0).toBe(true);
    if (root) expect(() => JSON.stringify(toPlain(root))).not.toThrow();
    for (const { place, message } of problems) {
      expect(place.line).toBeGreaterThan(0);
      expect(place.column).toBeGreaterThan(0);
      expect(message).not.toBe('');
    }
  }

  it('any signs of YAML in any order end in data or in problems with places', () => {
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 40 }), files, (pieces, file) => {
        isWell(parseSource({ file, text: pieces.join('') }));
      }),
      { numRuns: 2000 },
    );
  });

  it('any bytes end in data or in problems with places', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), files, (text, file) => isWell(parseSource({ file, text }))),
      { numRuns: 500 },
    );
  });
});
