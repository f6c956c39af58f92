// Splits a file into lines of text, with a limit for the longest. A file is UTF-8 or, as older ones are, Latin-1; one that is both is
// damaged.
import { wrongLine } from './code-file.ts';

export type FileLine = { readonly text: string; readonly number: number };

const MAX_LINE_BYTES = 16_384;
const LINE_END = 10;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const latin1 = new TextDecoder('windows-1252');

export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  const toText = makeDecoder();
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let number = 1;
  const take = (end: Uint8Array): Uint8Array => {
    const line = pending.length === 0 ? end : Buffer.concat([...pending, end]);
    pending = [];
    pendingBytes = 0;
    return line;
  };
  for await (const piece of bytes) {
    let from = 0;
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, from)) {
      ensureShort(pendingBytes + at - from, number);
      yield { text: toText(take(piece.subarray(from, at)), number), number };
      number += 1;
      from = at + 1;
    }
    const rest = piece.subarray(from);
    ensureShort(pendingBytes + rest.length, number);
    if (rest.length > 0) pending.push(rest);
    pendingBytes += rest.length;
  }
  if (pendingBytes > 0) yield { text: toText(take(new Uint8Array(0)), number), number };
}

function ensureShort(sizeBytes: number, number: number): void {
  if (sizeBytes > MAX_LINE_BYTES) throw wrongLine(number, `it is longer than ${MAX_LINE_BYTES} bytes.`);
}

function makeDecoder(): (line: Uint8Array, number: number) => string {
  let encoding: 'utf-8' | 'latin-1' | undefined;
  return (line, number) => {
    const text = decodeUtf8(line);
    if (text !== undefined && text.length === line.length) return withoutEnd(text, number);
    const found = text === undefined ? 'latin-1' : 'utf-8';
    if (encoding !== undefined && encoding !== found) {
      throw wrongLine(number, 'its characters are encoded in another way than those before. Save the file as UTF-8.');
    }
    encoding = found;
    return withoutEnd(text ?? latin1.decode(line), number);
  };
}

function decodeUtf8(line: Uint8Array): string | undefined {
  try {
    return utf8.decode(line);
  } catch {
    return undefined;
  }
}

function withoutEnd(text: string, number: number): string {
  if (text.includes('\0')) throw wrongLine(number, 'it has NUL characters: the file is not text.');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
