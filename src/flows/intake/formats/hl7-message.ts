// Opens an HL7 v2 message: removes the framing, detects the charset, and reads only the needed segments. The other segments, which hold
// documents of megabytes in some feeds, are not parsed.
import { Hl7Message, type Hl7Segment } from '@medplum/core';
import { notUnderstood, type UnreadableEvent } from './reading.ts';

/** The fields of the MSH segment, unchanged. */
export type Hl7Header = {
  readonly sendingApplication: string;
  readonly sendingFacility: string;
  readonly receivingApplication: string;
  readonly receivingFacility: string;
  /** When the message was created (MSH-7), or empty. */
  readonly time: string;
  /** `ADT` */
  readonly type: string;
  /** `A03`, or empty. */
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
/** A field separator and four or five others, none of them a letter, a digit or a blank. */
const HEADER = /^MSH(?=([!-/:-@[-`{-~]))\1([!-/:-@[-`{-~]{4,5})\1/;
const UTF8 = new Set(['UNICODE UTF-8', 'UNICODE', 'UTF-8', 'UTF8']);
/** Charsets that contain ASCII: all fields that are read are ASCII. Names of people may be decoded wrongly, but are not used. */
const ONE_BYTE = /^(?:8859\/\d{1,2}|ISO[ _-]?8859-\d{1,2}|WINDOWS-125\d|CP125\d)$/;

/** Ignores blanks and a byte order mark at the start. */
export function isHl7(bytes: Uint8Array): boolean {
  return /^[^!-~]{0,8}MSH[!-/:-@[-`{-~]/.test(Buffer.from(bytes.subarray(0, 16)).toString('latin1'));
}

/** Undefined if the body is not HL7. */
export function readHl7Header(body: Uint8Array): Hl7Header | undefined {
  const opened = openHl7(body);
  return 'kind' in opened ? undefined : opened.header;
}

export function openHl7(body: Uint8Array): OpenedHl7 | UnreadableEvent {
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

/** The message without the framing and line ends of its transport, for comparison only. */
export function bareHl7(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const message = text.slice(Math.max(text.indexOf('MSH'), 0));
  return [...segmentsIn(message.replaceAll(END_BLOCK, ''))].join('\r');
}

/** Reads the bytes as Latin-1, in which every byte is a character: the charset is known only after MSH is read. */
function wantedSegments(body: Uint8Array): readonly string[] | UnreadableEvent {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  const start = text.indexOf('MSH');
  if (start < 0 || start > 8) return notUnderstood('It does not begin as an HL7 v2 message does (MSH|^~\\&|)');
  const wanted: string[] = [];
  let count = 0;
  for (const segment of segmentsIn(text.slice(start))) {
    count += 1;
    if (count > MAX_SEGMENTS) return notUnderstood(`It has more than ${MAX_SEGMENTS} segments`);
    const name = segment.charCodeAt(0) === START_BLOCK ? segment.slice(1, 4) : segment.slice(0, 3);
    if (name === 'MSH' && wanted.length > 0)
      return notUnderstood('It has more than one HL7 v2 message: send one at a time');
    if (!WANTED.has(name)) continue;
    if (segment.length > MAX_SEGMENT_LENGTH) return notUnderstood(`Its ${name} segment is longer than 64 KB`);
    wanted.push(segment);
  }
  return wanted;
}

/** No regular expression: on a segment of megabytes one can exhaust the stack. */
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

function decode(latin1: string, charset: string): string | UnreadableEvent {
  if (ONE_BYTE.test(charset)) return latin1;
  if (charset !== '' && charset !== 'ASCII' && !UTF8.has(charset)) {
    return notUnderstood('Its charset is not supported (MSH-18): use ASCII, UTF-8 or ISO 8859');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    // Many senders state no charset, or ASCII, and use Latin-1.
    return UTF8.has(charset) ? notUnderstood('It is not UTF-8, although MSH-18 says so') : latin1;
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

/** A component with HL7's escapes resolved; `""` is an empty one. An escape that is never closed is kept as it is. */
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

/** Decodes `X0D0A`; other escapes (highlighting, line breaks) have no text. */
function fromHex(code: string): string {
  return /^X(?:[0-9A-Fa-f]{2})+$/.test(code) ? Buffer.from(code.slice(1), 'hex').toString('latin1') : '';
}
