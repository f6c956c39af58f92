// An HL7 v2 message, opened: framing taken off, its charset found, and of its segments only those that are asked for. What stands
// elsewhere in it (documents of megabytes, in some feeds) is not touched.
import { Hl7Message, type Hl7Segment } from '@medplum/core';
import { type NotUnderstood, notUnderstood } from './reading.ts';

/** What MSH says, as it stands there. */
export type Hl7Header = {
  readonly sendingApplication: string;
  readonly sendingFacility: string;
  readonly receivingApplication: string;
  readonly receivingFacility: string;
  /** When it was made: MSH-7; empty where it does not say. */
  readonly time: string;
  /** `ADT` */
  readonly type: string;
  /** `A03`; empty where it does not say. */
  readonly trigger: string;
  readonly controlId: string;
  readonly processingId: string;
  readonly version: string;
  /** MSH-1 and MSH-2. */
  readonly separators: string;
};

export type OpenedHl7 = { readonly header: Hl7Header; readonly message: Hl7Message };

const START_BLOCK = 0x0b;
const END_BLOCK = '\u001c';
const MAX_SEGMENTS = 10_000;
const MAX_SEGMENT_LENGTH = 64 * 1024;
const WANTED = new Set(['MSH', 'EVN', 'PV1']);
/** A field separator and four or five more, none of which can stand in a value: no letters, digits, blanks. */
const HEADER = /^MSH(?=([!-/:-@[-`{-~]))\1([!-/:-@[-`{-~]{4,5})\1/;
const UTF8 = new Set(['UNICODE UTF-8', 'UNICODE', 'UTF-8', 'UTF8']);
/** Whose ASCII is ASCII, so that all that we look at is read rightly: names of people may come out wrong, and are not looked at. */
const ONE_BYTE = /^(?:8859\/\d{1,2}|ISO[ _-]?8859-\d{1,2}|WINDOWS-125\d|CP125\d)$/;

/** Blanks and a byte order mark in front of it do not matter. */
export function isHl7(bytes: Uint8Array): boolean {
  return /^[^!-~]{0,8}MSH[!-/:-@[-`{-~]/.test(Buffer.from(bytes.subarray(0, 16)).toString('latin1'));
}

/** Of something that may not be HL7 at all: then undefined. */
export function readHl7Header(body: Uint8Array): Hl7Header | undefined {
  const opened = openHl7(body);
  return 'kind' in opened ? undefined : opened.header;
}

export function openHl7(body: Uint8Array): OpenedHl7 | NotUnderstood {
  const segments = wantedSegments(body);
  if ('kind' in segments) return segments;
  const [first = ''] = segments;
  const separators = HEADER.exec(first)?.slice(1).join('') ?? '';
  if (separators === '' || new Set(separators).size < separators.length) {
    return notUnderstood('It does not begin as an HL7 v2 message does (MSH|^~\\&|)');
  }
  const charset = (first.split(separators[0] ?? '|')[17] ?? '')
    .split(separators[2] ?? '~')[0]
    ?.trim()
    .toUpperCase();
  const text = decode(segments.join('\r'), charset ?? '');
  if (typeof text !== 'string') return text;
  const message = Hl7Message.parse(text);
  return { header: headerOf(message.header, separators), message };
}

/** All of it without what a way of sending puts around it: frames, line ends. To be compared, not to be read. */
export function bareHl7(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const message = text.slice(Math.max(text.indexOf('MSH'), 0));
  return [...segmentsIn(message.replaceAll(END_BLOCK, ''))].join('\r');
}

/** As Latin-1, in which every byte is a character: the charset is only known once MSH is read. */
function wantedSegments(body: Uint8Array): readonly string[] | NotUnderstood {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const start = text.indexOf('MSH');
  if (start < 0 || start > 8) return notUnderstood('It does not begin as an HL7 v2 message does (MSH|^~\\&|)');
  const wanted: string[] = [];
  let count = 0;
  for (const segment of segmentsIn(text.slice(start))) {
    count += 1;
    if (count > MAX_SEGMENTS) return notUnderstood(`It has more than ${MAX_SEGMENTS} segments`);
    const name = segment.charCodeAt(0) === START_BLOCK ? segment.slice(1, 4) : segment.slice(0, 3);
    if (name === 'MSH' && wanted.length > 0) return notUnderstood('It is more than one HL7 v2 message: one at a time');
    if (!WANTED.has(name)) continue;
    if (segment.length > MAX_SEGMENT_LENGTH) return notUnderstood(`Its ${name} segment is longer than 64 KB`);
    wanted.push(segment);
  }
  return wanted;
}

/** Without a pattern: one that takes megabytes at once, as a document in one segment is, runs out of its stack now and then. */
function* segmentsIn(text: string): Generator<string> {
  const find = (end: string, from: number) => {
    const at = text.indexOf(end, from);
    return at < 0 ? text.length : at;
  };
  let [from, nextReturn, nextFeed] = [0, find('\r', 0), find('\n', 0)];
  while (from < text.length) {
    const end = Math.min(nextReturn, nextFeed);
    if (end > from) yield text.slice(from, end);
    from = end + 1;
    if (nextReturn < from) nextReturn = find('\r', from);
    if (nextFeed < from) nextFeed = find('\n', from);
  }
}

function decode(latin1: string, charset: string): string | NotUnderstood {
  if (ONE_BYTE.test(charset)) return latin1;
  if (charset !== '' && charset !== 'ASCII' && !UTF8.has(charset)) {
    return notUnderstood('It is in a charset that is not read (MSH-18): ASCII, UTF-8 and ISO 8859 are');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    // Many say nothing, or ASCII, and mean Latin-1.
    return UTF8.has(charset) ? notUnderstood('It says that it is UTF-8 (MSH-18), and is not') : latin1;
  }
}

function headerOf(msh: Hl7Segment, separators: string): Hl7Header {
  const whole = (field: number) => msh.getField(field)?.toString().trim() ?? '';
  return {
    sendingApplication: whole(3),
    sendingFacility: whole(4),
    receivingApplication: whole(5),
    receivingFacility: whole(6),
    time: whole(7),
    type: msh.getComponent(9, 1).trim(),
    trigger: msh.getComponent(9, 2).trim(),
    controlId: whole(10),
    processingId: whole(11),
    version: msh.getComponent(12, 1).trim(),
    separators,
  };
}

/** A component without HL7's escapes; `""` is an empty one. An escape that is never closed stands for itself. */
export function hl7Text(value: string, separators: string): string {
  const [field, component, repetition, escaping, subcomponent] = separators;
  if (value.trim() === '""') return '';
  const parts = escaping === undefined ? [value] : value.split(escaping);
  if (parts.length % 2 === 0) return value;
  const codes: Readonly<Record<string, string | undefined>> = {
    F: field,
    S: component,
    R: repetition,
    E: escaping,
    T: subcomponent,
  };
  return parts.map((part, index) => (index % 2 === 0 ? part : (codes[part] ?? fromHex(part)))).join('');
}

/** `X0D0A`; anything else (highlighting, line breaks) has no text. */
function fromHex(code: string): string {
  return /^X(?:[0-9A-Fa-f]{2})+$/.test(code) ? Buffer.from(code.slice(1), 'hex').toString('latin1') : '';
}
