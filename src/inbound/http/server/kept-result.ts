// The form in which the answer to a request with an Idempotency-Key is kept: what its handler returned, or why it was refused. Failures that another
// try may mend (overload, a vendor that is down, an internal error) are not kept, and neither are streams that ended with one.
import { z } from 'zod';
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { OperationResult } from './api-call.ts';

/** What another try of the same request would meet again. */
const KEPT_FAILURES = ['invalidRequest', 'unsupportedMedia', 'notMedical', 'noSpeech'] as const satisfies ErrorCode[];

const keptSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('json'),
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.unknown(),
  }),
  z.object({ kind: z.literal('stream'), status: z.union([z.literal(200), z.literal(201)]), final: z.looseObject({}) }),
  z.object({
    kind: z.literal('failure'),
    code: z.enum(KEPT_FAILURES),
    message: z.string(),
    details: z.array(z.string()).optional(),
  }),
]);
export type KeptResult = z.infer<typeof keptSchema>;

/** Undefined if the answer is not to be kept. */
export function writeKept(result: OperationResult): string | undefined {
  if (result.kind === 'json') {
    const { kind, status, headers = {}, body } = result;
    return JSON.stringify({ kind, status, headers, body } satisfies KeptResult);
  }
  const { kind, status, final } = result;
  return final === undefined ? undefined : JSON.stringify({ kind, status, final });
}

/** Undefined for a failure that is not to be kept. */
export function writeKeptFailure({ code, message, details }: AppError): string | undefined {
  const isKept = KEPT_FAILURES.some((kept) => kept === code);
  return isKept ? JSON.stringify(present({ kind: 'failure', code, message, details })) : undefined;
}

export function readKept(text: string): KeptResult {
  const kept = keptSchema.safeParse(JSON.parse(text));
  if (!kept.success) throw new AppError('internal', 'A kept answer cannot be read');
  return kept.data;
}
