// Parses header values with parameters (Content-Type, Content-Disposition) strictly.
import type { IncomingMessage } from 'node:http';

export type ParameterizedValue = {
  /** The value in lower case. */
  readonly value: string;
  /** Names in lower case, each at most once. */
  readonly parameters: ReadonlyMap<string, string>;
};

const VALUE = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z/-]+)[ \t]*/;
const PARAMETER = /;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("(?:[^"\\]|\\[\s\S])*"|[^;"]*)[ \t]*)?/y;

/** Returns undefined if the text is malformed or names a parameter twice. */
export function readParameterized(text: string): ParameterizedValue | undefined {
  const start = VALUE.exec(text);
  if (start?.[1] === undefined) return undefined;
  const parameters = new Map<string, string>();
  let position = start[0].length;
  while (position < text.length) {
    PARAMETER.lastIndex = position;
    const found = PARAMETER.exec(text);
    if (found === null) return undefined;
    position = PARAMETER.lastIndex;
    const name = found[1]?.toLowerCase();
    if (name === undefined) continue;
    if (parameters.has(name)) return undefined;
    parameters.set(name, unquote(found[2] ?? ''));
  }
  return { value: start[1].toLowerCase(), parameters };
}

/** Only `\"` and `\\` are escapes, so that a Windows path in a file name keeps its backslashes. */
function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text.trim();
}

/** Returns true for an absent charset, UTF-8, and its subset US-ASCII. */
export function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
}

/** Compares the media type of a request without its parameters. */
export function isMediaType(req: IncomingMessage, mediaType: string): boolean {
  return (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === mediaType;
}
