// Reads a small form (application/x-www-form-urlencoded) as a browser page or an OAuth client sends it.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { readParameterized } from './content-type.ts';
import { IncomingBody } from './incoming-body.ts';

export type FormFields = Readonly<Record<string, string>>;

const LIMITS = { maxBytes: 65_536, deadlineMs: 10_000 } as const;

/**
 * The fields by name. Throws `invalidRequest` for a field that is given twice (RFC 6749, section 3.2), `unsupportedMedia`, `payloadTooLarge`,
 * `slowRequest`, `cancelled`.
 */
export async function readFormBody(req: IncomingMessage, signal: AbortSignal): Promise<FormFields> {
  const type = readParameterized(req.headers['content-type'] ?? '');
  if (type?.value !== 'application/x-www-form-urlencoded') {
    throw new AppError('unsupportedMedia', 'The Content-Type must be application/x-www-form-urlencoded');
  }
  const body = new IncomingBody(req, LIMITS, signal);
  try {
    const pieces: Uint8Array[] = [];
    for (let piece = await body.next(); piece !== undefined; piece = await body.next()) pieces.push(piece);
    const fields = [...new URLSearchParams(Buffer.concat(pieces).toString('utf8'))];
    const names = fields.map(([name]) => name);
    if (new Set(names).size < names.length) throw new AppError('invalidRequest', 'Each field must be given once');
    return Object.fromEntries(fields);
  } finally {
    body.release();
  }
}
