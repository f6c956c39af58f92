// Functions on texts. A text's cost is spent before it is made.
import { ExpressionError } from '../frame.ts';
import { collected, itemsOf, type Spot, spendOnText, wrongType } from '../values.ts';
import { type Calls, type MakeCall, ofItems, ofText, type Running, spend, textAt, wholeNumberAt } from './make-call.ts';

/** Both texts are there, or the result is empty. */
function withText(work: (text: string, other: string, call: Running) => unknown): MakeCall {
  return ofText((text, call) => {
    const other = textAt(call, 0);
    if (other === undefined) return undefined;
    spendOnText(call.frame, text.length, other.length);
    return work(text, other, call);
  });
}

function substring(text: string, call: Running): string | undefined {
  const start = wholeNumberAt(call, 0);
  const length = wholeNumberAt(call, 1);
  if (start === undefined || start < 0 || start >= text.length) return undefined;
  const part = length === undefined ? text.slice(start) : text.slice(start, start + Math.max(0, length));
  spend(call, part.length);
  return part;
}

function replace(text: string, call: Running): string | undefined {
  const [pattern, by] = [textAt(call, 0), textAt(call, 1)];
  if (pattern === undefined || by === undefined) return undefined;
  spendOnText(call.frame, text.length, pattern.length);
  const parts = pattern === '' ? text.length + 2 : countIn(text, pattern) + 1;
  spend(call, text.length + Math.max(0, by.length) * parts);
  // A function, since a `$&` in a text means nothing.
  return text.replaceAll(pattern, () => by);
}

function countIn(text: string, pattern: string): number {
  let count = 0;
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length)) count++;
  return count;
}

const join = ofItems((value, call) => {
  if (value === undefined) return undefined;
  const separator = textAt(call, 0) ?? '';
  const texts = itemsOf(value);
  call.frame.budget.spendSteps(texts.length);
  const characters = texts.reduce<number>((sum, text) => sum + textIn(text, call.parts.spot).length, 0);
  spend(call, characters + separator.length * (texts.length - 1));
  return texts.join(separator);
});

function textIn(item: unknown, spot: Spot): string {
  if (typeof item === 'string') return item;
  throw wrongType(item, spot, 'texts');
}

function pieces(call: Running, text: string, separator: string): unknown {
  spend(call, text.length);
  call.frame.budget.spendSteps(separator === '' ? text.length : countIn(text, separator) + 1);
  return collected(text.split(separator));
}

const ENCODINGS = { base64: 'base64', urlbase64: 'base64url', base64url: 'base64url', hex: 'hex' } as const;

function encodingOf(format: string, { parts: { spot } }: Running): BufferEncoding {
  const known = Object.hasOwn(ENCODINGS, format) ? ENCODINGS[format as keyof typeof ENCODINGS] : undefined;
  if (known) return known;
  throw new ExpressionError(`${spot.name} knows 'base64', 'urlbase64' and 'hex'`, spot.at);
}

export function base64Length(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3) * 4;
}

function encode(text: string, format: string, call: Running): string {
  const encoding = encodingOf(format, call);
  spend(call, encoding === 'hex' ? Buffer.byteLength(text) * 2 : base64Length(text));
  const encoded = Buffer.from(text, 'utf8').toString(encoding);
  // HL7's url form keeps the padding, Node's does not.
  return encoding === 'base64url' ? encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=') : encoded;
}

function decode(text: string, format: string, call: Running): string {
  const encoding = encodingOf(format, call);
  spend(call, text.length);
  const isWhole = encoding === 'hex' ? /^(?:[0-9a-f]{2})*$/i.test(text) : /^[\w+/-]*={0,2}$/.test(text);
  if (!isWhole) throw new ExpressionError(`${call.parts.spot.name}: this text is not ${format}`, call.parts.spot.at);
  return Buffer.from(text, encoding).toString('utf8');
}

const HTML = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' } as const;
const FROM_HTML = new Map(Object.entries(HTML).map(([sign, entity]) => [entity as string, sign]));
const FROM_JSON = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }));

export function escapedHtml(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text.replace(/[&<>"']/g, (sign) => HTML[sign as keyof typeof HTML]);
}

function escaped(text: string, format: string, call: Running): string | undefined {
  spend(call, text.length);
  const made =
    format === 'html' ? escapedHtml(text) : format === 'json' ? JSON.stringify(text).slice(1, -1) : undefined;
  if (made === undefined) return unknownFormat(call);
  // The length that escapes add is known only afterwards: at most five times the spent length.
  spend(call, made.length - text.length);
  return made;
}

function unescaped(text: string, format: string, call: Running): string | undefined {
  spend(call, text.length);
  if (format === 'html') return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => FROM_HTML.get(entity) ?? entity);
  if (format !== 'json') return unknownFormat(call);
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (_, code: string | undefined, sign: string) =>
    code === undefined ? (FROM_JSON.get(sign) ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function unknownFormat({ parts: { spot } }: Running): never {
  throw new ExpressionError(`${spot.name} knows 'html' and 'json'`, spot.at);
}

export const STRING_CALLS: Calls = {
  indexOf: withText((text, other) => text.indexOf(other)),
  lastIndexOf: withText((text, other) => text.lastIndexOf(other)),
  startsWith: withText((text, other) => text.startsWith(other)),
  endsWith: withText((text, other) => text.endsWith(other)),
  contains: withText((text, other) => text.includes(other)),
  substring: ofText(substring),
  replace: ofText(replace),
  length: ofText((text) => text.length),
  upper: ofText((text, call) => {
    spend(call, text.length);
    return text.toUpperCase();
  }),
  lower: ofText((text, call) => {
    spend(call, text.length);
    return text.toLowerCase();
  }),
  trim: ofText((text, call) => {
    spend(call, text.length);
    return text.trim();
  }),
  toChars: ofText((text, call) => pieces(call, text, '')),
  split: withText((text, separator, call) => pieces(call, text, separator)),
  join,
  encode: withText(encode),
  decode: withText(decode),
  escape: withText(escaped),
  unescape: withText(unescaped),
};
