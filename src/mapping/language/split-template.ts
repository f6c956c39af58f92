// Splits a text of a mapping into literal parts and expressions. Quotes, backticks and comments within an expression may hold the
// signs that would end it.

export type TemplateExpression = {
  readonly text: string;
  /** Where `text` begins in the whole. */
  readonly start: number;
  readonly keepsNull: boolean;
};

export type Template =
  | { readonly kind: 'constant' }
  /** `{{ }}`, and nothing else. */
  | { readonly kind: 'first'; readonly expression: TemplateExpression }
  /** `{[ ]}`, and nothing else. */
  | { readonly kind: 'all'; readonly expression: TemplateExpression }
  | { readonly kind: 'text'; readonly parts: readonly (string | TemplateExpression)[] }
  | { readonly kind: 'wrong'; readonly at: number; readonly message: string };

export function splitTemplate(text: string): Template {
  if (text.trimStart().startsWith('{%')) {
    return wrong(text.indexOf('{%'), 'a block such as {% if … %} is a key: what it makes comes after a colon');
  }
  const parts: (string | TemplateExpression)[] = [];
  let done = 0;
  for (let at = nextOpening(text, 0); at >= 0; at = nextOpening(text, done)) {
    const isAll = text[at + 1] === '[';
    const end = expressionEnd(text, at + 2, isAll ? ']' : '}');
    if ('message' in end) return wrong(end.at ?? at, end.message);
    if (isAll) return wholeArray(text, at, end.at);
    const expression = single(text, at, end.at);
    if ('message' in expression) return wrong(expression.at, expression.message);
    if (at === 0 && end.at + 2 === text.length) return { kind: 'first', expression };
    if (at > done) parts.push(text.slice(done, at));
    parts.push(expression);
    done = end.at + 2;
  }
  if (parts.length === 0) return { kind: 'constant' };
  if (done < text.length) parts.push(text.slice(done));
  return { kind: 'text', parts };
}

function wrong(at: number, message: string): Template {
  return { kind: 'wrong', at, message };
}

/** One brace after another: a search for each sign would read a text with many expressions to its end again and again. */
function nextOpening(text: string, from: number): number {
  for (let at = text.indexOf('{', from); at >= 0; at = text.indexOf('{', at + 1)) {
    if (text[at + 1] === '{' || text[at + 1] === '[') return at;
  }
  return -1;
}

function wholeArray(text: string, at: number, end: number): Template {
  // White space around it means nothing: `|` and `>` leave a line end behind.
  if (text.slice(0, at).trim() !== '' || text.slice(end + 2).trim() !== '') {
    return wrong(at, '{[ … ]} gives an array, so it is alone in its text: use {{ … }} within a text');
  }
  return { kind: 'all', expression: { text: text.slice(at + 2, end), start: at + 2, keepsNull: false } };
}

function single(text: string, at: number, end: number): TemplateExpression | { at: number; message: string } {
  const keepsNull = text[at + 2] === '+';
  const hasEndSign = text[end - 1] === '+' && end - 1 > at + 2;
  if (keepsNull && !hasEndSign) return { at, message: 'what begins with {{+ ends with +}}' };
  if (!keepsNull && hasEndSign) return { at: end - 1, message: 'what ends with +}} begins with {{+' };
  const start = at + (keepsNull ? 3 : 2);
  return { text: text.slice(start, keepsNull ? end - 1 : end), start, keepsNull };
}

type End = { readonly at: number } | { readonly at?: number; readonly message: string };

/** The position of the `}}` or `]}` that ends an expression. */
export function expressionEnd(text: string, from: number, closing: '}' | ']'): End {
  const opening = closing === '}' ? '{' : '[';
  let open = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at] ?? '';
    if (character === "'" || character === '`') {
      const end = quoteEnd(text, at);
      if (end < 0) return { at, message: `the ${character} that begins here is never closed` };
      at = end;
    } else if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      at = commentEnd(text, at, `${closing}}`) - 1;
    } else if (character === opening) {
      open++;
    } else if (character === closing) {
      if (open === 0 && text[at + 1] === '}') return { at };
      open = Math.max(0, open - 1);
    }
    at++;
  }
  return { message: closing === '}' ? '{{ is never closed with }}' : '{[ is never closed with ]}' };
}

function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[start]) return at;
  }
  return -1;
}

/** A comment to the end of the line ends with its expression, too: YAML may have folded the lines. */
function commentEnd(text: string, start: number, closing: string): number {
  if (text[start + 1] === '*') {
    const end = text.indexOf('*/', start + 2);
    return end < 0 ? text.length : end + 2;
  }
  let end = start;
  while (end < text.length && text[end] !== '\n' && !text.startsWith(closing, end)) end++;
  return end;
}
