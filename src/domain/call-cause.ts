// Why a call to another system failed, as a name from a closed set: for logs, in which no text of the other side may be.
import type { AppError } from './errors.ts';

export type CallCause =
  /** No answer, or no further part of it, in time. */
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'refused'
  /** The network has no way to the other side. */
  | 'unreachable'
  /** The connection was broken off. */
  | 'reset'
  | 'proxy'
  /** The class of the HTTP status. */
  | '3xx'
  | '4xx'
  | '5xx'
  /** The answer cannot be used. */
  | 'answer'
  | 'unknown';

/** The cause of an AppError, if the code of a network error does not show it. */
export class CallFailure extends Error {
  readonly callCause: CallCause;

  constructor(callCause: CallCause) {
    super(`the call failed: ${callCause}`);
    this.name = 'CallFailure';
    this.callCause = callCause;
  }
}

export function statusFailure(status: number): CallFailure {
  const first = Math.floor(status / 100);
  return new CallFailure(first === 3 || first === 4 || first === 5 ? `${first}xx` : 'answer');
}

const MOST_CAUSES = 8;
const BY_CODE: readonly (readonly [RegExp, CallCause])[] = [
  [/^(?:E(?:SOCKET)?TIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timeout'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^E(?:HOST|NET)(?:UNREACH|DOWN)$/, 'unreachable'],
  [/^(?:ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/, 'reset'],
  [/^ERR_PROXY_/, 'proxy'],
  [/^HPE_/, 'answer'],
  [/^(?:EPROTO$|ERR_(?:SSL|TLS|OSSL)_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls'],
];

/** Of the innermost cause that shows it. */
export function callCauseOf(error: AppError): CallCause {
  const inner = causesOf(error).findLast((one) => one !== undefined);
  return inner ?? (error.code === 'vendorAnswer' ? 'answer' : 'unknown');
}

function causesOf(error: unknown): readonly (CallCause | undefined)[] {
  const found: (CallCause | undefined)[] = [];
  let current = error;
  for (let depth = 0; depth < MOST_CAUSES && typeof current === 'object' && current !== null; depth += 1) {
    found.push(ownCause(current));
    current = 'cause' in current ? current.cause : undefined;
  }
  return found;
}

function ownCause(error: object): CallCause | undefined {
  if (error instanceof CallFailure) return error.callCause;
  if ('name' in error && error.name === 'TimeoutError') return 'timeout';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
}
