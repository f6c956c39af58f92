// Checks a PDF's raw bytes before any parser trusts their structure: it is complete, not encrypted, without active content, also in
// object streams, and unpacks to a sane size. Only for the child process.
import { inflateRawSync } from 'node:zlib';
import { holdsActive, nameOf, nameThen } from './pdf-names.ts';
import { checkStreams } from './pdf-streams.ts';
import { Refusal } from './refusal.ts';
import { isAlsoZip } from './signatures.ts';
import { isTooLong } from './unpack-limit.ts';

const END_BYTES = 4096;
const PADDING = new Set([0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]);
const ZIP_TAIL_BYTES = 22 + 65_535;
const MAX_UNPACKED_BYTES = 128 * 1_048_576;
/**
 * Far above the limit of pages, because later versions of a page follow earlier ones; for a page tree that claims
 * fewer pages than it has.
 */
const MAX_PAGE_OBJECTS = 2000;
const MAX_XREF_SECTIONS = 1000;
const XREF_DICT_LENGTH = 4096;
const ZLIB_HEAD_BYTES = 2;

const ENCRYPT = nameThen('Encrypt', '(?:<<|\\d+[\\0\\s]+\\d+[\\0\\s]+R)');
const PAGE_OBJECT = nameThen('Type', nameOf('Page'));
const OBJECT_STREAM = new RegExp(nameOf('ObjStm'));
const FILTER = new RegExp(nameOf('Filter'));
const PLAIN_FLATE = nameThen('Filter', `\\[?[\\0\\s]*${nameOf('FlateDecode')}[\\0\\s]*(?:\\]|/|>>|$)`);
const DECODE_PARMS = new RegExp(nameOf('DecodeParms'));
const PREVIOUS = nameThen('Prev', '(\\d+)');

type Section = { readonly outside: string; readonly streamStart: number | undefined };
type Counts = { pages: number; unpackedBytes: number };

/** Throws a Refusal for a PDF that is not accepted. */
export function scanPdf(bytes: Buffer): void {
  const text = bytes.toString('latin1');
  if (!endsWhole(bytes)) throw new Refusal('pdfDamaged');
  if (isAlsoZip(bytes.subarray(-ZIP_TAIL_BYTES))) throw new Refusal('twoKinds');
  if (ENCRYPT.test(text)) throw new Refusal('pdfEncrypted');
  const counts: Counts = { pages: 0, unpackedBytes: 0 };
  checkText(text, counts);
  for (const { outside, streamStart } of sections(text)) {
    if (streamStart === undefined || !isObjectStream(outside)) continue;
    checkText(unpack(bytes.subarray(streamStart), { dict: ownDict(outside), counts }), counts);
  }
  checkStreams(bytes, text);
  checkXrefChain(text);
}

/** Whether the last thing is the end mark. A reader would repair a cut PDF, and silently show fewer pages. */
function endsWhole(bytes: Buffer): boolean {
  let end = bytes.length;
  while (end > 0 && PADDING.has(bytes[end - 1] ?? 0)) end -= 1;
  return bytes.subarray(Math.max(0, end - END_BYTES), end).includes('%%EOF');
}

function checkText(text: string, counts: Counts): void {
  if (holdsActive(text)) throw new Refusal('pdfActive');
  counts.pages += countUpTo(text, PAGE_OBJECT, MAX_PAGE_OBJECTS + 1);
  if (counts.pages > MAX_PAGE_OBJECTS) throw new Refusal('pdfPages');
}

function countUpTo(text: string, pattern: RegExp, max: number): number {
  let count = 0;
  for (const _match of text.matchAll(new RegExp(pattern, 'g'))) {
    count += 1;
    if (count === max) break;
  }
  return count;
}

/** The bytes outside of streams, with the start of the next stream. */
function* sections(text: string): Generator<Section> {
  const opening = /(?<!end)stream(?:\r\n|\n|\r)/g;
  let at = 0;
  for (;;) {
    opening.lastIndex = at;
    const found = opening.exec(text);
    if (found === null) break;
    const streamStart = found.index + found[0].length;
    yield { outside: text.slice(at, found.index), streamStart };
    const end = text.indexOf('endstream', streamStart);
    at = end < 0 ? text.length : end + 'endstream'.length;
  }
  yield { outside: text.slice(at), streamStart: undefined };
}

/** The dictionary right before a stream. */
function ownDict(outside: string): string {
  const start = outside.lastIndexOf(' obj');
  return outside.slice(start < 0 ? 0 : start);
}

function isObjectStream(outside: string): boolean {
  return OBJECT_STREAM.test(ownDict(outside));
}

type Unpacking = { readonly dict: string; readonly counts: Counts };

function unpack(from: Buffer, { dict, counts }: Unpacking): string {
  if (!FILTER.test(dict)) return '';
  // No writer packs object streams in another way; what does is hiding something.
  if (!PLAIN_FLATE.test(dict) || DECODE_PARMS.test(dict)) throw new Refusal('pdfUnreadable');
  const unpacked = inflate(from.subarray(ZLIB_HEAD_BYTES), MAX_UNPACKED_BYTES - counts.unpackedBytes);
  counts.unpackedBytes += unpacked.length;
  return unpacked.toString('latin1');
}

/** Finds the end of the packed part by itself: the length in the dictionary may lie, and so may "endstream". */
function inflate(packed: Buffer, maxBytes: number): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    throw new Refusal(isTooLong(error) ? 'pdfUnpacked' : 'pdfDamaged');
  }
}

/** Follows the cross-reference sections from the last to the first; a chain that comes back to itself is refused. */
function checkXrefChain(text: string): void {
  const base = Math.max(0, text.indexOf('%PDF-'));
  const seen = new Set<number>();
  let next = /^startxref[\0\s]+(\d+)/.exec(text.slice(text.lastIndexOf('startxref')))?.[1];
  while (next !== undefined) {
    const offset = base + Number(next);
    if (seen.has(offset) || seen.size === MAX_XREF_SECTIONS) throw new Refusal('pdfDamaged');
    seen.add(offset);
    next = PREVIOUS.exec(xrefDict(text, offset))?.[1];
  }
}

/** The dictionary of the section at this place; empty if there is none, which the parser handles. */
function xrefDict(text: string, offset: number): string {
  const head = text.slice(offset, offset + 64);
  const isTable = /^[\0\s]*xref/.test(head);
  if (!isTable && !/^[\0\s]*\d+[\0\s]+\d+[\0\s]+obj/.test(head)) return '';
  const start = isTable ? text.indexOf('trailer', offset) : offset;
  if (start < 0) return '';
  const dict = text.slice(start, start + XREF_DICT_LENGTH);
  const end = dict.search(/startxref|stream[\r\n]/);
  return end < 0 ? dict : dict.slice(0, end);
}
