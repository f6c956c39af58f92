// Reads the whole body of a request for its hash alone: to see that it is the same as an earlier one. The limits are those of the largest form.
import type { IncomingMessage } from 'node:http';
import { DIAGNOSE_LIMITS } from '../../../domain/diagnosis/attachment.ts';
import { startPrint } from './body-print.ts';
import { isMediaType } from './content-type.ts';
import { JSON_BODY_LIMITS, readJsonBody } from './json-body.ts';
import { FORM_OVERHEAD_BYTES, FORM_PACE, readForm } from './multipart.ts';

const { maxFiles, maxFileBytes } = DIAGNOSE_LIMITS;
export const MAX_FORM_BYTES = maxFiles * maxFileBytes + FORM_OVERHEAD_BYTES;

/** Throws what the readers of bodies throw. */
export async function printBody(req: IncomingMessage, signal: AbortSignal): Promise<string> {
  const print = startPrint(req);
  await readThrough(req, signal);
  return print.digest ?? '';
}

/** Reads the body to its end and discards it. */
export async function readThrough(req: IncomingMessage, signal: AbortSignal): Promise<void> {
  if (isMediaType(req, 'application/json')) await readJsonBody(req, { ...JSON_BODY_LIMITS, signal });
  else await readForm(req, { maxBodyBytes: MAX_FORM_BYTES, pace: FORM_PACE }, signal);
}
