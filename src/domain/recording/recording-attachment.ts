// What an attachment says of a recording: whether it is one, which of several formats can be heard, where its bytes are, and by
// what two of them are known to be the same.
import { createHash } from 'node:crypto';
import type { Attachment } from '@medplum/fhirtypes';
import { MAX_RECORDING_BYTES } from './recording.ts';
import { addressOf, textOf } from './recording-belonging.ts';
import type { RecordingSource } from './recording-source.ts';

/** What browsers and recorders call the kinds that are taken; what the bytes really are is found out when they come. */
const HEARD_TYPES: ReadonlySet<string> = new Set([
  ...['audio/mpeg', 'audio/mp3', 'audio/mpeg3', 'audio/x-mpeg', 'audio/x-mp3', 'audio/x-mpeg-3'],
  ...['audio/mp4', 'audio/m4a', 'audio/x-m4a', 'audio/aac', 'audio/aacp', 'audio/x-aac', 'audio/mp4a-latm'],
  ...['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav', 'audio/flac', 'audio/x-flac'],
  ...['audio/webm', 'video/webm', 'audio/ogg', 'application/ogg', 'audio/opus', 'audio/vorbis', 'audio/x-ogg'],
]);
const ALSO_AUDIO: ReadonlySet<string> = new Set(['video/webm', 'application/ogg']);
/** Names of a type that say nothing. */
const NO_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
/** Not mp4 and not 3gp: where nobody says that it is sound, that is a film more often. */
const AUDIO_NAME = /\.(?:mp3|m4a|wav|wave|webm|ogg|oga|opus|flac|aac)$/i;
/** Of links that a storage signs anew for each reader: the same recording has another one at each reading. */
const SIGNATURE_PARAMETER =
  /^(?:x-amz-.+|x-goog-.+|awsaccesskeyid|googleaccessid|key-pair-id|policy|signature|expires|sig|se|st|sp|sv|sr|spr|sks|skt|ske|skv|skoid|sktid)$/i;
const SIGNATURE = /[?&](?:x-amz-signature|x-goog-signature|signature|sig)=/i;

/** Lower case, without parameters; empty where the attachment does not say. */
function typeOf({ contentType }: Attachment): string {
  return typeof contentType === 'string' ? (contentType.split(';')[0] ?? '').trim().toLowerCase() : '';
}

/**
 * An attachment without a type, or with one that says nothing, is a recording only where its name ends like one or its resource
 * says that it is sound: taking every nameless file for one would fetch scans and letters, and park the run of each.
 */
export function isAudio(attachment: Attachment, isSaidToBeSound: boolean): boolean {
  const type = typeOf(attachment);
  if (!NO_TYPES.has(type)) return type.startsWith('audio/') || ALSO_AUDIO.has(type);
  const path = textOf(attachment.url)?.split(/[?#]/)[0] ?? '';
  return isSaidToBeSound || AUDIO_NAME.test(textOf(attachment.title)?.trim() ?? '') || AUDIO_NAME.test(path);
}

/** Data before a link: it needs no further question. Undefined: the chart only says that there is one. */
export function bytesOf({ data, url }: Attachment): RecordingSource['bytes'] | undefined {
  const base64 = textOf(data);
  if (base64 !== undefined) return { kind: 'inline', base64 };
  const link = textOf(url)?.trim();
  // `#…` would be a resource inside of this one: no server can be asked for it.
  return link === undefined || link.startsWith('#') ? undefined : { kind: 'link', url: link };
}

/** The first of those with the fewest reasons against them: renditions of one recording (R4: each content is another format). */
export function bestOf(attachments: readonly Attachment[]): Attachment | undefined {
  return attachments.toSorted((one, other) => faultsOf(one) - faultsOf(other))[0];
}

/** How much speaks against asking for it; none: it can be heard, as far as the chart knows. */
export function faultsOf(attachment: Attachment): number {
  const link = textOf(attachment.data) === undefined ? textOf(attachment.url) : undefined;
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(link ?? '')?.[1]?.toLowerCase();
  const faults = [
    !HEARD_TYPES.has(typeOf(attachment)),
    (sizeOf(attachment) ?? 0) > MAX_RECORDING_BYTES,
    scheme !== undefined && scheme !== 'http' && scheme !== 'https',
  ];
  return faults.filter(Boolean).length;
}

/** Whether there are two of one format, which R4 does not know: then they may be two parts, and one would be lost in silence. */
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

/** Two attachments that share one of these are one recording. */
export function contentKeys(attachment: Attachment, baseUrl: string): readonly string[] {
  const data = textOf(attachment.data)?.replace(/\s+/g, '');
  const url = textOf(attachment.url);
  const hash = textOf(attachment.hash);
  return [
    ...(data === undefined ? [] : [`data ${createHash('sha256').update(data).digest('hex')}`]),
    ...(url === undefined ? [] : [`url ${unsigned(addressOf(url.trim(), baseUrl))}`]),
    // A hash of nothing, or of less than it says, is what a system writes that has none.
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
