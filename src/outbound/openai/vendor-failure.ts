// Turns whatever a call threw into what the product knows. Nothing of a vendor's body, and no key, gets into a message or
// a cause: only statuses, network codes and the names of settings.
import { APIConnectionError, APIError } from 'openai/error';
import { statusFailure } from '../../domain/call-cause.ts';
import { AppError } from '../../domain/errors.ts';

/** The vendor could not take the call now; it may be asked again. */
export class VendorBusy extends Error {
  readonly failure: AppError;
  readonly retryAfterMs: number | undefined;

  constructor(failure: AppError, retryAfterMs?: number) {
    super(failure.message);
    this.name = 'VendorBusy';
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 409, 429]);
const WHAT_TO_CHECK: ReadonlyMap<number, string> = new Map([
  [400, 'check that OPENAI_MODEL takes JSON schemas, images and PDF files'],
  [401, 'check OPENAI_API_KEY'],
  [403, 'check OPENAI_API_KEY and its rights to OPENAI_MODEL'],
  [404, 'check OPENAI_MODEL and OPENAI_BASE_URL'],
  [413, 'check that OPENAI_BASE_URL takes requests of this size'],
  [422, 'check that OPENAI_MODEL takes JSON schemas, images and PDF files'],
]);

/** For what was thrown before the answer began. */
export function openingFailure(error: unknown): AppError | VendorBusy {
  if (error instanceof APIConnectionError) return unreachable(error);
  if (!(error instanceof APIError) || error.status === undefined) {
    return new AppError('vendorAnswer', 'The reasoner answered with something that is no answer', {
      cause: networkCause(error),
    });
  }
  const { status } = error;
  if (BUSY_STATUSES.has(status) || status >= 500) {
    const retryAfterMs = readRetryAfterMs(error.headers);
    const failure = new AppError('vendorUnavailable', `The reasoner cannot answer now (status ${status})`, {
      cause: statusFailure(status),
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
    });
    return new VendorBusy(failure, retryAfterMs);
  }
  const advice = WHAT_TO_CHECK.get(status) ?? 'check OPENAI_BASE_URL';
  return new AppError('vendorRejected', `The reasoner refused the request (status ${status}): ${advice}`, {
    cause: statusFailure(status),
  });
}

/** For what was thrown within the answer. It may have been half said: it is not asked for again. */
export function answerFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof SyntaxError) return new AppError('vendorAnswer', 'The reasoner sent an event that is no JSON');
  return new AppError('vendorAnswer', 'The answer of the reasoner was cut off', { cause: networkCause(error) });
}

function unreachable(error: unknown): VendorBusy {
  const cause = networkCause(error);
  return new VendorBusy(
    new AppError('vendorUnavailable', 'The reasoner cannot be reached: check OPENAI_BASE_URL and the network', {
      cause,
    }),
  );
}

/** The innermost network code (ECONNREFUSED …), the one thing of a foreign error that is safe to keep. */
function networkCause(error: unknown): Error {
  let code = 'unknown';
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    if ('code' in current && typeof current.code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(current.code)) {
      code = current.code;
    }
    current = 'cause' in current ? current.cause : undefined;
  }
  return Object.assign(new Error(`network failure: ${code}`), { code });
}

/** Seconds or a date; undefined where the header is absent, nonsense or in the past. */
function readRetryAfterMs(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after')?.trim();
  if (!value) return undefined;
  const waitMs = /^\d{1,9}(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) && waitMs >= 0 ? waitMs : undefined;
}
