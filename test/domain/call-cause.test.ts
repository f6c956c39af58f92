// The class of the cause of a failed call, as logs name it.
import { describe, expect, it } from '@jest/globals';
import { CallFailure, callCauseOf, statusFailure } from '../../src/domain/call-cause.ts';
import { AppError } from '../../src/domain/errors.ts';

const withCode = (code: string) => Object.assign(new Error('canary'), { code });
const failed = (cause?: unknown) => new AppError('vendorUnavailable', 'canary', { cause });

describe('the cause of a failed call', () => {
  it.each([
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ECONNRESET', 'reset'],
    ['EPIPE', 'reset'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['EPROTO', 'tls'],
    ['ERR_PROXY_TUNNEL', 'proxy'],
    ['HPE_INVALID_CONSTANT', 'answer'],
    ['ESOMETHING', 'unknown'],
  ])('is that of the network code %s, however deep: %s', (code, cause) => {
    expect(callCauseOf(failed(withCode(code)))).toBe(cause);
    expect(callCauseOf(failed(new TypeError('fetch failed', { cause: withCode(code) })))).toBe(cause);
  });

  it.each([
    [302, '3xx'],
    [404, '4xx'],
    [429, '4xx'],
    [503, '5xx'],
    [204, 'answer'],
  ])('is the class of the status %s: %s', (status, cause) => {
    expect(callCauseOf(failed(statusFailure(status)))).toBe(cause);
  });

  it('is a limit of time that the engine has set, or that a signal has', () => {
    expect(callCauseOf(failed(new CallFailure('timeout')))).toBe('timeout');
    expect(callCauseOf(failed(AbortSignal.abort(new DOMException('late', 'TimeoutError')).reason))).toBe('timeout');
  });

  it('is the answer if that cannot be used, and unknown if nothing shows it', () => {
    expect(callCauseOf(new AppError('vendorAnswer', 'canary'))).toBe('answer');
    expect(callCauseOf(failed())).toBe('unknown');
    expect(callCauseOf(failed('canary'))).toBe('unknown');
  });

  it('is found in a circle of causes, too', () => {
    const error = failed();
    error.cause = error;
    expect(callCauseOf(error)).toBe('unknown');
  });
});
