// What a failed reading is called to people: which site, what is wrong, where to look. Never an address, an id or a word of the server.
import { CredentialsProblem } from '../../domain/credentials-problem.ts';
import { AppError } from '../../domain/errors.ts';
import type { FhirAnswer } from './fhir-answer.ts';
import { readOutcome } from './outcome.ts';
import type { TransportFailure } from './transport.ts';
import { REFUSED_CREDENTIALS } from './watch-refusals.ts';

const MAX_RETRY_AFTER_S = 3600;

type About = {
  readonly site: string;
  /** A resource type, or `metadata`. */
  readonly what: string;
};

export function unavailable(
  { site, what }: About,
  why: string,
  parts: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
): AppError {
  const { retryAfterMs, cause } = parts;
  const seconds = retryAfterMs === undefined ? undefined : secondsOf(retryAfterMs);
  return new AppError('ehrUnavailable', `${site}: the EHR cannot be asked for ${what} now: ${why}`, {
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    ...(cause !== undefined && { cause }),
  });
}

export function unreadable({ site, what }: About, why: string): AppError {
  return new AppError('ehrAnswer', `${site}: what the EHR answered for ${what} is not usable: ${why}`);
}

export function fromFailure(about: About, failure: TransportFailure): AppError {
  const { kind, isPassing, retryAfterMs, message } = failure;
  if (kind === 'credentials') return credentialsProblem(about, failure);
  if (kind === 'address' || (kind === 'no-fhir' && !isPassing)) {
    return new AppError('ehrRefused', `${about.site}: ${message}`, { cause: failure });
  }
  if (kind === 'answer') return unreadable(about, message);
  return unavailable(about, message, { retryAfterMs, cause: failure });
}

function credentialsProblem({ site, what }: About, failure: TransportFailure): CredentialsProblem {
  const { isPassing, retryAfterMs, message } = failure;
  const isOwn = message === REFUSED_CREDENTIALS;
  const words = isPassing && !isOwn ? `the EHR cannot be asked for ${what} now: ${message}` : message;
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : secondsOf(retryAfterMs);
  return new CredentialsProblem(`${site}: ${words}`, { isPassing, retryAfterSeconds, cause: failure });
}

function secondsOf(ms: number): number {
  return Math.min(MAX_RETRY_AFTER_S, Math.ceil(ms / 1000));
}

/** Of an answer that says no: 3xx and 4xx. */
export function fromRefusal({ site, what }: About, answer: FhirAnswer): AppError {
  const { status } = answer;
  const refused = (message: string) => new AppError('ehrRefused', `${site}: ${message}`);
  if (status < 400) return refused(`the EHR sends us elsewhere (${status}): set ehr.baseUrl to where it is now`);
  if (status === 401) return new CredentialsProblem(`${site}: ${REFUSED_CREDENTIALS}`, { isPassing: false });
  if (status === 403) {
    return refused(`the EHR does not let us read ${what} (403): look at the rights of the client in ehr.auth`);
  }
  if (status === 404) return refused(`the EHR has no ${what} (404): look at ehr.baseUrl of that site`);
  const words = readOutcome(answer, [what]).words;
  return refused(`the EHR refuses to be asked for ${what} (${status}${words && `, ${words}`})`);
}
