// Parses a key of a mapping: an element, a block, or a misspelled block.
import { didYouMean } from '../suggest.ts';
import { expressionEnd } from './split-template.ts';

/** An expression in a key, with its start. */
export type KeyExpression = { readonly text: string; readonly start: number };

export type KeyMeaning =
  | { readonly kind: 'element' | 'assign' | 'merge' | 'else' }
  | { readonly kind: 'if'; readonly expression: KeyExpression }
  | { readonly kind: 'for'; readonly item: string; readonly index?: string; readonly expression: KeyExpression }
  /** `{{ expr }}` */
  | { readonly kind: 'context'; readonly expression: KeyExpression }
  | { readonly kind: 'wrong'; readonly at: number; readonly message: string };

const BLOCKS = ['assign', 'if', 'else', 'for', 'merge'] as const;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FOR = /^for\s+(?:([^\s,]+)\s*,\s*)?([^\s,]+)\s+in\s+/;

export function readKey(key: string): KeyMeaning {
  const start = key.length - key.trimStart().length;
  const end = key.trimEnd().length;
  if (key.startsWith('{%', start)) {
    if (!key.endsWith('%}', end) || end - start < 4) return wrong(start, '{% is never closed with %}');
    return readBlock(key.slice(0, end - 2), start + 2);
  }
  if (key.startsWith('{{', start)) return readContext(key, start, end);
  const inside = key.search(/\{\{|\{%|\{\[/);
  if (inside < 0) return { kind: 'element' };
  return wrong(inside, key.startsWith('{[', start) ? 'a key that loops is written {{ … }}' : INSIDE);
}

const INSIDE = 'the name of an element cannot be made by an expression: a block or {{ … }} is all of its key';

function wrong(at: number, message: string): KeyMeaning {
  return { kind: 'wrong', at, message };
}

function readContext(key: string, start: number, end: number): KeyMeaning {
  const closed = expressionEnd(key, start + 2, '}');
  if ('message' in closed) return wrong(closed.at ?? start, closed.message);
  if (closed.at + 2 !== end) return wrong(start, INSIDE);
  if (key[start + 2] === '+') return wrong(start, '{{+ … +}} is for values: a key that loops is written {{ … }}');
  return { kind: 'context', expression: { text: key.slice(start + 2, closed.at), start: start + 2 } };
}

/** `key` without its `%}`; the content of the braces begins at `from`. */
function readBlock(key: string, from: number): KeyMeaning {
  const inner = key.slice(from);
  const start = from + inner.length - inner.trimStart().length;
  const text = inner.trim();
  const word = /^[A-Za-z]+/.exec(text)?.[0] ?? '';
  const rest = text.slice(word.length);
  if (word === 'assign' || word === 'merge') {
    return rest === ''
      ? { kind: word }
      : wrong(start + word.length, `{% ${word} %} has nothing else between its braces`);
  }
  if (word === 'else') return readElse(rest, start);
  if (word === 'if') return readIf(rest, start + word.length);
  if (word === 'for') return readFor(text, start);
  if (text === '') return wrong(from, 'there is nothing between {% and %}');
  return wrong(start, `there is no block {% ${word || text.slice(0, 20)} %}${meant(word)}`);
}

function meant(word: string): string {
  if (/^el(se|s)?if$/i.test(word)) return ELSE_IF;
  const hint = didYouMean(word, BLOCKS, (name) => `{% ${name} %}`);
  return hint || `; the blocks are ${BLOCKS.map((name) => `{% ${name} %}`).join(', ')}`;
}

const ELSE_IF = ': write {% else %}, and an {% if … %} of its own in it';

function readElse(rest: string, start: number): KeyMeaning {
  if (rest === '') return { kind: 'else' };
  const message = /^\s+if\b/.test(rest) ? `there is no else if${ELSE_IF}` : '{% else %} has no condition';
  return wrong(start, message);
}

function readIf(rest: string, start: number): KeyMeaning {
  if (rest.trim() === '') return wrong(start, 'the condition is missing: {% if %note.exists() %}');
  if (/^\w/.test(rest)) return wrong(start, 'a space is missing after if');
  return { kind: 'if', expression: { text: rest, start } };
}

function readFor(text: string, start: number): KeyMeaning {
  const match = FOR.exec(text);
  if (!match) return wrong(start, 'a loop is written {% for item in %list %} or {% for index, item in %list %}');
  const [head, index, item = ''] = match;
  const odd = [index, item].find((name) => name !== undefined && !isName(name));
  if (odd !== undefined) return wrong(start + text.indexOf(odd), nameProblem(odd));
  if (index === item) return wrong(start, 'the item and its index need different names');
  const expression = { text: text.slice(head.length), start: start + head.length };
  return { kind: 'for', item, ...(index === undefined ? {} : { index }), expression };
}

/** `-coding`: the item of a list whose - got no space. */
export function isDashed(key: string): boolean {
  return /^-[A-Za-z]/.test(key);
}

export function isName(name: string): boolean {
  return NAME.test(name) && name !== 'context';
}

export function nameProblem(name: string): string {
  if (name === 'context') return '%context is the whole input: choose another name';
  if (name.startsWith('%')) return 'a name is given without %, and read with it';
  if (isDashed(name)) return 'a space is missing behind the -';
  return 'a name is made of letters, digits and _, and begins with a letter';
}
