import { describe, expect, it } from '@jest/globals';
import { FUNCTIONS, REFUSED_FUNCTIONS } from '../../../src/mapping/fhirpath/known-functions.ts';
import { parseExpression } from '../../../src/mapping/fhirpath/parse-expression.ts';
import type { ExpressionNode } from '../../../src/mapping/fhirpath/syntax.ts';
import { itemsOf, problemOf } from './evaluate.ts';

describe('the precedence of operators', () => {
  it.each([
    ['1 + 2 * 3', '(1 + (2 * 3))'],
    ['1 - 2 - 3', '((1 - 2) - 3)'],
    ['-a.b + c', '((-a.b) + c)'],
    ['a | b = c', '((a | b) = c)'],
    ['a = b in c', '((a = b) in c)'],
    ['a in b and c', '((a in b) and c)'],
    ['a or b and c xor d', '((a or (b and c)) xor d)'],
    ['a and b implies c or d', '((a and b) implies (c or d))'],
    ['a & b is String', '((a & b) is String)'],
    ['a is Quantity and b', '((a is Quantity) and b)'],
    ['a > 1 = b', '((a > 1) = b)'],
    ['a div 2 mod 3', '((a div 2) mod 3)'],
    ['(a or b) and c', '((a or b) and c)'],
    ['a.b[0].c(d, e + 1)', 'a.b[0].c(d,(e + 1))'],
  ])('%s is read as %s', (text, read) => expect(shown(parseExpression(named(text)))).toBe(read));

  /** `c` is no function. */
  function named(text: string): string {
    return text.replace('.c(d, e + 1)', '.replace(d, e + 1)');
  }

  function shown(node: ExpressionNode): string {
    const before = 'target' in node && node.target ? `${shown(node.target)}` : '';
    const dotted = before === '' ? '' : `${before}.`;
    if (node.kind === 'operation') return `(${shown(node.left)} ${node.operator} ${shown(node.right)})`;
    if (node.kind === 'sign') return `(${node.sign}${shown(node.operand)})`;
    if (node.kind === 'type') return `(${before} ${node.operator} ${node.type})`;
    if (node.kind === 'item') return `${before}[${shown(node.index)}]`;
    if (node.kind === 'call') return `${dotted}c(${node.args.map(shown).join(',')})`;
    if (node.kind === 'member') return `${dotted}${node.name}`;
    return node.kind === 'literal' && node.literal.type === 'integer' ? String(node.literal.value) : node.kind;
  }
});

describe('words and signs', () => {
  it('a node has the position of its sign or name', () => {
    expect(parseExpression('%note.title = 1')).toMatchObject({
      kind: 'operation',
      at: 12,
      left: { kind: 'member', at: 6, target: { kind: 'variable', at: 0 } },
      right: { at: 14 },
    });
    expect(parseExpression('a.where(b)[2]')).toMatchObject({ kind: 'item', at: 10, target: { at: 2 } });
  });

  it('a word that is an operator is a name after a dot, in backticks, and where no operator is possible', () => {
    const data = { contains: 1, in: 2, is: 3, as: 4, div: 5, mod: 6, and: 7, true: 8 };
    const context = { ...data, inner: data };
    expect(itemsOf('contains + in + is + as', { context })).toEqual([10]);
    expect(itemsOf('inner.div + inner.mod + inner.and + inner.true', { context })).toEqual([26]);
    expect(itemsOf('`div` + `and`', { context })).toEqual([12]);
  });

  it('a variable may have a name in quotes or backticks', () => {
    const variables = { 'us core': { x: 1 } };
    expect(itemsOf("%'us core'.x", { variables })).toEqual([1]);
    expect(itemsOf('%`us core`.x', { variables })).toEqual([1]);
  });

  it('an expression may run over lines and hold comments', () => {
    expect(itemsOf('1 // one\n + /* and */ 2')).toEqual([3]);
    expect(itemsOf("4\n days = 4'days'.toString().length() or true")).toEqual([true]);
  });

  it('escapes in a text are read', () => {
    expect(itemsOf(String.raw`'it\'s \u0041\t\\ \q'`)).toEqual(["it's A\t\\ q"]);
  });
});

describe('an expression that cannot be parsed is refused with a position and a hint', () => {
  it.each([
    ['', '0: the expression is empty'],
    ['  /* nothing */ ', '0: the expression is empty'],
    ['%a %b', '3: there is more after the end of the expression: %b'],
    ["a 'b'", "2: there is more after the end of the expression: 'b'"],
    ['a b', '2: there is more after the end of the expression: b'],
    ['(1 + 2', "6: ')' is missing"],
    ['(1 + 2]', "6: ')' is missing"],
    ['a[0', "3: ']' is missing"],
    ['a.where(b = 1', "13: ')' is missing"],
    ['a.where(b c)', "10: ')' is missing"],
    ['iif(a b c)', "6: ')' is missing"],
    ['iif(a, b,)', '9: ) cannot stand here'],
    ['a)', '1: there is more after the end of the expression: )'],
    ["x = 'abc", "4: a text in quotes does not end: ' is missing"],
    ["'abc\\'", "0: a text in quotes does not end: ' is missing"],
    ['a.`b', '2: a name in backticks does not end: ` is missing'],
    ['a /* b', '2: a comment does not end: */ is missing'],
    ['a /*/', '2: a comment does not end: */ is missing'],
    ['"a"', "0: a text is written in single quotes: 'text'"],
    ['1 +', '3: something is missing at the end of the expression'],
    ['* 2', '0: * cannot stand here'],
    ['a..b', '2: a dot is followed by the name of an element or function'],
    ['a.', '1: a dot is followed by the name of an element or function'],
    ['a.$this', '2: a dot is followed by the name of an element or function'],
    ['5days', '1: a space is missing between the number and the word after it'],
    ['1 2', '2: two numbers stand side by side: an operator is missing'],
    ['a; b', '1: ; cannot stand here'],
    ['a ! b', '2: ! cannot stand here'],
    ["%a == 'x'", '3: == cannot stand here: write one ='],
    ["%a !== 'x'", '3: !== cannot stand here: write !='],
    ["%a <> 'x'", '3: <> cannot stand here: write !='],
    ['%a && %b', '3: && cannot stand here: write and, or one & to join texts'],
    ['%a || %b', '3: || cannot stand here: write or'],
    ['%a & & %b', '5: & cannot stand here'],
    ['!%a', '0: ! cannot stand here: write .not() behind what is not to be, as in %note.exists().not()'],
    ['é', '0: é cannot stand here'],
    ['%', '0: % cannot stand here'],
    ['% a', '0: % cannot stand here'],
    ['a%b', '0: a%b is not a name'],
    ['$that', '0: only $this, $index and $total begin with $'],
    ['@', '0: @ is followed by a date or a time: @2026-11-21, @T14:30'],
    ['@2026-1-1', '0: this is not a date or time: @2026-11-21, @2026-11-21T14:30:00Z, @T14:30'],
    ['@2026-02-30', '0: there is no such day or time'],
    ['@T25:00', '0: this is not a date or time: @2026-11-21, @2026-11-21T14:30:00Z, @T14:30'],
    ['x is Quantty', '5: there is no type Quantty; did you mean Quantity?'],
    ['x is System.Patient', '5: there is no type System.Patient'],
    ['x.ofType(1)', '9: the name of a type is missing: Quantity, Patient, string'],
    ['x as Quantity.value', '13: brackets are missing: (… as Quantity).…'],
    ['a.whre(b)', '2: there is no function whre(); did you mean where()?'],
    ['a.oftype(Quantity)', '2: there is no function oftype(); did you mean ofType()?'],
    ['a.constructor()', '2: there is no function constructor()'],
    ['__proto__()', '0: there is no function __proto__()'],
    ['a.where()', '2: where() takes 1 argument: where(criterion)'],
    ['a.first(1)', '2: first() takes no argument: first()'],
    ["a.replace('b')", '2: replace() takes 2 arguments: replace(text, by)'],
    ['a.substring(1, 2, 3)', '2: substring() takes 1 to 2 arguments: substring(start[, length])'],
    ['a.repeat($this)', '2: repeat() takes a path of elements only, as in repeat(item): it could go on for ever'],
    ['a.repeat(b & c)', '2: repeat() takes a path of elements only, as in repeat(item): it could go on for ever'],
    [
      "a.matches('x')",
      '2: matches() is not allowed: a pattern can keep the engine busy for ever: use contains(), startsWith() or replace()',
    ],
    ['now()', '0: now() is not allowed: a mapping gives the same result every time: use %run.time'],
    ['a.resolve()', '2: resolve() is not allowed: a mapping reads nothing from outside'],
    ["a.trace('x')", '2: trace() is not allowed: it would write patient data to the log'],
  ])('%s', (text, problem) => expect(problemOf(text)).toBe(problem));

  it('every refused function is refused by its name, and none of them can be called', () => {
    for (const [name, reason] of REFUSED_FUNCTIONS) {
      expect(problemOf(`%a.${name}('x')`)).toBe(`3: ${name}() is not allowed: ${reason}`);
      expect(FUNCTIONS.has(name)).toBe(false);
    }
  });
});

describe('an expression that would take the engine down is refused', () => {
  it('an expression with brackets nested without end is refused', () => {
    expect(itemsOf(`${'('.repeat(90)}1${')'.repeat(90)}`)).toEqual([1]);
    expect(problemOf(`${'('.repeat(30_000)}1`)).toContain('nested too deeply: at most 100 levels');
    expect(problemOf(`${'-'.repeat(30_000)}1`)).toContain('nested too deeply');
    expect(problemOf(`${'iif(a,'.repeat(5_000)}`)).toContain('nested too deeply');
    expect(problemOf(`${'a['.repeat(5_000)}`)).toContain('nested too deeply');
  });

  it('a chain without end is refused', () => {
    expect(itemsOf(Array(300).fill('1').join(' + '))).toEqual([300]);
    expect(problemOf(Array(20_000).fill('1').join('+'))).toContain('too long: at most 400 parts in a chain');
    expect(problemOf(Array(20_000).fill('a').join('.'))).toContain('too long');
    expect(problemOf(`a${'.first()'.repeat(5_000)}`)).toContain('too long');
  });

  it('a text without end is refused', () => {
    expect(itemsOf(`'${'x'.repeat(60_000)}'.length()`)).toEqual([60_000]);
    expect(problemOf(`'${'x'.repeat(70_000)}'`)).toBe('0: the expression is too long: at most 65,536 characters');
  });

  it('many numbers side by side, which the tokenizer would scan repeatedly, are refused', () => {
    expect(problemOf('1 '.repeat(30_000))).toBe('2: two numbers stand side by side: an operator is missing');
    expect(problemOf('1/**/'.repeat(10_000))).toContain('there is more after the end');
  });
});
