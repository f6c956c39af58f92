// Reads request bodies up to a limit, and writes answers as FHIR's JSON.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OperationOutcome } from '@medplum/fhirtypes';
import { outcome } from './outcomes.ts';

export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is written as JSON; a stream is written as it is. */
  readonly body?: object | AsyncIterable<Uint8Array | string>;
};

/** A request that cannot be read. */
export class RefusedRequest extends Error {
  readonly answer: Answer;

  constructor(status: number, outcome: OperationOutcome) {
    super('refused');
    this.answer = { status, body: outcome };
  }
}

const MAX_JSON_BYTES = 16 * 1_048_576;

export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= maxBytes) chunks.push(chunk);
  }
  if (sizeBytes > maxBytes) throw new RefusedRequest(413, outcome('too-long', 'The body is too large'));
  return Buffer.concat(chunks);
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = mediaType(request);
  if (type !== 'application/fhir+json' && type !== 'application/json') {
    throw new RefusedRequest(415, outcome('not-supported', 'Only JSON is taken'));
  }
  const text = (await readBytes(request, MAX_JSON_BYTES)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedRequest(400, outcome('structure', 'The body is no JSON'));
  }
}

export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** True if the client accepts JSON. */
export function takesJson(request: IncomingMessage, query: URLSearchParams): boolean {
  const wanted = query.get('_format') ?? request.headers.accept ?? '*/*';
  return /json|\*\/\*|application\/\*/i.test(wanted);
}

export async function writeAnswer(response: ServerResponse, { status, headers = {}, body }: Answer): Promise<void> {
  response.writeHead(status, {
    ...(body && !isStream(body) && { 'content-type': 'application/fhir+json; charset=utf-8' }),
    ...headers,
  });
  if (body && isStream(body)) await pipeline(Readable.from(body, { objectMode: false }), response);
  else response.end(body && JSON.stringify(body));
}

function isStream(body: object): body is AsyncIterable<Uint8Array | string> {
  return Symbol.asyncIterator in body;
}
