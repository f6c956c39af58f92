// Turns the failures of openid-client into errors of the product. Nothing of a token or a claim gets into a message.
import { AppError } from '../../domain/errors.ts';

/** What openid-client and the network call their failures, for the log. */
export function failureCode(thrown: unknown): string {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    if ('error' in error && typeof error.error === 'string') return error.error.replace(/[^\w.-]+/g, ' ').slice(0, 60);
    if ('code' in error && typeof error.code === 'string' && error.code !== 'OAUTH_RESPONSE_IS_NOT_CONFORM') {
      return error.code;
    }
  }
  return 'unknown';
}

export function asProviderFailure(thrown: unknown, refusal: string): AppError {
  if (thrown instanceof AppError) return thrown;
  return isAway(thrown) ? providerAway(thrown) : new AppError('unauthorized', refusal, { cause: thrown });
}

export function providerAway(cause: unknown): AppError {
  return new AppError('vendorUnavailable', 'The identity provider cannot be reached now: try again in a moment', {
    cause,
    retryAfterSeconds: 5,
  });
}

/** No answer at all, or one of a server that has trouble. */
function isAway(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    if (error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message)) return true;
    if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
    if ('code' in error && error.code === 'OAUTH_TIMEOUT') return true;
    if ('status' in error && typeof error.status === 'number' && error.status >= 500) return true;
    if (error.cause instanceof Response && error.cause.status >= 500) return true;
  }
  return false;
}
