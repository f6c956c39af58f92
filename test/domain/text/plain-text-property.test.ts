import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { removeMarkup } from '../../../src/domain/text/plain-text.ts';
import { fc } from '../../support/fast-check.ts';

const PARTS = [
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '<!',
    '&lt;',
    '&gt;',
    '&amp;',
    '&#60',
    '&',
    ';',
    '#x3c;',
  ],
  ...[
    'script',
    'ScRiPt',
    'b',
    'img',
    'a',
    'svg',
    'p',
    'br',
    'sup',
    ' src=x',
    ' onerror="',
    " href='",
    '"',
    "'",
    '=',
    ' ',
  ],
  ...[
    'javascript:',
    'java',
    'script',
    ':',
    'vbscript&colon;',
    'data:text/html,',
    'https://',
    'www.',
    'evil.com',
    'x@y.org',
  ],
  ...[
    '![',
    '[',
    ']',
    '](',
    '(',
    ')',
    '[a]:',
    '\n',
    '\t',
    '\u200b',
    '\u00ad',
    '\uffff',
    '\\u003c',
    '%3c',
    '＜',
    '90',
    'mg',
    'lt',
  ],
];
const hostile = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ maxLength: 3 })), { maxLength: 40 });

/** Written apart from the product: what an HTML parser decodes in a text. */
function decode(text: string): string {
  let [before, now] = ['', text];
  while (before !== now) {
    before = now;
    now = now
      .replace(/&#x([\da-f]{1,6});?/gi, (_, hex: string) => toCharacter(Number.parseInt(hex, 16)))
      .replace(/&#(\d{1,7});?/g, (_, decimal: string) => toCharacter(Number(decimal)))
      .replace(/&lt;?/gi, '<')
      .replace(/&gt;?/gi, '>')
      .replace(/&colon;/gi, ':')
      .replace(/&(?:tab|newline);/gi, '')
      .replace(/&amp;/gi, '&');
  }
  return now;
}

function toCharacter(code: number): string {
  return code > 0x10_ffff ? '' : String.fromCodePoint(code);
}

const MARKUP: readonly RegExp[] = [
  /<[a-z!/?]/i,
  /(?:java|vb)script:/,
  /data:[a-z]+\/[a-z]+[;,]/,
  /!\[[^\]\n]*\]\(/,
  /\[[^[\]\n]*\]\([^\s()]+\)/,
  /https?:\/\/\w/,
  /(?<![\w.@-])www\.\w/,
  /(?<![\p{L}\p{N}_.+%-])x@y\.org(?![\p{L}\p{N}_]|[.-][\p{L}\p{N}])/u,
  /(?<![\p{L}\p{N}_.@-])evil\.com(?![\p{L}\p{N}_]|[.-][\p{L}\p{N}])/u,
];

function markupIn(text: string): readonly string[] {
  const read = decode(text.replace(/[\t\n]/g, '')).toLowerCase();
  return MARKUP.filter(
    (pattern) => pattern.test(text) || pattern.test(decode(text)) || (pattern === MARKUP[1] && pattern.test(read)),
  ).map(String);
}

describe('Any text of a model', () => {
  it('has nothing left that a parser would read as markup or as an address', () => {
    fc.assert(
      fc.property(hostile, (parts) => {
        expect(markupIn(removeMarkup(parts.join(''), () => false).text)).toEqual([]);
      }),
      { numRuns: 6000 },
    );
  });

  it('is not changed by a second call', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (parts, isSaid) => {
        const once = removeMarkup(parts.join(''), () => isSaid).text;
        expect(removeMarkup(once, () => isSaid)).toEqual({ text: once, removed: { markup: 0, addresses: 0 } });
      }),
      { numRuns: 6000 },
    );
  });

  it.each([
    ...[
      '<',
      '<a ',
      '<a b="',
      '<a y="<a x=\'',
      '<scr<script>ipt>',
      '<b',
      '</b>',
      '< b >',
      '<!--',
      '<script>\n',
      '&amp;',
      '&#0',
      '%3c',
    ],
    ...[
      '[',
      '![',
      '[a](',
      '](',
      '[a[b]',
      '![a](',
      '[a]: ',
      'javascript:',
      'ja',
      'j\t',
      'www.',
      'a.',
      'aaaa.',
      'a@',
      'http://',
    ],
    ...[' ', '\t\uffff', '(', '\u200b', 'a.com/', '>'],
  ])('is cleaned in a time that grows with its length only: %j', (part) => {
    const timeOf = (length: number): number => {
      const text = part.repeat(Math.ceil(length / part.length));
      const startedMs = performance.now();
      removeMarkup(text, () => false);
      return performance.now() - startedMs;
    };
    timeOf(20_000);
    // A time that grows with the square would be a hundred times as long, and minutes for the longest.
    expect(timeOf(200_000)).toBeLessThan(Math.max(1500, timeOf(20_000) * 60));
  });
});

describe('Texts without markup', () => {
  it('every text of the shipped knowledge, of the golden tests and of the made-up visits stays byte for byte', () => {
    const folders = ['knowledge', 'mappings', 'test/eval/sets', 'src/sandbox/patients', 'test/fixtures/mappings'];
    const texts = folders.flatMap(filesIn).flatMap(textsOf);
    expect(texts.length).toBeGreaterThan(10_000);
    const changed = texts.filter((text) => removeMarkup(text, () => true).text !== text);
    expect(changed).toEqual([]);
    const reduced = texts.filter(
      (text) => !/https?:|\burn:|@/.test(text) && removeMarkup(text, () => false).text !== text,
    );
    expect(reduced).toEqual([]);
  });
});

/** Without the list of publishers, which is addresses only. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:yaml|json)$/.test(name) && path.basename(name) !== 'sources.yaml')
    .map((name) => path.join(folder, name));
}

/** Without what is no text of a note: narratives, which are markup, and the expressions of mappings and patterns (`<drug>`). */
function textsOf(file: string): readonly string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && !/^<div|<[a-z]+>|\{\{|\{%|\{\[/.test(value)) found.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const document of parseAllDocuments(readFileSync(file, 'utf8')))
    collect('toJS' in document ? document.toJS() : undefined);
  return found;
}
