// Opens an HL7 v2 message: removes the framing, detects the charset, and reads only the needed segments. The other segments, which hold
// documents of megabytes in some feeds, are not parsed.
import { Hl7Message } from '@medplum/core';
import { notUnderstood, type UnreadableEvent } from './reading.ts';

/** The fields of the MSH segment, without blanks around them if nothing else is said. */
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
  /** MSH-10, with blanks around it. */
  readonly controlId: string;
  readonly processingId: string;
  readonly version: string;
  /** The acknowledgements that the sender asks for (MSH-15 and MSH-16): `AL`, `NE`, `ER`, `SU`; empty in the original mode. */
  readonly acceptAck: string;
  readonly applicationAck: string;
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
const HEADER = /^(?:MSH|FHS|BHS)(?=([!-/:-@[-`{-~]))\1([!-/:-@[-`{-~]{4,5})\1/;
const UTF8 = new Set(['UNICODE UTF-8', 'UNICODE', 'UTF-8', 'UTF8']);
/** Charsets that contain ASCII: all fields that are read are ASCII. Names of people may be decoded wrongly, but are not used. */
const ONE_BYTE = /^(?:8859\/\d{1,2}|ISO[ _-]?8859-\d{1,2}|WINDOWS-125\d|CP125\d)$/;

/** Ignores blanks and a byte order mark at the start. True for a batch, too. */
export function isHl7(bytes: Uint8Array): boolean {
  return /^[^!-~]{0,8}(?:MSH|FHS|BHS)[!-/:-@[-`{-~]/.test(Buffer.from(bytes.subarray(0, 16)).toString('latin1'));
}

/**
 * The header of a message that is to be answered, also of one that cannot be read further: with more messages behind it, or in an unknown
 * charset. Its texts are the bytes as they came, as Latin-1. Undefined if the body does not begin as HL7.
 */
export function readHl7Header(body: Uint8Array): Hl7Header | undefined {
  const text = latin1Of(body.subarray(0, MAX_SEGMENT_LENGTH + 8));
  const start = text.indexOf('MSH');
  if (start < 0 || start > 8) return undefined;
  const [first = ''] = segmentsIn(text.slice(start));
  const separators = separatorsOf(first);
  if (separators !== undefined) return headerOf(first, separators);
  const usual = `${first.slice(3, 4)}^~\\&`;
  return /^[^A-Za-z0-9\s^~\\&]\^/.test(usual) ? headerOf(first, usual) : undefined;
}

export function openHl7(body: Uint8Array): OpenedHl7 | UnreadableEvent {
  const segments = wantedSegments(body);
  if ('kind' in segments) return segments;
  const [first = ''] = segments;
  const separators = separatorsOf(first);
  if (separators === undefined) return notUnderstood('It does not begin as an HL7 v2 message does (MSH|^~\\&|)');
  const charset = (first.split(separators[0] ?? '|')[17] ?? '')
    .split(separators[2] ?? '~')[0]
    ?.trim()
    .toUpperCase();
  const text = decode(segments.join('\r'), charset ?? '');
  if (typeof text !== 'string') return text;
  const message = Hl7Message.parse(text);
  const [header = ''] = segmentsIn(text);
  return { header: headerOf(header, separators), message };
}

/** Undefined if the segment does not name its separators, or one of them twice. */
export function separatorsOf(header: string): string | undefined {
  const separators = HEADER.exec(header)?.slice(1).join('');
  return separators === undefined || new Set(separators).size < separators.length ? undefined : separators;
}

/** The message without the framing and line ends of its transport, for comparison only. */
export function bareHl7(body: Uint8Array): string {
  const text = latin1Of(body);
  const message = text.slice(Math.max(text.indexOf('MSH'), 0));
  return [...segmentsIn(message.replaceAll(END_BLOCK, ''))].join('\r');
}

/** Reads the bytes as Latin-1, in which every byte is a character: the charset is known only after MSH is read. */
function wantedSegments(body: Uint8Array): readonly string[] | UnreadableEvent {
  const text = latin1Of(body);
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

/** Every byte is one character. */
export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** No regular expression: on a segment of megabytes one can exhaust the stack. */
export function* segmentsIn(text: string): Generator<string> {
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

function headerOf(msh: string, separators: string): Hl7Header {
  const [field = '|', component = '^'] = separators;
  // MSH-1 is the separator itself: the first of these is `MSH`, and the second MSH-2.
  const fields = msh.split(field);
  const raw = (number: number) => fields[number - 1] ?? '';
  const whole = (number: number) => raw(number).trim();
  const part = (number: number, index: number) => (raw(number).split(component)[index] ?? '').trim();
  return {
    sendingApplication: whole(3),
    sendingFacility: whole(4),
    receivingApplication: whole(5),
    receivingFacility: whole(6),
    time: whole(7),
    type: part(9, 0),
    trigger: part(9, 1),
    controlId: raw(10),
    processingId: whole(11),
    version: part(12, 0),
    acceptAck: whole(15).toUpperCase(),
    applicationAck: whole(16).toUpperCase(),
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
