// The bytes of a recording, as they come: from a link at the EHR or where the site allows it, from a Binary in JSON, or from the chart
// itself. Reads on only when it is asked to; what ends early never looks like an end. Errors name the origin of a link at most: its path holds ids.
import { AppError } from '../../domain/errors.ts';
import { MAX_RECORDING_BYTES } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import type { Ehr } from '../../ports/ehr.ts';
import { Base64Decoder, InvalidBase64 } from './base64-decoder.ts';
import { readBinaryJson } from './binary-json.ts';
import { brokenOff, fromFailure, fromStatus, type LinkPlace, tooLarge } from './recording-errors.ts';
import { type EhrTransport, TransportFailure } from './transport.ts';

export type OpenRecordingParts = {
  readonly transport: Pick<EhrTransport, 'send'>;
  /** The site's name, for messages. */
  readonly site: string;
  readonly baseUrl: string;
  readonly maxBytes?: number;
  readonly now?: () => Date;
};

type Parts = Required<OpenRecordingParts>;
type Bytes = AsyncGenerator<Uint8Array, void, undefined>;

const INLINE_PIECE_LETTERS = 65_536;
const MEDIA_TYPE = /^[a-z\d!#$&^_.+-]+\/[a-z\d!#$&^_.+-]+$/i;
const JSON_TYPE = /^[^;]*\bjson\b/i;

export function openRecording({
  transport,
  site,
  baseUrl,
  maxBytes = MAX_RECORDING_BYTES,
  now = () => new Date(),
}: OpenRecordingParts): Ehr['openRecording'] {
  const parts: Parts = { transport, site, baseUrl, maxBytes, now };
  return (source, signal) => limited(bytesOf(source, parts, signal), parts, signal);
}

function bytesOf(source: RecordingSource, parts: Parts, signal: AbortSignal): Bytes {
  const { bytes } = source;
  return bytes.kind === 'inline'
    ? decoded(bytes.base64, parts.site)
    : fetched({ source, url: bytes.url, parts }, signal);
}

async function* limited(bytes: Bytes, { site, maxBytes }: Parts, signal: AbortSignal): Bytes {
  let sizeBytes = 0;
  for await (const piece of bytes) {
    signal.throwIfAborted();
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) throw tooLarge(site, maxBytes);
    if (piece.length > 0) yield piece;
  }
}

async function* decoded(base64: string, site: string): Bytes {
  const decoder = new Base64Decoder();
  try {
    for (let at = 0; at < base64.length; at += INLINE_PIECE_LETTERS) {
      yield decoder.push(base64.slice(at, at + INLINE_PIECE_LETTERS));
    }
    decoder.finish();
  } catch (thrown) {
    if (!(thrown instanceof InvalidBase64)) throw thrown;
    throw new AppError('unsupportedMedia', `${site}: a recording in the chart is damaged: its data is no base64`);
  }
}

type Fetch = { readonly source: RecordingSource; readonly url: string; readonly parts: Parts };

async function* fetched({ source, url, parts }: Fetch, signal: AbortSignal): Bytes {
  const headers = { accept: acceptOf(source) };
  const place = placeOf(url, parts);
  const response = await parts.transport
    .send({ method: 'GET', url, isAttachment: true, headers }, signal)
    .catch((thrown: unknown) => {
      throw signal.aborted ? signal.reason : fromFailure(thrown, place);
    });
  const announced = announcedBytes(response);
  const isJson = JSON_TYPE.test(response.headers.get('content-type') ?? '');
  const refusal =
    response.status === 200
      ? !isJson && announced !== undefined && announced > parts.maxBytes && tooLarge(parts.site, parts.maxBytes)
      : fromStatus(response, place, parts.now);
  if (refusal) {
    await response.body?.cancel().catch(() => undefined);
    throw refusal;
  }
  const body = wholeBody(response, { announced, place, signal });
  yield* isJson ? readBinaryJson(body) : body;
}

function placeOf(url: string, { site, baseUrl }: Parts): LinkPlace {
  const own = URL.parse(baseUrl)?.origin;
  const parsed = URL.parse(url, `${baseUrl.replace(/\/+$/, '')}/`);
  const origin = parsed === null || !/^https?:$/.test(parsed.protocol) ? undefined : parsed.origin;
  return { site, isOwn: origin !== undefined && origin === own, ...(origin !== undefined && { origin }) };
}

/** What it is in the chart, and any sound rather than a Binary as a resource: that would be a third longer. */
function acceptOf({ contentType }: RecordingSource): string {
  const [type = ''] = contentType.split(';');
  const known = MEDIA_TYPE.test(type.trim()) ? [type.trim()] : [];
  return [...known, 'audio/*;q=0.9', '*/*;q=0.1'].join(', ');
}

type BodyParts = { readonly announced: number | undefined; readonly place: LinkPlace; readonly signal: AbortSignal };

async function* wholeBody(response: Response, { announced, place, signal }: BodyParts): Bytes {
  let sizeBytes = 0;
  try {
    // Leaving the loop early closes the connection.
    for await (const piece of response.body ?? []) {
      sizeBytes += piece.length;
      hastenCollection(piece);
      yield piece;
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw thrown instanceof TransportFailure ? fromFailure(thrown, place) : brokenOff(place.site, thrown);
  }
  if (sizeBytes !== (announced ?? sizeBytes)) throw brokenOff(place.site);
}

/**
 * The bytes of a chunk lie outside of V8's heap, and it lets some 64 MB of dead ones gather before it looks for them, unless its young
 * space is full. A text as long as the chunk, dead at once, fills that: measured on 100 MB, the process grows by 20 MB instead of 80,
 * and is no slower for it.
 */
function hastenCollection(piece: Uint8Array): void {
  Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
}

function announcedBytes({ headers }: Response): number | undefined {
  const text = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
