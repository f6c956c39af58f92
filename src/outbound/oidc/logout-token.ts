// Reads the token of a back-channel logout (OpenID Connect Back-Channel Logout 1.0, section 2.6). openid-client has nothing for it.
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { present } from '../../domain/present.ts';
import type { ProviderLogout } from '../../ports/identity-provider.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { asProviderFailure, providerAway } from './provider-failure.ts';

/** What openid-client and jose take as their fetch. */
export type Ask = (address: string, options: object) => Promise<Response>;

type ReadLogoutParts = {
  readonly issuer: string;
  readonly clientId: string;
  readonly algorithm: string;
  readonly ask: Ask;
  readonly keysAddress: () => Promise<string | undefined>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly onRefused: (code: string) => void;
};

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Some providers leave it out; that of another kind of token is refused. */
const TYPES: readonly (string | undefined)[] = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];
const MOST_AGE_SECONDS = 300;
const TOLERANCE_SECONDS = 30;
/** Any client can send a token with an unknown key: the provider is not asked for its keys more often. */
const COOLDOWN_MS = 10_000;
const TIMEOUT_MS = 5_000;

export function makeReadLogout(parts: ReadLogoutParts): (token: string) => Promise<ProviderLogout | undefined> {
  const { issuer, clientId, algorithm, runtime, onRefused } = parts;
  let keys: { readonly address: string; readonly find: ReturnType<typeof createRemoteJWKSet> } | undefined;
  const keysOf = (address: string) => {
    if (keys?.address !== address) {
      const options = { cooldownDuration: COOLDOWN_MS, timeoutDuration: TIMEOUT_MS, [customFetch]: parts.ask };
      keys = { address, find: createRemoteJWKSet(new URL(address), options) };
    }
    return keys.find;
  };
  return async (token) => {
    const address = await parts.keysAddress();
    if (address === undefined) throw providerAway(undefined);
    try {
      const now = runtime.now();
      const { payload, protectedHeader } = await jwtVerify(token, keysOf(address), {
        issuer,
        audience: clientId,
        algorithms: [algorithm],
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: now,
      });
      if (TYPES.includes(protectedHeader.typ?.toLowerCase())) return readPayload(payload, now);
      return undefined;
    } catch (thrown) {
      if (
        thrown instanceof errors.JOSEError &&
        !(thrown instanceof errors.JWKSTimeout) &&
        thrown.code !== 'ERR_JOSE_GENERIC'
      ) {
        onRefused(thrown.code);
        return undefined;
      }
      throw asProviderFailure(thrown, 'The logout token is not accepted');
    }
  };
}

function readPayload(payload: JWTPayload, now: Date): ProviderLogout | undefined {
  const { iat, jti, sub, events, nonce, sid } = payload as JWTPayload & Readonly<Record<string, unknown>>;
  const seconds = now.getTime() / 1000;
  const isTimely = typeof iat === 'number' && iat <= seconds + TOLERANCE_SECONDS && iat >= seconds - MOST_AGE_SECONDS;
  const isLogout = typeof events === 'object' && events !== null && isObject(Reflect.get(events, EVENT));
  const [subject, sessionId] = [textOf(sub), textOf(sid)];
  const tokenId = textOf(jti);
  if (!isTimely || !isLogout || nonce !== undefined || tokenId === undefined) return undefined;
  if ((sub !== undefined && subject === undefined) || (sid !== undefined && sessionId === undefined)) return undefined;
  if (subject === undefined && sessionId === undefined) return undefined;
  const until = new Date((iat + MOST_AGE_SECONDS + 2 * TOLERANCE_SECONDS) * 1000);
  return present({ tokenId, until, subject, sessionId });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && /^[^\0]{1,255}$/.test(claim) ? claim : undefined;
}
