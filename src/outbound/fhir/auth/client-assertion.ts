// private_key_jwt (RFC 7523, SMART Backend Services): a signed statement of who asks, good for one single token call.
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.ts';

type AssertionOrder = {
  readonly signingKey: SigningKey;
  readonly clientId: string;
  /** As the settings or the EHR spell it: servers compare it letter by letter. */
  readonly tokenUrl: string;
  readonly now: Date;
};

/** Servers take at most 5 minutes; the rest is for a clock that is fast. */
const LIFE_SECONDS = 240;

/** A new one for each call, also when a call is made again: its `jti` is taken once. */
export function makeClientAssertion({ signingKey, clientId, tokenUrl, now }: AssertionOrder): Promise<string> {
  const nowSeconds = Math.floor(now.getTime() / 1000);
  // Without `iat` and `nbf`: SMART asks for neither, and servers refuse those that lie in their own future.
  return new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: signingKey.algorithm, kid: signingKey.kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenUrl)
    .setExpirationTime(nowSeconds + LIFE_SECONDS)
    .sign(signingKey.privateKey);
}
