// Reads and verifies a client assertion (RFC 7523, as in SMART Backend Services). It uses Node's cryptography and not the library with which the
// engine signs, so that an error of that library is detected.
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { SIGNING_ALGORITHMS } from './oauth-clients.ts';
import { isObject, type Json } from './resource-values.ts';

export type Assertion = {
  readonly header: Json;
  readonly claims: Json;
  readonly signed: string;
  readonly signature: Buffer;
};

const MAX_LIFE_SECONDS = 300;

export function readAssertion(text: string): Assertion | undefined {
  const [header = '', claims = '', signature = '', ...more] = text.split('.');
  const [readHeader, readClaims] = [readPart(header), readPart(claims)];
  if (!readHeader || !readClaims || more.length > 0) return undefined;
  return {
    header: readHeader,
    claims: readClaims,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

function readPart(part: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

type Expected = { readonly clientId: string; readonly tokenUrl: string; readonly now: Date };

/** Returns the problem of the claims; the signature is checked elsewhere. */
export function claimProblem({ header, claims }: Assertion, { clientId, tokenUrl, now }: Expected): string | undefined {
  const { iss, sub, aud, exp, nbf, jti } = claims;
  const nowSeconds = now.getTime() / 1000;
  if (!SIGNING_ALGORITHMS.some((one) => one === header['alg'])) return 'it must be signed with RS384 or ES384';
  if (iss !== clientId || sub !== clientId) return 'iss and sub must both be the client';
  if (![aud].flat().includes(tokenUrl)) return 'aud must be the address of this endpoint';
  if (typeof exp !== 'number' || exp <= nowSeconds) return 'it has expired, or does not say when';
  if (exp > nowSeconds + MAX_LIFE_SECONDS) return 'it may not be good for more than five minutes';
  if (typeof nbf === 'number' && nbf > nowSeconds) return 'it is not good yet';
  if (typeof jti !== 'string' || jti === '') return 'jti is missing';
  return undefined;
}

export function isSignedBy({ header, signed, signature }: Assertion, jwks: readonly JsonWebKey[]): boolean {
  const { alg, kid } = header;
  return jwks
    .filter((jwk) => kid === undefined || jwk['kid'] === undefined || jwk['kid'] === kid)
    .flatMap((jwk) => keyOf(jwk) ?? [])
    .filter((key) => fits(key, alg))
    .some((key) => verify('sha384', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature));
}

function keyOf(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function fits({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, algorithm: unknown): boolean {
  if (algorithm === 'ES384') return asymmetricKeyDetails?.namedCurve === 'secp384r1';
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
}
