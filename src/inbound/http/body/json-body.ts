// Reads the JSON body of a request strictly: one object in UTF-8, with a size limit after decompression.
import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '../../../domain/errors.ts';
import { isObject } from '../../../domain/raw-members.ts';
import { parseStrictJson } from '../../../domain/strict-json.ts';
import { printOf } from './body-print.ts';
import { isUtf8, readParameterized } from './content-type.ts';
import { IncomingBody } from './incoming-body.ts';
import { MEBIBYTE, mebibytes } from './sizes.ts';

export type JsonBodyLimits = { readonly limitBytes: number; readonly timeoutMs: number };

export const JSON_BODY_LIMITS: JsonBodyLimits = { limitBytes: MEBIBYTE, timeoutMs: 60_000 };

const INFLATERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Throws `unsupportedMedia`, `payloadTooLarge`, `slowRequest`, `cancelled`, or `invalidRequest` for anything that is not a JSON object. */
export async function readJsonBody(
  req: IncomingMessage,
  { limitBytes, timeoutMs, signal }: JsonBodyLimits & { readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  requireJson(req.headers['content-type']);
  const inflater = chooseInflater(req.headers['content-encoding']);
  const body = new IncomingBody(req, { maxBytes: limitBytes, deadlineMs: timeoutMs }, signal);
  try {
    const bytes = inflater ? await inflate(body, inflater, limitBytes) : await collect(chunksOf(body), limitBytes);
    const print = printOf(req);
    print?.bytes(bytes);
    print?.end();
    return toObject(bytes);
  } finally {
    body.release();
  }
}

function requireJson(contentType: string | undefined): void {
  const type = readParameterized(contentType ?? '');
  if (type?.value !== 'application/json') {
    throw new AppError('unsupportedMedia', 'The Content-Type must be application/json');
  }
  if (!isUtf8(type.parameters.get('charset'))) throw new AppError('unsupportedMedia', 'The charset must be utf-8');
}

function chooseInflater(contentEncoding = 'identity'): Transform | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === 'identity') return undefined;
  const make = Object.hasOwn(INFLATERS, encoding) ? INFLATERS[encoding] : undefined;
  if (make === undefined) {
    throw new AppError('unsupportedMedia', 'The Content-Encoding must be identity, gzip, deflate or br');
  }
  return make();
}

async function* chunksOf(body: IncomingBody): AsyncGenerator<Uint8Array> {
  for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next()) yield bytes;
}

/** The limit counts decompressed bytes: a compression bomb stops at the first byte too many. */
async function inflate(body: IncomingBody, inflater: Transform, limitBytes: number): Promise<Uint8Array> {
  let inflated: Uint8Array = new Uint8Array();
  try {
    await pipeline(chunksOf(body), inflater, async (pieces: AsyncIterable<Uint8Array>) => {
      inflated = await collect(pieces, limitBytes);
    });
    return inflated;
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError('invalidRequest', 'The body does not match its Content-Encoding', { cause: thrown });
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of pieces) {
    sizeBytes += piece.length;
    if (sizeBytes > limitBytes) {
      throw new AppError('payloadTooLarge', `The request body is larger than ${mebibytes(limitBytes)}`);
    }
    collected.push(piece);
  }
  return Buffer.concat(collected);
}

function toObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) throw new AppError('invalidRequest', 'The body is empty; a JSON object is expected');
  const value = parseStrictJson(decodeUtf8(bytes));
  if (!isObject(value)) throw new AppError('invalidRequest', 'The body must be a JSON object');
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('invalidRequest', 'The body is not valid UTF-8');
  }
}
