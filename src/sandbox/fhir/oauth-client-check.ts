// Checks how a client of the sandbox's EHR shows itself: by a secret in the header or the form, by a signed assertion, or by its name alone if it
// can keep no secret.
import { createHash, type JsonWebKey, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, mediaType, readBytes } from './http-exchange.ts';
import { type Assertion, claimProblem, isSignedBy, readAssertion } from './oauth-assertion.ts';
import type { SandboxClient } from './oauth-clients.ts';
import { isObject } from './resource-values.ts';

export type ClientCheckParts = {
  readonly clients: () => readonly SandboxClient[];
  readonly tokenUrl: () => string;
  readonly now: () => Date;
};

export type OAuthProblem = {
  readonly error:
    | 'invalid_request'
    | 'invalid_client'
    | 'invalid_grant'
    | 'unauthorized_client'
    | 'unsupported_grant_type'
    | 'invalid_scope';
  readonly text: string;
};

/** The client that sent the form, or why it is refused. */
export type ClientCheck = (request: IncomingMessage, form: URLSearchParams) => Promise<SandboxClient | OAuthProblem>;

type Shown =
  | { readonly clientId: string; readonly secret: string }
  | { readonly clientId: string; readonly isPublic: true }
  | { readonly assertion: Assertion };

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_FORM_BYTES = 65_536;
const JWKS_TIMEOUT_MS = 5_000;

export function makeClientCheck({ clients, tokenUrl, now }: ClientCheckParts): ClientCheck {
  const usedUntil = new Map<string, number>();
  /** The ids of used assertions: each is accepted once. */
  const isUsed = ({ claims: { iss, jti, exp } }: Assertion): boolean => {
    const nowSeconds = now().getTime() / 1000;
    for (const [name, endSeconds] of usedUntil) if (endSeconds <= nowSeconds) usedUntil.delete(name);
    const name = JSON.stringify([iss, jti]);
    if (usedUntil.has(name)) return true;
    usedUntil.set(name, Number(exp));
    return false;
  };
  const clientOfAssertion = async (assertion: Assertion): Promise<string | SandboxClient> => {
    const client = clients().find(({ clientId }) => clientId === assertion.claims['iss']);
    if (!client || 'secret' in client || 'isPublic' in client) return 'the client is not known, or has no key here';
    const { clientId } = client;
    const wrong = claimProblem(assertion, { clientId, tokenUrl: tokenUrl(), now: now() });
    if (wrong !== undefined) return wrong;
    const jwks = 'publicJwk' in client ? [client.publicJwk] : await fetchJwks(client.jwksUrl);
    if (!isSignedBy(assertion, jwks)) return 'no key of the client fits its signature';
    return isUsed(assertion) ? 'it was used before' : client;
  };
  return async (request, form) => {
    const shown = readClient(request, form);
    if (shown === undefined) return { error: 'invalid_request', text: 'It shows no client' };
    if ('error' in shown) return shown;
    if ('assertion' in shown) {
      const found = await clientOfAssertion(shown.assertion);
      if (typeof found !== 'string') return found;
      return { error: 'invalid_client', text: `The assertion is refused: ${found}` };
    }
    const client = clients().find(({ clientId }) => clientId === shown.clientId);
    if (client !== undefined && isShown(client, shown)) return client;
    return { error: 'invalid_client', text: 'The client is not known, or its secret is wrong' };
  };
}

function isShown(client: SandboxClient, shown: Exclude<Shown, { assertion: Assertion }>): boolean {
  if ('isPublic' in shown) return 'isPublic' in client;
  return 'secret' in client && isSame(client.secret, shown.secret);
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };

/** Answers of OAuth are never stored. */
export function oauthAnswer(body: object): Answer {
  return { status: 200, headers: HEADERS, body };
}

export function oauthRefusal({ error, text }: OAuthProblem, request?: IncomingMessage): Answer {
  const isChallenged = error === 'invalid_client' && request?.headers.authorization !== undefined;
  const headers = { ...HEADERS, ...(isChallenged && { 'www-authenticate': 'Basic realm="tokens"' }) };
  const status = error === 'invalid_client' ? 401 : 400;
  return { status, headers, body: { error, error_description: text } };
}

/** Undefined if it is no form, or if a field is there twice. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const text = (await readBytes(request, MAX_FORM_BYTES)).toString('utf8');
  if (mediaType(request) !== 'application/x-www-form-urlencoded') return undefined;
  const form = new URLSearchParams(text);
  return [...form.keys()].some((name) => form.getAll(name).length > 1) ? undefined : form;
}

/** Returns undefined without credentials. Two kinds of credentials at once are refused. */
function readClient({ headers }: IncomingMessage, form: URLSearchParams): Shown | OAuthProblem | undefined {
  const { authorization } = headers;
  const assertion = form.get('client_assertion');
  const secret = form.get('client_secret');
  const ways = [authorization, assertion, secret].filter((way) => way !== undefined && way !== null);
  if (ways.length > 1) return { error: 'invalid_request', text: 'A client may show itself in one way only' };
  if (authorization !== undefined) return readBasic(authorization);
  if (secret !== null) return { clientId: form.get('client_id') ?? '', secret };
  if (assertion === null) return publicClient(form);
  if (form.get('client_assertion_type') !== JWT_BEARER) {
    return { error: 'invalid_request', text: 'client_assertion_type is not that of a JWT' };
  }
  const read = readAssertion(assertion);
  return read ? { assertion: read } : { error: 'invalid_client', text: 'The assertion is no JWT' };
}

function publicClient(form: URLSearchParams): Shown | undefined {
  const clientId = form.get('client_id');
  return clientId === null ? undefined : { clientId, isPublic: true };
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined. */
function readBasic(authorization: string): Shown | OAuthProblem {
  const pair = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [id = '', ...secret] = Buffer.from(pair ?? '', 'base64')
    .toString('utf8')
    .split(':');
  if (secret.length === 0) return { error: 'invalid_client', text: 'The header is no pair of client and secret' };
  return { clientId: formDecoded(id), secret: formDecoded(secret.join(':')) };
}

function formDecoded(text: string): string {
  return new URLSearchParams(`text=${text.replaceAll('&', '%26')}`).get('text') ?? '';
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** Fetches the keys for each request, because keys are rotated and tokens are requested rarely. */
async function fetchJwks(url: string): Promise<readonly JsonWebKey[]> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(JWKS_TIMEOUT_MS), redirect: 'error' });
    const json: unknown = await response.json();
    const keys: unknown = isObject(json) ? json['keys'] : undefined;
    return Array.isArray(keys) ? keys.filter(isObject) : [];
  } catch {
    return [];
  }
}
