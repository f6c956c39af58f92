// Reads the fields of a form of the review. An edited note is long, and longer still as a form writes it.
import type { Request, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';
import { isMediaType } from '../body/content-type.ts';
import { IncomingBody } from '../body/incoming-body.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import { forClient } from '../server/client-signal.ts';

const LIMITS = { maxBytes: MEBIBYTE, deadlineMs: 20_000 } as const;

/** Throws `unsupportedMedia`, `payloadTooLarge`, `slowRequest`, `cancelled`, and `invalidRequest` for a field that is there twice. */
export async function readReviewForm(req: Request, res: Response): Promise<ReadonlyMap<string, string>> {
  if (!isMediaType(req, 'application/x-www-form-urlencoded')) {
    throw new AppError('unsupportedMedia', 'This address takes the form of its page');
  }
  const text = await forClient(req, res, (signal) => readText(req, signal));
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw new AppError('invalidRequest', 'A field of the form is there twice');
    // A form writes each line end as two characters.
    fields.set(name, value.replace(/\r\n/g, '\n'));
  }
  return fields;
}

async function readText(req: Request, signal: AbortSignal): Promise<string> {
  const body = new IncomingBody(req, LIMITS, signal);
  const pieces: Uint8Array[] = [];
  try {
    for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next()) pieces.push(bytes);
  } finally {
    body.release();
  }
  return Buffer.concat(pieces).toString('utf8');
}
