// A token server for tests that checks like a strict EHR: signature, audience, lifetime and single use of assertions, or a client's secret.
// Beside it an EHR's API that accepts only its tokens. A test sets its faults.
import type http from 'node:http';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { LocalServers } from './local-servers.ts';

export type TokenCall = {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  /** The claims of each valid assertion. */
  readonly claims?: Readonly<Record<string, unknown>>;
};

export type TokenServer = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly tokenCalls: readonly TokenCall[];
  /** The `authorization` of each call of the API. */
  readonly apiCalls: readonly (string | undefined)[];
  readonly discoveryCalls: readonly string[];
  /** The faults, which tests set. */
  readonly behaviour: TokenBehaviour;
  /** The API refuses all tokens that were issued until now. */
  readonly revokeTokens: () => void;
};

export type TokenBehaviour = {
  jwks: JSONWebKeySet;
  now: () => Date;
  client: { id: string; secret: string };
  /** The answer by path below the base; undefined is 404. */
  metadata: (baseUrl: string) => Readonly<Record<string, unknown>>;
  /** Further members of the token answer. */
  token: Readonly<Record<string, unknown>>;
  /** An answer instead of the correct one. */
  onToken: ((response: http.ServerResponse, call: TokenCall) => void | Promise<void>) | undefined;
  /** The API answers 401 to every request. */
  refusesAll: boolean;
  /** Called before each answer of the API. */
  onApi: (() => Promise<void>) | undefined;
};

export async function startTokenServer(
  servers: Pick<LocalServers, 'serve'>,
  given: Partial<TokenBehaviour> = {},
): Promise<TokenServer> {
  const tokenCalls: TokenCall[] = [];
  const apiCalls: (string | undefined)[] = [];
  const discoveryCalls: string[] = [];
  const usedIds = new Set<unknown>();
  let goodTokens = new Set<string>();
  const behaviour: TokenBehaviour = {
    jwks: { keys: [] },
    now: () => new Date(),
    client: { id: 'chartwright', secret: 'a secret made up for tests' },
    metadata: (baseUrl) => ({ '/.well-known/smart-configuration': { token_endpoint: `${baseUrl}/oauth/token` } }),
    token: { expires_in: 300 },
    onToken: undefined,
    refusesAll: false,
    onApi: undefined,
    ...given,
  };

  const giveToken = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await textOf(request)));
    const call: TokenCall = { form, authorization: request.headers.authorization, headers: request.headers };
    response.setHeader('date', behaviour.now().toUTCString());
    const claims = await goodClaims(call, { behaviour, usedIds, audience: `${url}/fhir/oauth/token` });
    const checked = claims === undefined ? call : { ...call, claims };
    tokenCalls.push(checked);
    if (behaviour.onToken) return behaviour.onToken(response, checked);
    // A real server answers with this status.
    if (claims === undefined) return answer(response, 400, { error: 'invalid_request' });
    const token = `token-${tokenCalls.length}`;
    goodTokens.add(`Bearer ${token}`);
    answer(response, 200, { access_token: token, token_type: 'Bearer', ...behaviour.token });
  };
  const answerApi = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    await textOf(request);
    const { authorization } = request.headers;
    apiCalls.push(authorization);
    await behaviour.onApi?.();
    const isGood = goodTokens.has(authorization ?? '') && !behaviour.refusesAll;
    answer(response, isGood ? 200 : 401, { resourceType: isGood ? 'Patient' : 'OperationOutcome' });
  };
  const url = await servers.serve(async (request, response) => {
    const path = (request.url ?? '').replace(/^\/fhir/, '');
    if (path === '/oauth/token') return giveToken(request, response);
    if (path !== '/metadata' && !path.startsWith('/.well-known/')) return answerApi(request, response);
    discoveryCalls.push(path);
    const found = behaviour.metadata(`${url}/fhir`)[path];
    return found === undefined ? answer(response, 404, {}) : answer(response, 200, found);
  });
  const revokeTokens = () => {
    goodTokens = new Set();
  };
  const baseUrl = `${url}/fhir`;
  return { baseUrl, tokenUrl: `${baseUrl}/oauth/token`, tokenCalls, apiCalls, discoveryCalls, behaviour, revokeTokens };
}

type Checks = {
  readonly behaviour: TokenBehaviour;
  readonly usedIds: Set<unknown>;
  readonly audience: string;
};

async function goodClaims(call: TokenCall, checks: Checks): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { form, authorization } = call;
  const { client } = checks.behaviour;
  if (form['grant_type'] !== 'client_credentials') return undefined;
  if (form['client_assertion'] !== undefined) return assertedClaims(form, checks);
  const posted = [form['client_id'], form['client_secret']];
  const basic = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
  const [id, secret] = authorization === undefined ? posted : basic.split(':').map(formDecoded);
  return id === client.id && secret === client.secret ? {} : undefined;
}

async function assertedClaims(form: TokenCall['form'], { behaviour, usedIds, audience }: Checks) {
  const isRightType = form['client_assertion_type'] === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  try {
    const { payload } = await jwtVerify(form['client_assertion'] ?? '', createLocalJWKSet(behaviour.jwks), {
      audience,
      issuer: behaviour.client.id,
      subject: behaviour.client.id,
      currentDate: behaviour.now(),
      requiredClaims: ['exp', 'jti'],
      algorithms: ['ES384', 'RS384'],
      typ: 'JWT',
    });
    const isShort = (payload.exp ?? Infinity) - behaviour.now().getTime() / 1000 <= 300;
    const isNew = !usedIds.has(payload.jti);
    usedIds.add(payload.jti);
    return isRightType && isShort && isNew && `${payload.jti}`.length <= 151 ? payload : undefined;
  } catch {
    return undefined;
  }
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? '';
}

function answer(response: http.ServerResponse, status: number, json: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
