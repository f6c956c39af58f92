// The one place that turns an error into an HTTP answer, with the statuses and the body of docs/service-interface.md.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AppError, asAppError, type ErrorCode } from '../../../domain/errors.ts';
import { hasUnreadBody, type LingerLimits, refuseBody } from './linger.ts';

/** The service interface has different statuses for diagnosis and for transcription. `ops` is /ops and everything else, `ehr` is /ehr. */
export type ErrorFamily = 'diagnosis' | 'transcription' | 'ops' | 'ehr';

/** The client has disconnected and does not see this status; usage records and metrics have it. */
const CLIENT_CLOSED_REQUEST = 499;

const DIAGNOSIS_STATUSES = {
  invalidRequest: 400,
  unauthorized: 401,
  forbidden: 400,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 400,
  payloadTooLarge: 400,
  unsupportedMedia: 400,
  rateLimited: 429,
  authThrottled: 429,
  quotaExceeded: 429,
  notMedical: 400,
  noSpeech: 400,
  slowRequest: 400,
  cancelled: CLIENT_CLOSED_REQUEST,
  overloaded: 429,
  shuttingDown: 429,
  notConfigured: 500,
  vendorUnavailable: 500,
  vendorAnswer: 500,
  vendorRejected: 500,
  ehrUnavailable: 500,
  ehrAnswer: 500,
  ehrRefused: 500,
  ehrUncertain: 500,
  inUse: 500,
  internal: 500,
} satisfies Record<ErrorCode, number>;

const TRANSCRIPTION_STATUSES = {
  ...DIAGNOSIS_STATUSES,
  notFound: 400,
  payloadTooLarge: 413,
  unsupportedMedia: 415,
  quotaExceeded: 402,
  overloaded: 503,
  shuttingDown: 503,
  notConfigured: 503,
  vendorUnavailable: 503,
  vendorRejected: 503,
} satisfies Record<ErrorCode, number>;

const OPS_STATUSES = {
  invalidRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  payloadTooLarge: 413,
  unsupportedMedia: 415,
  rateLimited: 429,
  authThrottled: 429,
  quotaExceeded: 402,
  notMedical: 422,
  noSpeech: 422,
  slowRequest: 408,
  cancelled: CLIENT_CLOSED_REQUEST,
  overloaded: 503,
  shuttingDown: 503,
  notConfigured: 503,
  vendorUnavailable: 503,
  vendorAnswer: 502,
  vendorRejected: 502,
  ehrUnavailable: 503,
  ehrAnswer: 502,
  ehrRefused: 502,
  ehrUncertain: 502,
  inUse: 409,
  internal: 500,
} satisfies Record<ErrorCode, number>;

/** Recordings are refused with the statuses of transcription; failures of the EHR are 503, so that the sender tries again. */
const EHR_STATUSES = {
  ...TRANSCRIPTION_STATUSES,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  notMedical: 422,
  noSpeech: 422,
  ehrUnavailable: 503,
  ehrAnswer: 503,
  ehrRefused: 503,
  ehrUncertain: 503,
  inUse: 503,
} satisfies Record<ErrorCode, number>;

const STATUSES: Record<ErrorFamily, Record<ErrorCode, number>> = {
  diagnosis: DIAGNOSIS_STATUSES,
  transcription: TRANSCRIPTION_STATUSES,
  ops: OPS_STATUSES,
  ehr: EHR_STATUSES,
};

const CHALLENGES: Record<ErrorFamily, string> = {
  diagnosis: 'ApiKey',
  transcription: 'ApiKey',
  ops: 'Bearer',
  ehr: 'ApiKey, Bearer',
};

export type ErrorBody = {
  readonly statusCode: number;
  readonly message: string | readonly string[];
  /** The name of the status; absent with 401. */
  readonly error?: string;
};

export function statusFor(family: ErrorFamily, code: ErrorCode): number {
  return STATUSES[family][code];
}

export function errorBody(status: number, error: AppError): ErrorBody {
  const name = STATUS_CODES[status];
  return {
    statusCode: status,
    message: errorMessage(error),
    ...(status !== 401 && name !== undefined && { error: name }),
  };
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
