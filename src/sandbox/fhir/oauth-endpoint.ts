// The token endpoint of the sandbox's EHR: it accepts a client secret in the header or the form, or a signed assertion. Errors have the form of
// RFC 6749.
import { createHash, type JsonWebKey, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, mediaType, readBytes } from './http-exchange.ts';
import { type Assertion, claimProblem, isSignedBy, readAssertion } from './oauth-assertion.ts';
import { GRANTED_SCOPE, type SandboxClient } from './oauth-clients.ts';
import type { Tokens } from './oauth-tokens.ts';
import { isObject } from './resource-values.ts';

export type TokenEndpointParts = {
  readonly clients: readonly SandboxClient[];
  readonly tokens: Tokens;
  readonly tokenUrl: () => string;
  readonly lifeSeconds: number;
  readonly now: () => Date;
};

export type TokenEndpoint = (request: IncomingMessage) => Promise<Answer>;

type ErrorCode = 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';
type Problem = { readonly error: ErrorCode; readonly text: string };
type Shown = { readonly clientId: string; readonly secret: string } | { readonly assertion: Assertion };

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_FORM_BYTES = 65_536;
const JWKS_TIMEOUT_MS = 5_000;
const ONCE = ['grant_type', 'scope', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type'];
const SCOPE = /^system\/(\*|[A-Z][A-Za-z]+)\.(\*|read|write|c?r?u?d?s?)$/;

export function makeTokenEndpoint({ clients, tokens, tokenUrl, lifeSeconds, now }: TokenEndpointParts): TokenEndpoint {
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
  const assertionProblem = async (assertion: Assertion): Promise<string | undefined> => {
    const client = clients.find(({ clientId }) => clientId === assertion.claims['iss']);
    if (!client || 'secret' in client) return 'the client is not known, or has no key here';
    const { clientId } = client;
    const wrong = claimProblem(assertion, { clientId, tokenUrl: tokenUrl(), now: now() });
    if (wrong !== undefined) return wrong;
    const jwks = 'publicJwk' in client ? [client.publicJwk] : await fetchJwks(client.jwksUrl);
    if (!isSignedBy(assertion, jwks)) return 'no key of the client fits its signature';
    return isUsed(assertion) ? 'it was used before' : undefined;
  };
  const clientProblem = async (shown: Shown): Promise<Problem | undefined> => {
    if ('assertion' in shown) {
      const text = await assertionProblem(shown.assertion);
      return text === undefined ? undefined : { error: 'invalid_client', text: `The assertion is refused: ${text}` };
    }
    const isKnown = clients.some(
      (client) => 'secret' in client && client.clientId === shown.clientId && isSame(client.secret, shown.secret),
    );
    return isKnown ? undefined : { error: 'invalid_client', text: 'The client is not known, or its secret is wrong' };
  };

  return async (request) => {
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
    const form = await readForm(request);
    const shown = form && readClient(request, form);
    if (!form || !shown) return refused({ error: 'invalid_request', text: 'It is no form, or shows no client' });
    const problem = 'error' in shown ? shown : ((await clientProblem(shown)) ?? formProblem(form));
    if (problem) return refused(problem, request);
    const granted = {
      access_token: tokens.issue(),
      token_type: 'bearer',
      expires_in: lifeSeconds,
      scope: GRANTED_SCOPE,
    };
    return { status: 200, headers: HEADERS, body: granted };
  };
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };

function refused({ error, text }: Problem, request?: IncomingMessage): Answer {
  const isChallenged = error === 'invalid_client' && request?.headers.authorization !== undefined;
  const headers = { ...HEADERS, ...(isChallenged && { 'www-authenticate': 'Basic realm="tokens"' }) };
  const status = error === 'invalid_client' ? 401 : 400;
  return { status, headers, body: { error, error_description: text } };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const text = (await readBytes(request, MAX_FORM_BYTES)).toString('utf8');
  if (mediaType(request) !== 'application/x-www-form-urlencoded') return undefined;
  const form = new URLSearchParams(text);
  return ONCE.some((name) => form.getAll(name).length > 1) ? undefined : form;
}

/** Returns undefined without credentials. Two kinds of credentials at once are refused. */
function readClient({ headers }: IncomingMessage, form: URLSearchParams): Shown | Problem | undefined {
  const { authorization } = headers;
  const assertion = form.get('client_assertion');
  const secret = form.get('client_secret');
  const ways = [authorization, assertion, secret].filter((way) => way !== undefined && way !== null);
  if (ways.length > 1) return { error: 'invalid_request', text: 'A client may show itself in one way only' };
  if (authorization !== undefined) return readBasic(authorization);
  if (secret !== null) return { clientId: form.get('client_id') ?? '', secret };
  if (assertion === null) return undefined;
  if (form.get('client_assertion_type') !== JWT_BEARER) {
    return { error: 'invalid_request', text: 'client_assertion_type is not that of a JWT' };
  }
  const read = readAssertion(assertion);
  return read ? { assertion: read } : { error: 'invalid_client', text: 'The assertion is no JWT' };
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined. */
function readBasic(authorization: string): Shown | Problem {
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

function formProblem(form: URLSearchParams): Problem | undefined {
  const grant = form.get('grant_type');
  if (grant === null) return { error: 'invalid_request', text: 'grant_type is missing' };
  if (grant !== 'client_credentials') return { error: 'unsupported_grant_type', text: 'Only client_credentials' };
  const scopes = (form.get('scope') ?? GRANTED_SCOPE).split(' ').filter((scope) => scope !== '');
  const isKnown = scopes.length > 0 && scopes.every((scope) => SCOPE.test(scope) && !scope.endsWith('.'));
  return isKnown ? undefined : { error: 'invalid_scope', text: 'Only scopes of system/' };
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
