// Verifies the JWTs of EHRs with jose. Keys are fetched from the address in the site's settings and from nowhere else: what a token says about its
// key (`jku`, `jwk`, `x5u`) is ignored.
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { AppError } from '../../domain/errors.ts';
import type { EhrTokens, ExpectedToken } from '../../ports/ehr-tokens.ts';

export type EhrTokenParts = {
  readonly fetch: typeof fetch;
  readonly now: () => Date;
};

/** Neither `none` nor a signature with a shared secret. */
const ALGORITHMS = ['ES384', 'RS384', 'ES256', 'RS256'];
const CLOCK_SECONDS = 30;
/** CDS Hooks wants short lives: this keeps what has to be remembered of used tokens small. */
const MAX_LIFE_SECONDS = 3_600;
const KEYS_TIMEOUT_MS = 5_000;
const KEYS_FRESH_MS = 600_000;
/** An unknown key is looked for once in this time, so that forged tokens cause no flood at the EHR. */
const KEYS_COOLDOWN_MS = 15_000;
const MAX_ID_LENGTH = 255;

export function makeEhrTokens({ fetch: fetchKeys, now }: EhrTokenParts): EhrTokens {
  const keySets = new Map<string, JWTVerifyGetKey>();
  const keysAt = (address: string): JWTVerifyGetKey => {
    const known = keySets.get(address);
    if (known !== undefined) return known;
    const made = createRemoteJWKSet(new URL(address), {
      [customFetch]: fetchKeys,
      timeoutDuration: KEYS_TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge: KEYS_FRESH_MS,
    });
    keySets.set(address, made);
    return made;
  };
  return {
    issuerOf(token) {
      try {
        return decodeJwt(token).iss;
      } catch {
        return undefined;
      }
    },
    async verify(token, expected) {
      const payload = await verified(token, { expected, keys: keysAt(expected.jwksUri), now: now() });
      const { iat = 0, exp = 0, jti = '' } = payload;
      const nowSeconds = now().getTime() / 1000;
      if (iat > nowSeconds + CLOCK_SECONDS) throw refused('it was made in the future');
      if (exp - iat > MAX_LIFE_SECONDS || exp > nowSeconds + MAX_LIFE_SECONDS) {
        throw refused('it is good for more than an hour');
      }
      if (jti === '' || jti.length > MAX_ID_LENGTH) throw refused(`jti must have 1 to ${MAX_ID_LENGTH} characters`);
      return { id: jti, endsAt: new Date(exp * 1000) };
    },
  };
}

type Verifying = { readonly expected: ExpectedToken; readonly keys: JWTVerifyGetKey; readonly now: Date };

async function verified(token: string, { expected, keys, now }: Verifying): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer: expected.issuer,
      audience: [...expected.audiences],
      requiredClaims: ['exp', 'iat', 'jti'],
      clockTolerance: CLOCK_SECONDS,
      currentDate: now,
    });
    if (!/^jwt$/i.test(protectedHeader.typ ?? 'JWT')) throw refused('typ must be JWT');
    return payload;
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : refusalOf(thrown, expected);
  }
}

function refusalOf(thrown: unknown, { audiences }: ExpectedToken): AppError {
  if (thrown instanceof errors.JWTExpired) return refused('it has expired');
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    return thrown.claim === 'aud'
      ? refused(`aud must be ${audiences[0]}`)
      : refused(`${thrown.claim} is missing or wrong`);
  }
  if (thrown instanceof errors.JOSEAlgNotAllowed) return refused(`alg must be one of ${ALGORITHMS.join(', ')}`);
  if (thrown instanceof errors.JWKSNoMatchingKey || thrown instanceof errors.JWKSMultipleMatchingKeys) {
    return refused('the EHR publishes no key of this kid and alg');
  }
  if (thrown instanceof errors.JWSSignatureVerificationFailed) return refused('its signature does not fit');
  if (isOfToken(thrown)) return refused('it is no JWT that can be read');
  return new AppError('ehrUnavailable', 'The keys of the EHR could not be fetched', { cause: thrown });
}

function isOfToken(thrown: unknown): boolean {
  return (
    thrown instanceof errors.JWSInvalid ||
    thrown instanceof errors.JWTInvalid ||
    thrown instanceof errors.JOSENotSupported
  );
}

function refused(why: string): AppError {
  return new AppError('unauthorized', `The JWT is refused: ${why}`);
}
