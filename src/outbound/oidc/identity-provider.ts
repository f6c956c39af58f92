// The identity provider by OpenID Connect: code flow with PKCE, state and nonce. The signature of an ID token is checked although it comes over
// TLS, by one algorithm that is set, and its times are checked in both directions.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client';
import { AppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { IdentityProvider, ProvenIdentity } from '../../ports/identity-provider.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { type ClientCredentials, type MakeClientAuth, readClientAuth } from './client-auth.ts';
import { type Ask, makeReadLogout } from './logout-token.ts';
import { asProviderFailure, failureCode } from './provider-failure.ts';

export type IdentityProviderParts = {
  readonly issuer: string;
  readonly clientId: string;
  readonly credentials: ClientCredentials;
  /** Of ID tokens and logout tokens: `RS256`, unless the client is registered otherwise. */
  readonly algorithm: string;
  readonly scopes: readonly string[];
  readonly fetch: typeof fetch;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs'>;
  /** With the code of the failure; it never has anything of a token. */
  readonly onRefused: (code: string) => void;
};

const TIMEOUT_SECONDS = 10;
const METADATA_MS = 3_600_000;
/** An ID token that was made later than this in the future is refused. */
const CLOCK_TOLERANCE_SECONDS = 30;
const MOST_CHARACTERS = 255;
const REFUSED = 'The identity provider did not confirm who you are: start the sign-in again';

/** Throws `notConfigured` if the private key cannot be used. The provider itself need not be reachable yet. */
export async function makeIdentityProvider(parts: IdentityProviderParts): Promise<IdentityProvider> {
  const { issuer, clientId, runtime, scopes, onRefused } = parts;
  const makeAuth = await readClientAuth(parts.credentials);
  const ask = guardedFetch(parts.fetch);
  const metadata = keptMetadata(parts, ask, makeAuth);
  // Made anew for each sign-in, so that keys that the provider has just replaced are known.
  const configure = async () => makeConfiguration(parts, ask, makeAuth, await metadata());

  return {
    issuer,
    async begin(redirectUri) {
      const config = await configure();
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
      const address = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, state, nonce, verifier };
    },

    async finish({ query, redirectUri, expected }) {
      const config = await configure();
      try {
        const callback = new URL(redirectUri);
        callback.search = query;
        const checks = {
          expectedState: expected.state,
          expectedNonce: expected.nonce,
          pkceCodeVerifier: expected.verifier,
          idTokenExpected: true,
        };
        const tokens = await authorizationCodeGrant(config, callback, checks);
        const idToken = tokens.claims();
        if (idToken === undefined) throw refused('there is no ID token');
        checkTime(idToken, runtime.now());
        const further =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await fetchUserInfo(config, tokens.access_token, idToken.sub);
        return asProven(issuer, { ...further, ...idToken });
      } catch (thrown) {
        onRefused(failureCode(thrown));
        throw asProviderFailure(thrown, REFUSED);
      }
    },

    async logoutAddress(returnTo) {
      const config = await configure().catch(() => undefined);
      if (config?.serverMetadata().end_session_endpoint === undefined) return undefined;
      const parameters = { client_id: clientId, post_logout_redirect_uri: returnTo };
      return buildEndSessionUrl(config, parameters).href;
    },

    readLogout: makeReadLogout({ ...parts, ask, keysAddress: async () => (await metadata()).jwks_uri }),
  };
}

/** Read when it is first needed, so that an engine starts without its provider, and again after an hour. */
function keptMetadata(
  { issuer, clientId, runtime, onRefused }: IdentityProviderParts,
  ask: Ask,
  makeAuth: MakeClientAuth,
): () => Promise<ServerMetadata> {
  let kept: { readonly metadata: Promise<ServerMetadata>; readonly untilMs: number } | undefined;
  const read = async () => {
    try {
      const options = { execute: insecureIfLocal(issuer), timeout: TIMEOUT_SECONDS, [customFetch]: ask };
      const found = await discovery(new URL(issuer), clientId, undefined, makeAuth({ issuer }), options);
      return checked(found.serverMetadata());
    } catch (thrown) {
      onRefused(failureCode(thrown));
      const failure = asProviderFailure(thrown, '');
      if (failure.code !== 'unauthorized') throw failure;
      throw new AppError(
        'notConfigured',
        'The identity provider is not set up as OIDC_ISSUER says: tell the operator',
        {
          cause: thrown,
        },
      );
    }
  };
  return () => {
    if (kept === undefined || runtime.monotonicMs() > kept.untilMs) {
      const metadata = read();
      const made = { metadata, untilMs: runtime.monotonicMs() + METADATA_MS };
      kept = made;
      metadata.catch(() => {
        if (kept === made) kept = undefined;
      });
    }
    return kept.metadata;
  };
}

function checked(metadata: ServerMetadata): ServerMetadata {
  const { authorization_endpoint: start, token_endpoint: token, end_session_endpoint: end } = metadata;
  const addresses = [start, token, metadata.jwks_uri, ...(end === undefined ? [] : [end])];
  const areGood = addresses.every(
    (address) => address !== undefined && /^https?:\/\//.test(address) && !isUnencryptedRemote(address),
  );
  if (!areGood) throw refused('an endpoint is missing or not encrypted');
  return metadata;
}

function makeConfiguration(
  { clientId, algorithm, issuer }: IdentityProviderParts,
  ask: Ask,
  makeAuth: MakeClientAuth,
  metadata: ServerMetadata,
): Configuration {
  const client = { id_token_signed_response_alg: algorithm };
  const config = new Configuration(metadata, clientId, client, makeAuth(metadata));
  config.timeout = TIMEOUT_SECONDS;
  config[customFetch] = ask;
  enableNonRepudiationChecks(config);
  for (const change of insecureIfLocal(issuer)) change(config);
  return config;
}

function insecureIfLocal(issuer: string): ((config: Configuration) => void)[] {
  return issuer.startsWith('http:') ? [allowInsecureRequests] : [];
}

/** Plain http is for addresses of this machine only, whatever the provider's metadata say. */
function guardedFetch(send: typeof fetch): Ask {
  return async (address, options) => {
    if (isUnencryptedRemote(address)) throw refused('an address is not encrypted');
    return send(address, options);
  };
}

function checkTime({ iat }: IDToken, now: Date): void {
  if (iat > now.getTime() / 1000 + CLOCK_TOLERANCE_SECONDS) throw refused('the ID token is from the future');
}

function asProven(issuer: string, claims: Readonly<Record<string, unknown>> & Pick<IDToken, 'sub'>): ProvenIdentity {
  const subject = claims.sub;
  if (subject.length > MOST_CHARACTERS || !/^\P{Cc}+$/u.test(subject)) throw refused('the subject is no usable text');
  return present({
    identity: { issuer, subject },
    name: textOf(claims['name']) ?? textOf(claims['preferred_username']),
    email: textOf(claims['email']),
    sessionId: textOf(claims['sid']),
    claims,
  });
}

function textOf(claim: unknown): string | undefined {
  const text = typeof claim === 'string' ? claim.replace(/\p{Cc}+/gu, ' ').trim() : '';
  return text === '' || text.length > MOST_CHARACTERS ? undefined : text;
}

function refused(why: string): AppError {
  return new AppError('unauthorized', REFUSED, { cause: new Error(why) });
}
