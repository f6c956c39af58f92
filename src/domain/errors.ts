// The one error of the product: a code from a closed set, a message that may be shown to the caller, and whether
// trying again can help. It never carries clinical text: messages hold ids, limits, setting names and file labels.

/** Whether trying again can help. Ambiguous means "nobody knows if it happened": never sent again blindly. */
export type Retryability = 'transient' | 'ambiguous' | 'permanent';

export const ERROR_CODES = {
  /** The request breaks a rule of the interface. */
  invalidRequest: 'permanent',
  /** The caller is not known, or may not use this. */
  unauthorized: 'permanent',
  forbidden: 'permanent',
  notFound: 'permanent',
  methodNotAllowed: 'permanent',
  conflict: 'permanent',
  /** More bytes than the interface allows. */
  payloadTooLarge: 'permanent',
  /** A kind of content that the interface does not take. */
  unsupportedMedia: 'permanent',
  /** Too many requests in this minute. */
  rateLimited: 'transient',
  /** Too many wrong keys from one address. */
  authThrottled: 'transient',
  /** The month's requests or audio seconds are used up. */
  quotaExceeded: 'permanent',
  /** The audio holds nothing that is medical, or nothing that is said. */
  notMedical: 'permanent',
  noSpeech: 'permanent',
  /** The body came too slowly, or stopped coming. */
  slowRequest: 'permanent',
  /** The client went away. */
  cancelled: 'permanent',
  /** Too much work at once here; or too little disk. */
  overloaded: 'transient',
  /** This engine is stopping. */
  shuttingDown: 'transient',
  /** No vendor is configured for what was asked. */
  notConfigured: 'permanent',
  /** A vendor that cannot be reached, answers 5xx or 429, or is too slow. */
  vendorUnavailable: 'transient',
  /** A vendor that answers, but not with what was asked: malformed, cut, refused. */
  vendorAnswer: 'transient',
  /** A vendor that refuses our credentials or our request as such. */
  vendorRejected: 'permanent',
  /** An EHR that cannot be reached, answers 5xx or 429, is too slow, or was left alone for a while after failing. Nothing was written. */
  ehrUnavailable: 'transient',
  /** An EHR that answers, but not with FHIR: malformed, cut, too long. Nothing was written. */
  ehrAnswer: 'transient',
  /** An EHR that refuses our credentials or our request as such; or an address that is not the site's own. */
  ehrRefused: 'permanent',
  /** Something was sent to an EHR, and nobody knows yet if it is there: it is looked for before anything is sent again. */
  ehrUncertain: 'ambiguous',
  /** Somebody else is at work on the same chart, or has taken over. */
  inUse: 'transient',
  /** Anything that should not have happened. */
  internal: 'permanent',
} as const satisfies Record<string, Retryability>;

export type ErrorCode = keyof typeof ERROR_CODES;

type ErrorParts = {
  readonly cause?: unknown;
  /** One entry per failure, where one request breaks several rules. */
  readonly details?: readonly string[];
  /** How long the caller is asked to wait. */
  readonly retryAfterSeconds?: number;
};

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, publicMessage: string, parts: ErrorParts = {}) {
    super(publicMessage, 'cause' in parts ? { cause: parts.cause } : undefined);
    this.name = 'AppError';
    this.code = code;
    this.details = parts.details;
    this.retryAfterSeconds = parts.retryAfterSeconds;
  }

  get retryability(): Retryability {
    return ERROR_CODES[this.code];
  }
}

/** For the seams: what was thrown, as an AppError. A stranger becomes `internal`, with nothing of it in the message. */
export function asAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError('internal', 'Internal server error', { cause: thrown });
}
