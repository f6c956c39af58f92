// The error type of the product: a code from a closed set, a message that may be shown to the caller, and whether a retry can help. It never
// carries clinical text: messages hold ids, limits, setting names and file labels.

/** Whether a retry can help. `ambiguous`: the write may or may not have happened, so it must not be sent again blindly. */
export type Retryability = 'transient' | 'ambiguous' | 'permanent';

export const ERROR_CODES = {
  /** The request breaks a rule of the interface. */
  invalidRequest: 'permanent',
  /** The caller is unknown, or has no permission. */
  unauthorized: 'permanent',
  forbidden: 'permanent',
  notFound: 'permanent',
  methodNotAllowed: 'permanent',
  conflict: 'permanent',
  /** The Idempotency-Key of the request was used with another one. */
  keyReused: 'permanent',
  /** More bytes than the interface allows. */
  payloadTooLarge: 'permanent',
  /** A content type that the interface does not accept. */
  unsupportedMedia: 'permanent',
  /** Too many requests in this minute. */
  rateLimited: 'transient',
  /** Too many wrong keys from one address. */
  authThrottled: 'transient',
  /** The month's requests or audio seconds are used up. */
  quotaExceeded: 'permanent',
  /** The audio has no medical content, or no speech. */
  notMedical: 'permanent',
  noSpeech: 'permanent',
  /** The request body arrived too slowly, or stopped. */
  slowRequest: 'permanent',
  /** The client closed the connection. */
  cancelled: 'permanent',
  /** The engine has too much work at once, or too little disk space. */
  overloaded: 'transient',
  /** This engine is stopping. */
  shuttingDown: 'transient',
  /** No vendor is configured for the request. */
  notConfigured: 'permanent',
  /** A vendor cannot be reached, answers 5xx or 429, or is too slow. */
  vendorUnavailable: 'transient',
  /** The answer of a vendor is malformed, cut off or a refusal. */
  vendorAnswer: 'transient',
  /** A vendor refuses the credentials or the request. */
  vendorRejected: 'permanent',
  /** An EHR cannot be reached, answers 5xx or 429, is too slow, or is not called because its circuit is open. Nothing was written. */
  ehrUnavailable: 'transient',
  /** The answer of an EHR is not FHIR: malformed, cut off, too long. Nothing was written. */
  ehrAnswer: 'transient',
  /** An EHR refuses the credentials or the request; or an address is not that of the site. */
  ehrRefused: 'permanent',
  /** A write was sent to an EHR and its result is unknown: the resource must be searched for before it is sent again. */
  ehrUncertain: 'ambiguous',
  /** Another process works on the same chart, or has taken over. */
  inUse: 'transient',
  /** An unexpected error. */
  internal: 'permanent',
} as const satisfies Record<string, Retryability>;

export type ErrorCode = keyof typeof ERROR_CODES;

type ErrorParts = {
  readonly cause?: unknown;
  /** One entry per problem, if a request has several. */
  readonly details?: readonly string[];
  /** How long the caller should wait. */
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

/** Returns any thrown value as an AppError. An unknown error becomes `internal`, and its text is not in the message. */
export function asAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError('internal', 'Internal server error', { cause: thrown });
}
