// private_key_jwt (RFC 7523, SMART Backend Services): a signed statement of the client's identity, valid for one token call.
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.ts';

type AssertionOrder = {
  readonly signingKey: SigningKey;
  readonly clientId: string;
  /** Spelled as in the settings or by the EHR: servers compare it letter by letter. */
  readonly tokenUrl: string;
  readonly now: Date;
};

/** Servers accept at most 5 minutes; the rest is for a clock that is fast. */
const LIFE_SECONDS = 240;

/** Every call, also a repeated one, needs a new assertion: a server accepts a `jti` once. */
export function makeClientAssertion({ signingKey, clientId, tokenUrl, now }: AssertionOrder): Promise<string> {
  const nowSeconds = Math.floor(now.getTime() / 1000);
  // `iat` and `nbf` are left out: SMART requires neither, and servers refuse those in their own future.
  return new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: signingKey.algorithm, kid: signingKey.kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setExpirationTime(nowSeconds + LIFE_SECONDS)
    .sign(signingKey.privateKey);
}
