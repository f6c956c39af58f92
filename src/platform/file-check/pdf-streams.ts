// Measures to how much the Flate streams of a PDF unpack, before a parser does it. Only for the child process.
import { inflateRawSync } from 'node:zlib';
import { nameOf, nameThen } from './pdf-names.ts';
import { Refusal } from './refusal.ts';
import { isTooLong } from './unpack-limit.ts';

const MEBIBYTE = 1_048_576;
const MAX_RATIO = 100;
/** Up to this size a stream may be as regular as it is: there is not enough of it to do harm. Ordinary PDFs have such streams. */
const SMALL_BYTES = 64 * 1024;
/** A table of references is regular by its nature: the rows differ by one. */
const SMALL_TABLE_BYTES = MEBIBYTE;
/** All streams together, pictures apart. */
const MAX_UNPACKED_BYTES = 128 * MEBIBYTE;
const ZLIB_HEAD_BYTES = 2;
/** A stream may be packed several times, and each time a thousandfold. */
const MAX_LAYERS = 8;
const DICT_LENGTH = 16_384;

/** As parsers find it: the rest of the line after the keyword is passed over. */
const OPENING = /(?<!end)stream[^\r\n]*(?:\r\n|\n|\r)/g;
const PICTURE = nameThen('Subtype', nameOf('Image'));
const NO_PICTURE = nameThen('Type', `(?!${nameOf('XObject')})/`);
const TABLE = nameThen('Type', nameOf('XRef'));
const BASE_85 = new RegExp(`${nameOf('ASCII85Decode')}|${nameOf('A85')}`);
const HEX = new RegExp(`${nameOf('ASCIIHexDecode')}|${nameOf('AHx')}`);

type PackedStream = { readonly dict: string; readonly packed: Buffer };

/**
 * Throws a Refusal. Pictures are not measured: white paper and masks are packed a thousandfold in ordinary PDFs, and nothing here unpacks
 * them. What only calls itself a picture is stopped by the limit on processor time.
 */
export function checkStreams(bytes: Buffer, text: string): void {
  let leftBytes = MAX_UNPACKED_BYTES;
  for (const { dict, packed } of streamsOf(bytes, text)) {
    if (PICTURE.test(dict) && !NO_PICTURE.test(dict)) continue;
    const smallBytes = TABLE.test(dict) ? SMALL_TABLE_BYTES : SMALL_BYTES;
    const ratioBytes = Math.max(smallBytes, MAX_RATIO * packed.length);
    leftBytes -= unpackedBytes(toBinary(packed, dict), ratioBytes, leftBytes);
  }
}

/** All that a parser may take for a stream, also within other streams and comments. */
function* streamsOf(bytes: Buffer, text: string): Generator<PackedStream> {
  for (const { index, 0: opening } of text.matchAll(OPENING)) {
    const start = index + opening.length;
    const end = text.indexOf('endstream', start);
    const before = text.slice(Math.max(0, index - DICT_LENGTH), index);
    yield {
      dict: before.slice(Math.max(0, before.lastIndexOf(' obj'))),
      packed: bytes.subarray(start, end < 0 ? bytes.length : end),
    };
  }
}

/** The names of the filters are not believed, because they may be elsewhere in the file: what begins as Flate is unpacked. */
function unpackedBytes(stream: Buffer, ratioBytes: number, leftBytes: number): number {
  let sum = 0;
  let layer = stream;
  for (let depth = 0; beginsAsFlate(layer); depth += 1) {
    if (depth === MAX_LAYERS) throw new Refusal('pdfRatio');
    layer = unpack(layer, Math.min(ratioBytes, leftBytes - sum), ratioBytes);
    sum += layer.length;
  }
  return sum;
}

function beginsAsFlate(bytes: Buffer): boolean {
  return bytes.length > ZLIB_HEAD_BYTES && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

function unpack(packed: Buffer, maxBytes: number, ratioBytes: number): Buffer {
  try {
    return inflateRawSync(packed.subarray(ZLIB_HEAD_BYTES), { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    if (isTooLong(error)) throw new Refusal(maxBytes < ratioBytes ? 'pdfUnpacked' : 'pdfRatio');
    // It ends within the limit, damaged or cut, or it is something else that begins alike.
    return Buffer.alloc(0);
  }
}

function toBinary(packed: Buffer, dict: string): Buffer {
  if (BASE_85.test(dict)) return fromBase85(packed);
  return HEX.test(dict) ? Buffer.from(packed.toString('latin1').replace(/[\0\s]/g, ''), 'hex') : packed;
}

const ZERO_GROUP = 0x7a;
const FIRST_DIGIT = 0x21;
const LAST_DIGIT = 0x75;

function fromBase85(text: Buffer): Buffer {
  const bytes = Buffer.alloc(4 * text.length);
  let length = 0;
  let digits = 0;
  let value = 0;
  const write = (count: number): void => {
    for (let index = 0; index < count; index += 1)
      bytes[length + index] = Math.floor(value / 256 ** (3 - index)) & 0xff;
    length += count;
    digits = 0;
    value = 0;
  };
  for (const byte of text) {
    if (byte === ZERO_GROUP && digits === 0) write(4);
    else if (byte >= FIRST_DIGIT && byte <= LAST_DIGIT) {
      value = value * 85 + byte - FIRST_DIGIT;
      digits += 1;
      if (digits === 5) write(4);
    }
  }
  // A last group of fewer digits is filled up with the highest one.
  if (digits > 1) {
    const count = digits - 1;
    for (; digits < 5; digits += 1) value = value * 85 + 84;
    write(count);
  }
  return bytes.subarray(0, length);
}
