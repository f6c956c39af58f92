// Reads attachments of a chart as recordings: whether one is audio, which of several formats is usable, where its bytes are, and which keys
// identify two attachments as the same recording.
import { createHash } from 'node:crypto';
import type { Attachment } from '@medplum/fhirtypes';
import { MAX_RECORDING_BYTES } from './recording.ts';
import { addressOf, textOf } from './recording-owner.ts';
import type { RecordingSource } from './recording-source.ts';

/** Names of the supported formats in browsers and recorders; the real format is detected from the bytes later. */
const USABLE_TYPES: ReadonlySet<string> = new Set([
  ...['audio/mpeg', 'audio/mp3', 'audio/mpeg3', 'audio/x-mpeg', 'audio/x-mp3', 'audio/x-mpeg-3'],
  ...['audio/mp4', 'audio/m4a', 'audio/x-m4a', 'audio/aac', 'audio/aacp', 'audio/x-aac', 'audio/mp4a-latm'],
  ...['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav', 'audio/flac', 'audio/x-flac'],
  ...['audio/webm', 'video/webm', 'audio/ogg', 'application/ogg', 'audio/opus', 'audio/vorbis', 'audio/x-ogg'],
]);
const ALSO_AUDIO: ReadonlySet<string> = new Set(['video/webm', 'application/ogg']);
/** Content types without information. */
const NO_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
/** Without mp4 and 3gp, which are videos more often. */
const AUDIO_NAME = /\.(?:mp3|m4a|wav|wave|webm|ogg|oga|opus|flac|aac)$/i;
/** Parameters of signed links: a storage signs a link again for each reader, so it differs at each reading. */
const SIGNATURE_PARAMETER =
  /^(?:x-amz-.+|x-goog-.+|awsaccesskeyid|googleaccessid|key-pair-id|policy|signature|expires|sig|se|st|sp|sv|sr|spr|sks|skt|ske|skv|skoid|sktid)$/i;
const SIGNATURE = /[?&](?:x-amz-signature|x-goog-signature|signature|sig)=/i;

/** In lower case, without parameters; empty if the attachment has no type. */
function typeOf({ contentType }: Attachment): string {
  return typeof contentType === 'string' ? (contentType.split(';')[0] ?? '').trim().toLowerCase() : '';
}

/**
 * An attachment without a useful type counts as audio only if its file name ends like audio or its resource says so: otherwise scans and
 * letters would be fetched, and their runs parked.
 */
export function isAudio(attachment: Attachment, isDeclaredAudio: boolean): boolean {
  const type = typeOf(attachment);
  if (!NO_TYPES.has(type)) return type.startsWith('audio/') || ALSO_AUDIO.has(type);
  const path = textOf(attachment.url)?.split(/[?#]/)[0] ?? '';
  return isDeclaredAudio || AUDIO_NAME.test(textOf(attachment.title)?.trim() ?? '') || AUDIO_NAME.test(path);
}

/** Inline data is preferred to a link, since it needs no request. Undefined if the attachment has neither. */
export function bytesOf({ data, url }: Attachment): RecordingSource['bytes'] | undefined {
  const base64 = textOf(data);
  if (base64 !== undefined) return { kind: 'inline', base64 };
  const link = textOf(url)?.trim();
  // `#…` refers to a contained resource, which no server can return.
  return link === undefined || link.startsWith('#') ? undefined : { kind: 'link', url: link };
}

/** The first attachment with the fewest faults. In R4 each content of a document is the same recording in another format. */
export function bestOf(attachments: readonly Attachment[]): Attachment | undefined {
  return attachments.toSorted((one, other) => faultsOf(one) - faultsOf(other))[0];
}

/** The number of reasons against fetching the attachment; 0 if it seems usable. */
export function faultsOf(attachment: Attachment): number {
  const link = textOf(attachment.data) === undefined ? textOf(attachment.url) : undefined;
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(link ?? '')?.[1]?.toLowerCase();
  const faults = [
    !USABLE_TYPES.has(typeOf(attachment)),
    (sizeOf(attachment) ?? 0) > MAX_RECORDING_BYTES,
    scheme !== undefined && scheme !== 'http' && scheme !== 'https',
  ];
  return faults.filter(Boolean).length;
}

/** Whether two attachments have the same format. R4 does not allow that: they may be two parts, of which only one is used. */
export function hasTwoOfOneType(attachments: readonly Attachment[], baseUrl: string): boolean {
  const seen = new Map<string, readonly string[]>();
  return attachments.some((attachment) => {
    const keys = contentKeys(attachment, baseUrl);
    const earlier = seen.get(typeOf(attachment));
    seen.set(typeOf(attachment), keys);
    return earlier !== undefined && !keys.some((key) => earlier.includes(key));
  });
}

export function sizeOf({ size }: Attachment): number | undefined {
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : undefined;
}

/** Two attachments that share a key are the same recording. */
export function contentKeys(attachment: Attachment, baseUrl: string): readonly string[] {
  const data = textOf(attachment.data)?.replace(/\s+/g, '');
  const url = textOf(attachment.url);
  const hash = textOf(attachment.hash);
  return [
    ...(data === undefined ? [] : [`data ${createHash('sha256').update(data).digest('hex')}`]),
    ...(url === undefined ? [] : [`url ${unsigned(addressOf(url.trim(), baseUrl))}`]),
    // Some systems write the hash of an empty file if they have none.
    ...(hash === undefined || hash === SHA1_OF_NOTHING ? [] : [`hash ${hash} ${sizeOf(attachment) ?? ''}`]),
  ];
}

const SHA1_OF_NOTHING = '2jmj7l5rSw0yVb/vlWAYkK/YBwk=';

function unsigned(address: string): string {
  const url = SIGNATURE.test(address) ? URL.parse(address) : null;
  if (url === null) return address;
  for (const name of [...url.searchParams.keys()]) {
    if (SIGNATURE_PARAMETER.test(name)) url.searchParams.delete(name);
  }
  return url.href;
}
