// Reads the fields of a small HTML form. A field that is given twice counts as absent, because its readers could disagree on which one counts.
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { readParameterized } from './content-type.ts';
import { IncomingBody } from './incoming-body.ts';

export type FormFields = Readonly<Record<string, string>>;

const LIMITS = { maxBytes: 65_536, deadlineMs: 15_000 } as const;

/** Throws `unsupportedMedia`, `payloadTooLarge`, `slowRequest`, `cancelled`. */
export async function readFormBody(req: IncomingMessage, signal: AbortSignal): Promise<FormFields> {
  if (readParameterized(req.headers['content-type'] ?? '')?.value !== 'application/x-www-form-urlencoded') {
    throw new AppError('unsupportedMedia', 'The Content-Type must be application/x-www-form-urlencoded');
  }
  const body = new IncomingBody(req, LIMITS, signal);
  try {
    const chunks: Uint8Array[] = [];
    for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next()) chunks.push(bytes);
    return fieldsOf(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
  } finally {
    body.release();
  }
}

function fieldsOf(form: URLSearchParams): FormFields {
  const once = [...form].filter(([name]) => form.getAll(name).length === 1);
  return Object.fromEntries(once);
}
