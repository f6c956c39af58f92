// A document that never changes while the engine runs: one prepared buffer with its ETag, also compressed, so that an answer costs no more
// than its bytes on the wire.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

export type FixedDocument = {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
};

const compress = promisify(gzip);

export async function prepareDocument(type: string, text: string | Buffer): Promise<FixedDocument> {
  const plain = Buffer.from(text);
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { type, plain, gzipped: await compress(plain), etag };
}

/** Headers that are already set are sent with it. */
export function sendDocument(req: Request, res: Response, { type, plain, gzipped, etag }: FixedDocument): void {
  // The compressed form has a tag of its own, as HTTP asks.
  const isGzipped = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  const ownEtag = isGzipped ? etag.replace(/"$/, '-gzip"') : etag;
  res.vary('Accept-Encoding');
  res.setHeader('etag', ownEtag);
  if (isKnown(req.headers['if-none-match'], ownEtag)) {
    res.writeHead(304).end();
    return;
  }
  const body = isGzipped ? gzipped : plain;
  res.setHeader('content-type', type);
  if (isGzipped) res.setHeader('content-encoding', 'gzip');
  res.setHeader('content-length', body.length);
  res.writeHead(200).end(req.method === 'HEAD' ? undefined : body);
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
