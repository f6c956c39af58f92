// An answer of the EHR, read to its end or to a limit: always status and headers, and the body if it is JSON. It never throws, because
// the meaning of an unreadable body depends on the request.
import { type JsonObject, parseJsonObject } from './json.ts';

export type FhirAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
  /** Size of the body; absent if it was not read to its end, and for the answer to an entry of a Bundle. */
  readonly sizeBytes?: number;
};

export type AnswerBody =
  | { readonly kind: 'json'; readonly json: JsonObject }
  | { readonly kind: 'empty' }
  /** `cut`: the connection broke off. */
  | { readonly kind: 'unreadable'; readonly why: 'cut' | 'too long' | 'no JSON' };

/** The limit of the body of an error, an OperationOutcome. */
const MAX_ERROR_BYTES = 256 * 1024;
const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json\b/i;

export async function readAnswer(response: Response, maxBytes: number): Promise<FhirAnswer> {
  const { status, headers } = response;
  const limit = status >= 400 ? Math.min(MAX_ERROR_BYTES, maxBytes) : maxBytes;
  const bytes = await readBytes(response, limit);
  if (typeof bytes === 'string') return { status, headers, body: { kind: 'unreadable', why: bytes } };
  return { status, headers, body: bodyOf(bytes, headers), sizeBytes: bytes.length };
}

export function jsonOf({ body }: FhirAnswer): JsonObject | undefined {
  return body.kind === 'json' ? body.json : undefined;
}

function bodyOf(bytes: Buffer, headers: Headers): AnswerBody {
  if (bytes.length === 0) return { kind: 'empty' };
  const contentType = headers.get('content-type');
  // A body without a content type is tried as JSON.
  if (contentType !== null && !JSON_TYPE.test(contentType)) return { kind: 'unreadable', why: 'no JSON' };
  const text = decode(bytes);
  if (text?.trim() === '') return { kind: 'empty' };
  const json = text === undefined ? undefined : parseJsonObject(text);
  return json ? { kind: 'json', json } : { kind: 'unreadable', why: 'no JSON' };
}

async function readBytes(response: Response, maxBytes: number): Promise<Buffer | 'cut' | 'too long'> {
  if (response.body === null) return Buffer.alloc(0);
  const reader = response.body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      sizeBytes += value.length;
      if (sizeBytes > maxBytes) {
        stop();
        return 'too long';
      }
      chunks.push(value);
    }
  } catch {
    stop();
    return 'cut';
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
