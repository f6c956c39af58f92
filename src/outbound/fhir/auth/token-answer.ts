// Interprets a token server's answer: a token, or the setting to check. Only known codes of the answer go into a message.
import { type FhirAnswer, jsonOf } from '../fhir-answer.ts';
import { textAt } from '../json.ts';
import { retryAfterMs } from '../retry-after.ts';
import { TokenRefusal, TransportFailure } from '../transport-failure.ts';
import type { IssuedToken } from './token-cache.ts';

export type TokenQuestion = {
  readonly type: 'client-credentials' | 'backend-services';
  readonly now: Date;
};

const DEFAULT_LIFE_S = 300;
const MAX_LIFE_S = 86_400;
/** Shorter lives are ignored: a new token for each call could lock an account, and an expired one is noticed by a 401. */
const MIN_LIFE_S = 10;
/** RFC 6750: the characters that the header allows. */
const TOKEN = /^[A-Za-z0-9._~+/=:-]+$/;
/** RFC 6749, section 5.2. */
const KNOWN_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];
const CLOCK_TOLERANCE_MS = 60_000;

/** Throws a TransportFailure of kind `credentials`. */
export function readTokenAnswer(answer: FhirAnswer, question: TokenQuestion): IssuedToken {
  const { status } = answer;
  if (status >= 200 && status < 300) return readToken(answer);
  if (status >= 500 || status === 429 || status === 408 || status === 425) {
    const message = `The token server is not available (HTTP ${status})`;
    const wait = retryAfterMs(answer, question.now);
    throw new TransportFailure(message, { kind: 'credentials', wasSent: false, isPassing: true, retryAfterMs: wait });
  }
  if (status < 400)
    throw new TokenRefusal('The token server sends us elsewhere: write the right address in ehr.auth.tokenUrl');
  if (status === 404 || status === 405) {
    throw new TokenRefusal(`The token server is not where we look for it (HTTP ${status}): check ehr.auth.tokenUrl`);
  }
  throw refusal(answer, question);
}

function readToken(answer: FhirAnswer): IssuedToken {
  const json = jsonOf(answer);
  const token = textAt(json, 'access_token');
  if (json === undefined || token === undefined) {
    throw new TokenRefusal('The token server gave an answer without a token: check ehr.auth.tokenUrl');
  }
  if (textAt(json, 'token_type')?.toLowerCase() !== 'bearer' || !TOKEN.test(token)) {
    throw new TokenRefusal(
      'The token server gave a token that is no bearer token: it must be set up for bearer tokens',
    );
  }
  return { authorization: `Bearer ${token}`, lifeMs: readLifeSeconds(json['expires_in']) * 1000 };
}

/** Some servers write the number as a string. */
function readLifeSeconds(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  // Some servers write 0 for a token that does not expire.
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return DEFAULT_LIFE_S;
  return Math.max(MIN_LIFE_S, Math.min(seconds, MAX_LIFE_S));
}

function refusal(answer: FhirAnswer, { type, now }: TokenQuestion): TokenRefusal {
  const error = textAt(jsonOf(answer), 'error') ?? '';
  const known = KNOWN_ERRORS.includes(error) ? `, ${error}` : '';
  const advice = error === 'invalid_scope' ? 'check ehr.auth.scope' : whatToCheck(type);
  const said = `The token server refuses us (HTTP ${answer.status}${known}): ${advice}`;
  return new TokenRefusal(`${said}${type === 'backend-services' ? clockHint(answer.headers.get('date'), now) : ''}`);
}

function whatToCheck(type: TokenQuestion['type']): string {
  return type === 'client-credentials'
    ? 'check ehr.auth.clientId and ehr.auth.clientSecret'
    : "check ehr.auth.clientId, and that the EHR knows this site's public key (jwks.json)";
}

/** A signed assertion is valid for minutes: with a wrong clock it never is. */
function clockHint(theirDate: string | null, now: Date): string {
  const aheadMs = now.getTime() - Date.parse(theirDate ?? '');
  if (!(Math.abs(aheadMs) > CLOCK_TOLERANCE_MS)) return '';
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return `. The clock of this machine is ${minutes} min ${aheadMs > 0 ? 'ahead of' : 'behind'} the token server's: set it right`;
}
