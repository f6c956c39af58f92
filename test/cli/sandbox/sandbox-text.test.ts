// Tests narratives as plain text, and pages that fit a terminal, whatever the content.
import { describe, expect, it } from '@jest/globals';
import { paragraphsOf, paragraphsOfText } from '../../../src/cli/sandbox/sandbox-narrative.ts';
import { barOf, makePage } from '../../../src/cli/sandbox/sandbox-page.ts';
import { fc } from '../../support/fast-check.ts';

describe('A narrative', () => {
  it.each([
    ['<div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two<br/>lines</p></div>', ['One', 'Two\nlines']],
    ['<div><ul><li>Rest</li><li>Water</li></ul>After</div>', ['- Rest\n- Water', 'After']],
    ['<div>a\n  <b>bold</b>\n word</div>', ['a bold word']],
    ['<div><table><tr><td>Pulse</td><td>88</td></tr><tr><td>BP</td></tr></table></div>', ['Pulse 88\nBP']],
    ['<div>5 &lt; 6 &amp;&#38; &#x2265;&nbsp;7 &unknown; &#0; &#x110000;</div>', ['5 < 6 && ≥ 7 &unknown; � �']],
    ['<div>&lt;script&gt;alert(1)&lt;/script&gt;</div>', ['<script>alert(1)</script>']],
    ['<div>a<script>alert("<p>")</script>b<style>p { }</style><!-- c <p>d</p> -->e</div>', ['abe']],
    ['<div>a<script/>b<title>t</title>c</div>', ['abc']],
    ['<div>2 <3 and <unfinished', ['2 <3 and']],
    ['<div>a<!-- never ends <p>b</p>', ['a']],
    ['', []],
    ['<div><p> </p></div>', []],
  ])('%j becomes the paragraphs %j', (div, expected) => {
    expect(paragraphsOf(div)).toEqual(expected);
  });

  it('of a hostile length is read only once from its beginning', () => {
    for (const piece of ['<', '<!--', '<p', '&#', '<script>', '</'])
      expect(paragraphsOf(piece.repeat(1_000_000)).join('').length).toBeLessThanOrEqual(200_000);
  });

  it('that was made from plain text becomes that text again', () => {
    const word = fc.stringMatching(/^[\p{L}\p{N}&<>"'.,;:%-]{1,8}$/u).filter((text) => text !== '-');
    const escaped = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    const paragraph = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(paragraph, { maxLength: 4 }), (paragraphs) => {
        const div = `<div>${paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('')}</div>`;
        expect(paragraphsOf(div)).toEqual(paragraphs);
        expect(paragraphsOfText(paragraphs.join('\n\n'))).toEqual(paragraphs);
      }),
    );
  });
});

describe('A page', () => {
  it('breaks long lines, and replaces control characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 1, max: 300 }), (text, columns) => {
        const page = makePage({ isColored: false, columns });
        page.add(text, { indent: 4, ink: 'loud' });
        page.hang('Written by  ', text);
        page.rows([
          ['▊  5 %', text, 'A00', text],
          [text, 'short', '', ''],
        ]);
        const lines = page.text().split('\n');
        // The text of the first column stays in one line.
        const own = lines.filter((line) => !line.includes('short'));
        expect(Math.max(...own.map((line) => [...line].length))).toBeLessThanOrEqual(
          Math.max(40, Math.min(98, columns)),
        );
        expect(page.text().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('has columns if they fit, and sentences otherwise', () => {
    const rows = [
      ['████  40 %', 'Acute pharyngitis', 'J02.9', 'provisional'],
      ['▌      5 %', 'A cold', 'J00', ''],
    ];
    const wide = makePage({ isColored: false, columns: 80 });
    wide.rows(rows);
    expect(wide.text()).toBe('████  40 %  Acute pharyngitis  J02.9  provisional\n▌      5 %  A cold             J00\n');
    const narrow = makePage({ isColored: false, columns: 40 });
    narrow.rows(rows);
    expect(narrow.text()).toBe(
      '████  40 %  Acute pharyngitis, J02.9,\n            provisional\n▌      5 %  A cold, J00\n',
    );
  });

  it.each([
    [-5, ''],
    [0, ''],
    [0.3, ''],
    [1, '▏'],
    [45, '████▌'],
    [99.9, '██████████'],
    [100, '██████████'],
    [250, '██████████'],
  ])('has a bar for %d percent', (percent, bar) => {
    expect(barOf(percent)).toBe(bar.padEnd(10));
  });
});
