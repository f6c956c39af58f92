// Requests one token as the site's settings and the EHR's metadata require: by a client's secret, or by an assertion that is
// signed anew each time.
import { AppError } from '../../../domain/errors.ts';
import type { EhrAuth, EhrSettings } from '../../../domain/site/site.ts';
import { TransportFailure } from '../transport-failure.ts';
import { makeClientAssertion } from './client-assertion.ts';
import { basicAuthorization } from './credentials.ts';
import { discoverMethods, discoverTokens, type TokenMetadata } from './discover-tokens.ts';
import type { PlainCall } from './plain-call.ts';
import { readSigningKey, type SigningKey } from './signing-key.ts';
import { allowedTokenUrl } from './token-address.ts';
import { readTokenAnswer } from './token-answer.ts';
import type { IssuedToken } from './token-cache.ts';

type ClientCredentials = Extract<EhrAuth, { type: 'client-credentials' }>;
type BackendServices = Extract<EhrAuth, { type: 'backend-services' }>;
type TokenAuth = ClientCredentials | BackendServices;
type Question = { readonly headers: Readonly<Record<string, string>>; readonly form: Readonly<Record<string, string>> };
type MakeQuestion = (metadata: TokenMetadata, now: Date) => Question | Promise<Question>;

export type TokenRequestParts = {
  readonly ehr: Pick<EhrSettings, 'baseUrl'> & { readonly auth: TokenAuth };
  readonly call: PlainCall;
  readonly now: () => Date;
};

const MAX_TOKEN_BYTES = 65_536;
const METADATA_LIFE_MS = 3_600_000;
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export function makeRequestToken({ ehr, call, now }: TokenRequestParts): () => Promise<IssuedToken> {
  const { auth, baseUrl } = ehr;
  const makeQuestion = auth.type === 'backend-services' ? signedQuestions(auth) : secretQuestions(auth);
  const isConfigured = auth.tokenUrl !== undefined;
  let known: { readonly metadata: TokenMetadata; readonly atMs: number } | undefined;

  const metadata = async (): Promise<TokenMetadata> => {
    const ageMs = known && now().getTime() - known.atMs;
    if (known && ageMs !== undefined && ageMs >= 0 && ageMs < METADATA_LIFE_MS) return known.metadata;
    const found = await findMetadata({ auth, baseUrl, call });
    known = { metadata: found, atMs: now().getTime() };
    return found;
  };
  return async () => {
    const found = await metadata();
    const url = allowedTokenUrl({ address: found.tokenUrl, baseUrl, isConfigured });
    if (url === undefined) throw addressRefused(isConfigured);
    const question = await makeQuestion(found, now());
    try {
      const body = String(new URLSearchParams({ grant_type: 'client_credentials', ...question.form }));
      const headers = { ...question.headers, 'content-type': 'application/x-www-form-urlencoded' };
      const order = { url, method: 'POST', headers, body, maxBytes: MAX_TOKEN_BYTES, who: 'The token server' } as const;
      return readTokenAnswer(await call(order), { type: auth.type, now: now() });
    } catch (thrown) {
      // The endpoint may have moved.
      known = undefined;
      throw thrown;
    }
  };
}

function findMetadata({ auth, baseUrl, call }: TokenRequestParts['ehr'] & { readonly call: PlainCall }) {
  const { tokenUrl } = auth;
  if (tokenUrl === undefined) return discoverTokens({ call, baseUrl });
  if (auth.type === 'client-credentials') return discoverMethods({ call, baseUrl, tokenUrl });
  return { tokenUrl, authMethods: [], capabilities: [] };
}

function signedQuestions(auth: BackendServices): MakeQuestion {
  let signingKey: Promise<SigningKey> | undefined;
  return async (metadata, now) => {
    signingKey ??= usableKey(auth);
    const { clientId, scope = defaultScope(metadata) } = auth;
    const { tokenUrl } = metadata;
    const assertion = await makeClientAssertion({ signingKey: await signingKey, clientId, tokenUrl, now });
    return { headers: {}, form: { scope, client_assertion_type: JWT_BEARER, client_assertion: assertion } };
  };
}

async function usableKey(auth: BackendServices): Promise<SigningKey> {
  try {
    return await readSigningKey(auth);
  } catch (thrown) {
    const message = thrown instanceof AppError ? thrown.message : 'ehr.auth.privateKey cannot be used';
    throw new TransportFailure(message, { kind: 'credentials', wasSent: false, isPassing: false });
  }
}

/** All scopes that the client was registered for. Servers of SMART 1 know only read and write. */
function defaultScope({ capabilities }: TokenMetadata): string {
  const isFirstEdition = capabilities.includes('permission-v1') && !capabilities.includes('permission-v2');
  return isFirstEdition ? 'system/*.read system/*.write' : 'system/*.cruds';
}

function secretQuestions({ clientId, clientSecret, scope }: ClientCredentials): MakeQuestion {
  const scoped = scope === undefined ? {} : { scope };
  return ({ authMethods }) => {
    const isPostOnly = authMethods.includes('client_secret_post') && !authMethods.includes('client_secret_basic');
    if (isPostOnly) return { headers: {}, form: { ...scoped, client_id: clientId, client_secret: clientSecret } };
    // RFC 6749, section 2.3.1: both are form-encoded before they are joined.
    const authorization = basicAuthorization(formEncoded(clientId), formEncoded(clientSecret));
    return { headers: { authorization }, form: scoped };
  };
}

function formEncoded(text: string): string {
  return String(new URLSearchParams({ '': text })).slice(1);
}

function addressRefused(isConfigured: boolean): TransportFailure {
  const message = isConfigured
    ? 'ehr.auth.tokenUrl must be https, or at the same server as ehr.baseUrl'
    : 'The EHR names a token server that is not safe to send a secret to: set ehr.auth.tokenUrl to one with https';
  return new TransportFailure(message, { kind: 'credentials', wasSent: false, isPassing: false });
}
