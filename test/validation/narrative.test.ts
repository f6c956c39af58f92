import { describe, expect, it } from '@jest/globals';
import { narrativeProblems } from '../../src/validation/narrative.ts';

const OPEN = '<div xmlns="http://www.w3.org/1999/xhtml">';

function problemsOf(inside: string): readonly string[] {
  return narrativeProblems(`${OPEN}${inside}</div>`);
}

describe('a narrative', () => {
  it.each([
    ['words', 'Cough for three days.'],
    ['the elements that FHIR lists', '<h1>A</h1><p>B <b>c</b><br/></p><ul><li>d</li></ul><pre>\n e</pre><hr />'],
    [
      'a table',
      '<table class="grid"><thead><tr><th scope="col">x</th></tr></thead><tbody><tr><td colspan="2">y</td></tr></tbody></table>',
    ],
    ['escaped markup', '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &apos;x&apos;'],
    ['numbered characters', 'T &#62; 38 &#xB0;C'],
    ['a bare > and quotes', 'a > b, "c", \'d\''],
    ['an escaped end of CDATA', ']]&gt;'],
    [
      'links',
      '<a href="https://example.org/a?b=1&amp;c=2#d">a</a> <a href="mailto:a@example.org">b</a> <a href="Patient/1">c</a> <a href="#x">d</a>',
    ],
    ['an image inside', '<img src="data:image/png;base64,iVBORw0KGgo=" alt="x"/>'],
    ['an image of a contained resource', '<img src="#image" alt="x"/>'],
    ['a plain style', '<p style="color: #c00; text-align: right">x</p>'],
    ['attributes in single quotes, on lines of their own', "<p\n  class='a'\n  title='b \"c\"'>x</p>"],
    ['the namespace a second time', '<p xmlns="http://www.w3.org/1999/xhtml">x</p>'],
    ['space around it', 'x'],
  ])('may have %s', (_, inside) => {
    expect(problemsOf(inside)).toEqual([]);
  });

  it('may have space around its div', () => {
    expect(narrativeProblems(` \n${OPEN}x</div>\n`)).toEqual([]);
  });

  it.each([
    ['a script', '<script>alert(1)</script>', /^has <script> that FHIR allows in no narrative/],
    ['a script in capitals', '<SCRIPT>alert(1)</SCRIPT>', /^has <script> that/],
    ['a style element', '<style>p{}</style>', /^has <style> that/],
    ['a frame', '<iframe src="https://example.org"></iframe>', /^has <iframe> that/],
    ['a form', '<form><input name="a"/></form>', /^has <form> that/],
    ['an object', '<object data="x"></object>', /^has <object> that/],
    ['SVG', '<svg><p>x</p></svg>', /^has <svg> that/],
    [
      'an element of another namespace',
      '<x:p xmlns:x="urn:x">x</x:p>',
      /^has an element that FHIR allows in no narrative/,
    ],
    ['an element in capitals', '<P>x</P>', /^has <p> in capitals/],
    ['an event handler', '<p onclick="alert(1)">x</p>', /^has an event handler/],
    ['an event handler in capitals', '<p ONCLICK="alert(1)">x</p>', /^has an event handler/],
    ['an attribute that FHIR does not list', '<p contenteditable="true">x</p>', /^has an attribute that/],
    ['a link that runs something', '<a href="javascript:alert(1)">x</a>', /^has a link \(href\)/],
    ['the same, hidden by entities', '<a href="&#106;ava&#x53;cript:alert(1)">x</a>', /^has a link \(href\)/],
    ['the same, hidden by a line end', '<a href="java&#10;script:alert(1)">x</a>', /^has a link \(href\)/],
    ['the same, behind a space', '<a href=" javascript:alert(1)">x</a>', /^has a link \(href\)/],
    ['a link that is a page itself', '<a href="data:text/html,x">x</a>', /^has a link \(href\)/],
    ['a citation that runs something', '<q cite="vbscript:x">x</q>', /^has a link \(cite\)/],
    ['an image from elsewhere', '<img src="https://example.org/a.png"/>', /^has an image from elsewhere/],
    ['an image that can run something', '<img src="data:image/svg+xml;base64,AAAA"/>', /^has an image from elsewhere/],
    ['a source of what is no image', '<p src="#a">x</p>', /^has an image from elsewhere/],
    [
      'a style that loads something',
      '<p style="background: url(https://example.org/a.png)">x</p>',
      /^has a style that loads/,
    ],
    ['the same, hidden by an escape', '<p style="background: u\\72l(a)">x</p>', /^has a style that loads/],
    ['another namespace', '<p xmlns="urn:x">x</p>', /^has a namespace other than XHTML/],
    [
      'an element that is never closed',
      '<p>x',
      /^is not well-formed XHTML: at character [0-9]+ <div> is closed where <p> is open/,
    ],
    ['elements that overlap', '<b><i>x</b></i>', /<b> is closed where <i> is open/],
    [
      'a closing tag too many',
      'x</div></p>',
      /^is not well-formed XHTML: at character [0-9]+ <p> is closed and was not open/,
    ],
    ['a bare <', 'T < 38', /a < begins no element/],
    ['a bare &', 'a & b', /an & begins none of/],
    ['an entity of HTML', 'a&nbsp;b', /an & begins none of/],
    ['an entity that is no character', 'a&#0;b', /an & begins none of/],
    ['half a character as an entity', 'a&#xD800;b', /an & begins none of/],
    ['an entity without its end', 'a&ltb', /an & begins none of/],
    ['an attribute without quotes', '<p class=a>x</p>', /<p> does not end, or has an attribute without quotes/],
    ['an attribute without a value', '<p compact>x</p>', /does not end, or has/],
    ['attributes without space', '<p class="a"id="b">x</p>', /does not end, or has/],
    ['an attribute twice', '<p class="a" class="b">x</p>', /has an attribute twice/],
    ['a < in an attribute', '<p title="<b>">x</p>', /does not end, or has/],
    ['a comment', 'a<!-- b -->', /comment, CDATA section/],
    ['a CDATA section', '<![CDATA[<script>]]>', /comment, CDATA section/],
    ['a processing instruction', '<?php x ?>', /comment, CDATA section/],
    ['an end of CDATA', 'a ]]> b', /has a bare \]\]>/],
    ['a second div', `x</div>${OPEN}y`, /a second element follows its <div>/],
    ['text behind its div', 'x</div>y<div>', /has text outside of its <div>/],
    ['only space', ' \n<p>&#160;</p>', /^has no content/],
    ['nothing', '', /^has no content/],
  ])('may not have %s', (_, inside, problem) => {
    expect(problemsOf(inside)).toContainEqual(expect.stringMatching(problem));
  });

  it.each([
    ['no element at all', 'Cough.', /has text outside of its <div>/],
    ['nothing but space', '  ', /it has no <div>/],
    [
      'another element around it',
      '<p xmlns="http://www.w3.org/1999/xhtml">x</p>',
      /^must have one <div> around everything/,
    ],
    ['no namespace', '<div>x</div>', /^must begin with <div xmlns=/],
    ['a document type', `<!DOCTYPE html>${OPEN}x</div>`, /DOCTYPE/],
    ['an end that never comes', `${OPEN}x`, /<div> is never closed/],
    ['a tag that never ends', `${OPEN}x</div`, /a closing tag does not end/],
  ])('may not have %s', (_, div, problem) => {
    expect(narrativeProblems(div)).toContainEqual(expect.stringMatching(problem));
  });

  it('says all that is wrong, each once', () => {
    expect(problemsOf('<script>a</script><script>b</script><p onclick="c">d</p>')).toHaveLength(2);
  });

  it('never repeats what is in it: a tag may be a name', () => {
    const problems = [
      ...problemsOf('<hansmuster>x</hansmuster>'),
      ...problemsOf('<p hansmuster="1">x</p>'),
      ...problemsOf('<p><hansmuster>'),
      ...problemsOf('</hansmuster>'),
      ...problemsOf('&hansmuster;'),
      ...problemsOf('<p hansmuster>'),
    ];
    expect(problems.length).toBeGreaterThanOrEqual(6);
    expect(problems.join('\n')).not.toMatch(/hansmuster/i);
  });
});

describe('a hostile narrative is read in one pass', () => {
  const length = 4_000_000;
  it.each([
    ['of many elements', '<b>x</b>'.repeat(length / 8)],
    ['of many entities', '&lt;'.repeat(length / 4)],
    ['of bare ampersands', '&'.repeat(length)],
    ['of opening tags', '<div>'.repeat(length / 5)],
    ['of bare <', '<'.repeat(length)],
    ['of space in a tag', `<p${' '.repeat(length)}`],
    ['of an attribute without an end', `<p title="${'a'.repeat(length)}`],
    ['of attributes', `<p ${'title="a" '.repeat(length / 10)}>`],
    ['of a name without an end', `<${'a'.repeat(length)}`],
    ['of closing tags', '</b>'.repeat(length / 4)],
    ['of CDATA ends in sight', '<b>]]</b>'.repeat(length / 9)],
  ])('%s', (_, inside) => {
    const started = performance.now();
    problemsOf(inside);
    // Read again from the start at each step, it would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
