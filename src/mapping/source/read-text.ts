// Decodes the bytes of a file, or reports a problem. Later steps can rely on a text that is small, UTF-8 and free of characters
// that no editor shows.
import type { Problem } from '../../domain/mapping/mapping.ts';
import { makePlaceOf } from './source-lines.ts';

const MAX_BYTES = 1_048_576;

type ReadText = { readonly text: string } | { readonly problem: Problem };

export function readText(file: string, source: Uint8Array | string): ReadText {
  const sizeBytes = typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength;
  if (sizeBytes > MAX_BYTES) {
    const message = `this file is larger than 1 MiB (${Math.ceil(sizeBytes / 1024)} KiB): split it, or move what is not needed elsewhere`;
    return { problem: { place: { file, line: 1, column: 1 }, message } };
  }
  const text = typeof source === 'string' ? withoutMark(source) : decode(source);
  if (text === undefined || !text.isWellFormed()) return { problem: notUtf8(file, source) };
  return controlCharacter(file, text) ?? { text };
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notUtf8(file: string, source: Uint8Array | string): Problem {
  const good = typeof source === 'string' ? wellFormedStart(source) : decodableStart(source);
  const lines = good.split('\n');
  const place = { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  return { place, message: 'this is not UTF-8: save the file with the encoding UTF-8' };
}

/** The text before the first byte that is not UTF-8. */
function decodableStart(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at++) text += decoder.decode(bytes.subarray(at, at + 1), { stream: true });
  } catch {
    return text;
  }
  return text;
}

function wellFormedStart(text: string): string {
  const replaced = text.toWellFormed();
  let at = 0;
  while (at < text.length && text[at] === replaced[at]) at++;
  return text.slice(0, at);
}

function controlCharacter(file: string, text: string): { readonly problem: Problem } | undefined {
  const at = firstControlCharacter(text);
  if (at < 0) return undefined;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  const message = `there is a control character here (U+${code}) that no editor shows: remove it`;
  return { problem: { place: makePlaceOf(file, text)(at), message } };
}

/** Its position, or -1. Tabs and line ends do not count. */
export function firstControlCharacter(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || code === 0x7f) return at;
  }
  return -1;
}
