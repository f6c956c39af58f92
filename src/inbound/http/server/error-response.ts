// The one place that turns an error into an HTTP answer, with the statuses and the body of docs/service-interface.md.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AppError, asAppError, type ErrorCode } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import { hasUnreadBody, type LingerLimits, refuseBody } from './linger.ts';

/** The service interface has different statuses for diagnosis and for transcription. `ops` is /ops and everything else, `ehr` is /ehr, `jobs` is /jobs, `cds` is /cds-services. */
export type ErrorFamily = 'diagnosis' | 'transcription' | 'ops' | 'ehr' | 'jobs' | 'cds';

/**
 * The status of each error. Diagnosis knows few statuses, as docs/service-interface.md has them. For `ehr`, recordings are refused as in
 * transcription, and failures of the EHR are 503, so that the sender tries again.
 */
const STATUSES = {
  invalidRequest: { diagnosis: 400, transcription: 400, ops: 400, ehr: 400 },
  unauthorized: { diagnosis: 401, transcription: 401, ops: 401, ehr: 401 },
  forbidden: { diagnosis: 400, transcription: 400, ops: 403, ehr: 403 },
  notFound: { diagnosis: 404, transcription: 400, ops: 404, ehr: 404 },
  methodNotAllowed: { diagnosis: 405, transcription: 405, ops: 405, ehr: 405 },
  keyReused: { diagnosis: 422, transcription: 422, ops: 422, ehr: 422 },
  conflict: { diagnosis: 400, transcription: 400, ops: 409, ehr: 409 },
  payloadTooLarge: { diagnosis: 400, transcription: 413, ops: 413, ehr: 413 },
  unsupportedMedia: { diagnosis: 400, transcription: 415, ops: 415, ehr: 415 },
  rateLimited: { diagnosis: 429, transcription: 429, ops: 429, ehr: 429 },
  authThrottled: { diagnosis: 429, transcription: 429, ops: 429, ehr: 429 },
  quotaExceeded: { diagnosis: 429, transcription: 402, ops: 402, ehr: 402 },
  notMedical: { diagnosis: 400, transcription: 400, ops: 422, ehr: 422 },
  noSpeech: { diagnosis: 400, transcription: 400, ops: 422, ehr: 422 },
  slowRequest: { diagnosis: 400, transcription: 400, ops: 408, ehr: 400 },
  // The client has disconnected and does not see this status; usage records and metrics have it.
  cancelled: { diagnosis: 499, transcription: 499, ops: 499, ehr: 499 },
  overloaded: { diagnosis: 429, transcription: 503, ops: 503, ehr: 503 },
  shuttingDown: { diagnosis: 429, transcription: 503, ops: 503, ehr: 503 },
  notConfigured: { diagnosis: 500, transcription: 503, ops: 503, ehr: 503 },
  vendorUnavailable: { diagnosis: 500, transcription: 503, ops: 503, ehr: 503 },
  vendorAnswer: { diagnosis: 500, transcription: 500, ops: 502, ehr: 500 },
  vendorRejected: { diagnosis: 500, transcription: 503, ops: 502, ehr: 503 },
  ehrUnavailable: { diagnosis: 500, transcription: 500, ops: 503, ehr: 503 },
  ehrAnswer: { diagnosis: 500, transcription: 500, ops: 502, ehr: 503 },
  ehrRefused: { diagnosis: 500, transcription: 500, ops: 502, ehr: 503 },
  ehrUncertain: { diagnosis: 500, transcription: 500, ops: 502, ehr: 503 },
  inUse: { diagnosis: 500, transcription: 500, ops: 409, ehr: 503 },
  internal: { diagnosis: 500, transcription: 500, ops: 500, ehr: 500 },
} satisfies Record<ErrorCode, Record<Exclude<ErrorFamily, 'jobs' | 'cds'>, number>>;

/** Where CDS Hooks has a status of its own: what the service needs is not to be had. */
const CDS_STATUSES: Partial<Record<ErrorCode, number>> = { conflict: 412 };

const CHALLENGES: Record<ErrorFamily, string> = {
  diagnosis: 'ApiKey',
  transcription: 'ApiKey',
  ops: 'Bearer',
  ehr: 'ApiKey, Bearer',
  jobs: 'ApiKey',
  cds: 'Bearer',
};

export type ErrorBody = {
  readonly statusCode: number;
  readonly message: string | readonly string[];
  /** The name of the status; absent with 401. */
  readonly error?: string;
};

export function statusFor(family: ErrorFamily, code: ErrorCode): number {
  if (family === 'cds') return CDS_STATUSES[code] ?? STATUSES[code].ops;
  // A job is not of one interface: its address has the usual statuses.
  return STATUSES[code][family === 'jobs' ? 'ops' : family];
}

export function errorBody(status: number, error: AppError): ErrorBody {
  return failureBody(status, errorMessage(error));
}

export function failureBody(status: number, message: ErrorBody['message']): ErrorBody {
  const error = status === 401 ? undefined : STATUS_CODES[status];
  return present({ statusCode: status, message, error });
}

/** The message for the caller, without internal details. */
export function errorMessage({ code, message, details }: AppError): string | readonly string[] {
  if (code === 'internal') return 'Internal server error';
  return details !== undefined && details.length > 0 ? details : message;
}

/**
 * Answers with any thrown value. Headers that are already set (RateLimit, Allow, CORS) are sent with it. A client that is still
 * sending its body gets the answer too. If the answer has started or the client has disconnected, the connection is closed.
 */
export function sendError(
  req: IncomingMessage,
  res: ServerResponse,
  family: ErrorFamily,
  thrown: unknown,
  linger?: LingerLimits,
): void {
  const error = asAppError(thrown);
  if (res.headersSent || res.destroyed || error.code === 'cancelled') {
    res.destroy();
    return;
  }
  try {
    answer(req, res, family, error, linger);
  } catch {
    res.destroy();
  }
}

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  family: ErrorFamily,
  error: AppError,
  linger: LingerLimits | undefined,
): void {
  const status = statusFor(family, error.code);
  const body = JSON.stringify(errorBody(status, error));
  for (const name of ['content-encoding', 'etag', 'last-modified', 'content-disposition']) res.removeHeader(name);
  res.statusCode = status;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.setHeader('cache-control', 'no-store');
  if (status === 401) res.setHeader('www-authenticate', CHALLENGES[family]);
  if (error.retryAfterSeconds !== undefined) {
    res.setHeader('retry-after', Math.max(1, Math.ceil(error.retryAfterSeconds)));
  }
  if (hasUnreadBody(req)) {
    refuseBody(req, res, body, linger);
  } else {
    res.setHeader('content-length', Buffer.byteLength(body));
    res.end(body);
  }
}
