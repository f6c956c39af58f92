// Mistakes of mapping authors: each is reported with its line, its column and what to do about it.
import { describe, expect, it } from '@jest/globals';
import { applyText, failureOf, problemsOf } from './run-mapping.ts';

type Case = readonly [mistake: string, mapping: string, problems: readonly string[]];

function walk(cases: readonly Case[]): void {
  it.each(cases)('%s', (_, mapping, problems) => {
    expect(problemsOf(mapping)).toEqual(problems);
  });
}

const ORDER = 'each name in {% assign %} is an item of its own, since their order counts: begin this line with "- "';
const NAMED = 'each item of {% assign %} is a name with its value: - title: "{{ %note.title }}"';
const ALONE = 'a loop is the only key of its object, beside {% assign %}: put it into an object of its own';
const NAME = 'a name is made of letters, digits and _, and begins with a letter';
const INSIDE = 'the name of an element cannot be made by an expression: a block or {{ … }} is all of its key';

describe('mistakes in {% assign %}', () => {
  walk([
    ['two names in its object', '"{% assign %}": {a: 1, b: 2}', [`1:24: ${ORDER}`]],
    ['two names in one of its items', '"{% assign %}":\n  - a: 1\n    b: 2\n  - c: 1', [`3:5: ${ORDER}`]],
    [
      'a number',
      '"{% assign %}": 1',
      ['1:1: {% assign %} holds a list of names, one each: - title: "{{ %note.title }}"'],
    ],
    ['an item that is no object', '"{% assign %}":\n  - 1\n  - [a]', [`2:5: ${NAMED}`, `3:5: ${NAMED}`]],
    ['an item without a name', '"{% assign %}": [{}]', ['1:18: a name is missing in {% assign %}']],
    ['a name with a -, which would be read as minus', '"{% assign %}": [{birth-date: 1}]', [`1:19: ${NAME}`]],
    ['a name whose - got no space', '"{% assign %}":\n  -a: 1', ['2:3: a space is missing behind the -']],
    ['a name with its %', '"{% assign %}": [{"%a": 1}]', ['1:20: a name is given without %, and read with it']],
    ['a name that is none', '"{% assign %}": [{"{{ %x }}": 1}]', [`1:20: ${NAME}`]],
    [
      'the name of the whole input',
      '"{% assign %}": {context: 1}',
      ['1:18: %context is the whole input: choose another name'],
    ],
    ['something else in its braces', '"{% assign a %}": 1', ['1:11: {% assign %} has nothing else between its braces']],
    [
      'a second one',
      '"{% assign %}": {a: 1}\n"{%assign%}": {b: 1}\nc: 1',
      ['2:1: a second {% assign %} in this object: write one, with a list of names'],
    ],
  ]);
});

describe('mistakes in {% if %} and {% else %}', () => {
  walk([
    [
      'a second if',
      '"{% if true %}": {}\n"{% if false %}": {}',
      ['2:1: a second {% if %} in this object: write {% merge %} with a list of objects, an {% if %} in each'],
    ],
    [
      'a second else',
      'a: 1\n"{% if true %}": {}\n"{% else %}": {}\n"{% else  %}": {}',
      ['4:1: a second {% else %} in this object'],
    ],
    ['an else without an if', 'a: 1\n"{% else %}": {}', ['2:1: an {% else %} without an {% if %} in the same object']],
    ['an else with a condition', '"{% if true %}": 1\n"{% else %x %}": 2', ['2:5: {% else %} has no condition']],
    [
      'else if',
      '"{% if true %}": 1\n"{% else if %x %}": 2',
      ['2:5: there is no else if: write {% else %}, and an {% if … %} of its own in it'],
    ],
    [
      'elif',
      '"{% if true %}": 1\n"{% elif %x %}": 2',
      ['2:5: there is no block {% elif %}: write {% else %}, and an {% if … %} of its own in it'],
    ],
    ['no condition', '"{% if %}": 1', ['1:7: the condition is missing: {% if %note.exists() %}']],
    [
      'no space after if',
      '"{% iftrue %}": 1',
      [
        '1:5: there is no block {% iftrue %}; the blocks are {% assign %}, {% if %}, {% else %}, {% for %}, {% merge %}',
      ],
    ],
  ]);
});

describe('mistakes in loops', () => {
  const LOOP = 'a loop is written {% for item in %list %} or {% for index, item in %list %}';
  walk([
    ['other keys beside a for', '"{% for x in %l %}": 1\nb: 2', [`1:1: ${ALONE}`]],
    ['other keys beside a context', 'b: 2\n"{{ %l }}": 1', [`2:1: ${ALONE}`]],
    ['a for beside an if', '"{% if true %}": {}\n"{% for x in %l %}": 1', [`2:1: ${ALONE}`]],
    ['no in', '"{% for x %l %}": 1', [`1:5: ${LOOP}`]],
    ['no list', '"{% for x in %}": 1', [`1:5: ${LOOP}`]],
    ['three names', '"{% for a, b, c in %l %}": 1', [`1:5: ${LOOP}`]],
    ['a name with a -, which would be read as minus', '"{% assign %}": [{birth-date: 1}]', [`1:19: ${NAME}`]],
    ['a name with its %', '"{% for %x in %l %}": 1', ['1:9: a name is given without %, and read with it']],
    [
      'item and index of the same name',
      '"{% for x, x in %l %}": 1',
      ['1:5: the item and its index need different names'],
    ],
    [
      'a null that stays as a key',
      '"{{+ %l +}}": 1',
      ['1:2: {{+ … +}} is for values: a key that loops is written {{ … }}'],
    ],
    ['all values as a key', '"{[ %l ]}": 1', ['1:2: a key that loops is written {{ … }}']],
  ]);
});

describe('a merged value that is certainly no object', () => {
  const taken = '{% merge %} takes an object, whose keys are added; this gives';
  const made = 'an {% if %} beside other keys makes an object, whose keys are added; this gives';
  walk([
    [
      'a list, in an if of its own',
      'a: 1\n"{% if true %}":\n  "{% if %x.exists() %}": ["{{ %x }}"]',
      ['3:27: an {% if %} beside other keys makes an object, whose keys are added; this gives a list'],
    ],
    [
      'a text, in an else of its own',
      '"{% merge %}":\n  - "{% if %x.exists() %}": {a: 1}\n    "{% else %}": abc',
      ['3:19: {% merge %} takes an object, whose keys are added; this gives a text'],
    ],
    [
      'numbers and texts',
      '"{% merge %}": [1, "a", "a{{ %x }}", true]',
      [`1:17: ${taken} a number`, `1:20: ${taken} a text`, `1:25: ${taken} a text`, `1:38: ${taken} a boolean`],
    ],
    [
      'lists and loops',
      '"{% merge %}":\n  - [1]\n  - "{[ %x ]}"\n  - {"{% for y in %x %}": {}}\n  - {"{{ %x }}": {}}',
      [`2:5: ${taken} a list`, `3:5: ${taken} a list`, `4:6: ${taken} a list`, `5:6: ${taken} a list`],
    ],
    [
      'a loop with names',
      '"{% merge %}": {"{% assign %}": {l: 1}, "{% for y in %l %}": {}}',
      [`1:41: ${taken} a list`],
    ],
    [
      'a branch beside keys',
      'a: 1\n"{% if true %}": [1]\n"{% else %}": x',
      [`2:18: ${made} a list`, `3:15: ${made} a text`],
    ],
    ['a branch beside a merge', '"{% merge %}": {a: 1}\n"{% if true %}": 5', [`2:18: ${made} a number`]],
    [
      'null, nothing and a branch alone are none of them',
      '- {a: 1, "{% if true %}": null}\n- {"{% merge %}": [null, [], {}]}\n- {"{% if true %}": [1]}',
      [],
    ],
  ]);
});

describe('keys that look like blocks', () => {
  walk([
    ['a slip of the pen', '"{% fro x in %y %}": 1', ['1:5: there is no block {% fro %}; did you mean {% for %}?']],
    ['a capital', '"{% If true %}": 1', ['1:5: there is no block {% If %}; did you mean {% if %}?']],
    ['an empty one', '"{%  %}": 1', ['1:4: there is nothing between {% and %}']],
    ['one that is not closed', '"{% if true": 1', ['1:2: {% is never closed with %}']],
    ['text around an expression', '"value{{ %type }}": 1', [`1:7: ${INSIDE}`]],
    ['text behind an expression', '"{{ %type }}x": 1', [`1:2: ${INSIDE}`]],
    ['text before a block', '"x {% if true %}": 1', [`1:4: ${INSIDE}`]],
    [
      'something else in the braces of merge',
      '"{% merge all %}": []',
      ['1:10: {% merge %} has nothing else between its braces'],
    ],
    [
      'a second merge',
      '"{% merge %}": {a: 1}\n"{%merge%}": {b: 1}',
      ['2:1: a second {% merge %} in this object: write one, with a list of objects'],
    ],
    [
      'a block as a value',
      'a: "{% if true %}"',
      ['1:5: a block such as {% if … %} is a key: what it makes comes after a colon'],
    ],
  ]);
});

describe('mistakes in expressions', () => {
  walk([
    ['braces that are not closed', 'a: "of {{ %x"', ['1:8: {{ is never closed with }}']],
    ['brackets that are not closed', 'a: "{[ %x }}"', ['1:5: {[ is never closed with ]}']],
    ['a quote that is not closed', `a: "{{ %x.where(id='a) }}"`, ["1:20: the ' that begins here is never closed"]],
    [
      'one plus too many',
      'a: "{{+ %x }}"\nb: "{{ %x +}}"',
      ['1:5: what begins with {{+ ends with +}}', '2:11: what ends with +}} begins with {{+'],
    ],
    ['nothing in the braces', 'a: "{{ }}"', ['1:8: the expression is empty']],
    [
      'all values within a text',
      'a: "see {[ %x ]}"',
      ['1:9: {[ … ]} gives an array, so it is alone in its text: use {{ … }} within a text'],
    ],
    [
      'all values after a value',
      'a: "{{ %x }}{[ %x ]}"',
      ['1:13: {[ … ]} gives an array, so it is alone in its text: use {{ … }} within a text'],
    ],
    ['an unknown function', 'a: "{{ %x.frist() }}"', ['1:11: there is no function frist(); did you mean first()?']],
    [
      'a function that may not be used',
      `a: "{{ %x.matches('a+') }}"`,
      [
        '1:11: matches() is not allowed: a pattern can keep the engine busy for ever: use contains(), startsWith() or replace()',
      ],
    ],
    [
      'in a folded block',
      'a: >-\n  some {{ %x.first(\n    ) }} and {{ %y..z }}',
      ['3:20: a dot is followed by the name of an element or function'],
    ],
    [
      'in a literal block',
      'a: |\n    first line\n      {{ %x + }}\n',
      ['3:14: something is missing at the end of the expression'],
    ],
    [
      'behind escapes',
      'a: "\\u00e9\\t\\"{{ %x. }}"',
      ['1:20: a dot is followed by the name of an element or function'],
    ],
    ['in single quotes', "a: 'it''s {{ %x..y }}'", ['1:17: a dot is followed by the name of an element or function']],
    [
      'a comment that YAML makes longer than its line',
      'a: >-\n  {{ %x // the title\n  & %y }}\nb: |-\n  {{ %x // the title\n  & %y }}\nc: "{{ %x // the title }}"',
      ['2:9: YAML makes one line of these, so this comment takes the next lines along: write /* … */'],
    ],
    ['in a key', '"{% for x in %y.. %}": 1', ['1:17: a dot is followed by the name of an element or function']],
    ['in a condition over the lines', '? "{% if %x\n  and %%y %}"\n: 1', ['2:7: % cannot stand here']],
  ]);
});

it('all mistakes of a file are reported at once, also those inside a wrong part', () => {
  const mapping = [
    'title: "{{ %a.. }}"',
    '"{% fro x in %y %}":',
    '  deep: "{{ %b.. }}"',
    'list:',
    '  - "{% for x in %y.. %}": "{{ %c.. }}"',
    '    beside: "{{ %d.. }}"',
    'key: 1',
    'key: 2',
  ].join('\n');
  expect(problemsOf(mapping).map((problem) => problem.split(' ')[0])).toEqual([
    '1:15:',
    '2:5:',
    '3:16:',
    '5:5:',
    '5:21:',
    '5:35:',
    '6:20:',
    '8:1:',
  ]);
});

describe('mistakes that only an input can show', () => {
  it.each([
    [
      'a text beside keys',
      'a: 1\n"{% if false %}": {}\n"{% else %}": "{{ %x }}"',
      'a',
      '2:1: an {% if %} beside other keys makes an object, whose keys are added; this gives a text',
    ],
    [
      'a number to merge',
      '"{% merge %}":\n  - {a: 1}\n  - "{{ %x }}"',
      5,
      '3:5: {% merge %} takes an object, whose keys are added; this gives a number',
    ],
    [
      'a condition of several values',
      '"{% if %x %}": 1',
      [true, false],
      '1:8: a condition is a single value, and there are 2: use exists(), or all(…)',
    ],
    [
      'an object within a text',
      'a: "x {{ %x }}"',
      { b: 1 },
      '1:10: this gives an object, which cannot be put into a text: name one of its elements (or, where nothing else is meant to stand here, write >- for > or |)',
    ],
    ['a sum of a text', 'a: "{{ %x * 2 }}"', 'two', '1:11: * cannot work on a text and a number'],
  ])('%s: it says where and what, and nothing of the input', (_, mapping, x, problem) => {
    expect(failureOf(() => applyText(mapping, { x }))).toBe(problem);
  });
});
