// An EHR that launches apps (SMART App Launch 2), for tests: discovery, an authorization page that agrees at once, tokens, keys and clinicians. It
// checks like a strict EHR; a test sets its faults.
import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type http from 'node:http';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { LocalServers } from './local-servers.ts';

type Json = Readonly<Record<string, unknown>>;
type AskedFor = { readonly params: URLSearchParams; readonly user: string };

export type SmartBehaviour = {
  client: { readonly id: string; readonly secret?: string; readonly jwks?: JSONWebKeySet };
  /** The reference in `fhirUser` of who is signed in at the EHR. */
  user: string;
  /** By reference; undefined as value: deleted (410). */
  resources: Record<string, Json | undefined>;
  /** Status of reads with a token. */
  readStatus: number;
  /** By the name of the launch. */
  launches: Record<string, Json>;
  /** Context of a launch without a name. */
  standalone: Json;
  configuration: Json;
  configurationStatus: number;
  /** Changes the claims of an ID token. */
  claims: (claims: JWTPayload) => JWTPayload;
  /** Signs an ID token in another way. */
  sign: ((claims: JWTPayload) => Promise<string>) | undefined;
  /** Further members of the token answer, or other values. */
  token: Json;
  /** An answer in place of the right one, by path. */
  onRequest: ((path: string, response: http.ServerResponse) => boolean) | undefined;
};

export type SmartServer = {
  /** The FHIR address: `iss` of a launch. */
  readonly fhirBase: string;
  readonly origin: string;
  readonly behaviour: SmartBehaviour;
  /** Paths that were asked for, in order. */
  readonly requests: readonly string[];
  /** The forms that the token endpoint received. */
  readonly tokenForms: readonly Readonly<Record<string, string>>[];
  /** The claims of assertions that it accepted. */
  readonly assertions: readonly { readonly header: unknown; readonly claims: JWTPayload }[];
  /** What the browser gets when it follows the address: the way back, with code and state. */
  readonly authorize: (address: URL | string) => Promise<URL>;
  readonly signingKey: KeyObject;
};

export async function startSmartServer(
  servers: Pick<LocalServers, 'serve'>,
  given: Partial<SmartBehaviour> = {},
): Promise<SmartServer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const requests: string[] = [];
  const tokenForms: Record<string, string>[] = [];
  const assertions: { header: unknown; claims: JWTPayload }[] = [];
  const codes = new Map<string, AskedFor>();
  const usedIds = new Set<string | undefined>();
  const behaviour: SmartBehaviour = {
    client: { id: 'chartwright', secret: 'a secret made up for tests' },
    user: 'Practitioner/7',
    resources: {
      'Practitioner/7': aPractitioner('7', 'Ines', 'Okafor'),
      'Practitioner/8': aPractitioner('8', 'Juan', 'Sola'),
    },
    readStatus: 200,
    launches: { xyz: { encounter: '123', patient: '1' } },
    standalone: {},
    configuration: {},
    configurationStatus: 200,
    claims: (claims) => claims,
    sign: undefined,
    token: {},
    onRequest: undefined,
    ...given,
  };

  const authorize = (params: URLSearchParams): URL => {
    const code = randomUUID();
    codes.set(code, { params, user: behaviour.user });
    const back = new URL(params.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', params.get('state') ?? '');
    return back;
  };

  async function giveToken(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await textOf(request)));
    tokenForms.push(form);
    if (!(await isClient(request, form))) return answer(response, 401, { error: 'invalid_client' });
    const asked = codes.get(form['code'] ?? '');
    codes.delete(form['code'] ?? '');
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url');
    const isGood =
      asked?.params.get('code_challenge') === challenge && asked.params.get('redirect_uri') === form['redirect_uri'];
    if (asked === undefined || !isGood) return answer(response, 400, { error: 'invalid_grant' });
    const { params, user } = asked;
    const launch = params.get('launch');
    const context = launch === null ? behaviour.standalone : behaviour.launches[launch];
    answer(response, 200, {
      access_token: `token-${randomUUID()}`,
      token_type: 'Bearer',
      expires_in: 300,
      scope: params.get('scope'),
      id_token: await idTokenFor(params, user),
      ...context,
      ...behaviour.token,
    });
  }

  async function isClient(request: http.IncomingMessage, form: Record<string, string>): Promise<boolean> {
    const { id, secret, jwks } = behaviour.client;
    if (jwks === undefined) {
      const [user = '', password = ''] = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64')
        .toString()
        .split(':')
        .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
      return user === id && password === secret;
    }
    try {
      const options = { issuer: id, subject: id, audience: `${origin}/token`, requiredClaims: ['exp', 'jti'] };
      const checked = await jwtVerify(form['client_assertion'] ?? '', createLocalJWKSet(jwks), options);
      const { payload, protectedHeader: header } = checked;
      const isLong = (payload.exp ?? 0) > Date.now() / 1000 + 300;
      if (isLong || header.typ !== 'JWT' || usedIds.has(payload.jti)) return false;
      usedIds.add(payload.jti);
      assertions.push({ header, claims: payload });
      return true;
    } catch {
      return false;
    }
  }

  async function idTokenFor(params: URLSearchParams, user: string): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000);
    const nonce = params.get('nonce');
    const claims = behaviour.claims({
      iss: `${origin}/oidc`,
      aud: params.get('client_id') ?? '',
      sub: `sub of ${user}`,
      iat: seconds,
      exp: seconds + 300,
      fhirUser: `${fhirBase}/${user}`,
      ...(nonce !== null && { nonce }),
    });
    if (behaviour.sign) return behaviour.sign(claims);
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
  }

  function read(reference: string, request: http.IncomingMessage, response: http.ServerResponse): unknown {
    if (!request.headers.authorization?.startsWith('Bearer token-')) return answer(response, 401, {});
    if (behaviour.readStatus !== 200) return answer(response, behaviour.readStatus, {});
    if (!Object.hasOwn(behaviour.resources, reference)) return answer(response, 404, {});
    const resource = behaviour.resources[reference];
    return resource === undefined ? answer(response, 410, {}) : answer(response, 200, resource);
  }

  const origin: string = await servers.serve((request, response) => {
    const url = new URL(request.url ?? '/', origin);
    requests.push(url.pathname);
    if (behaviour.onRequest?.(url.pathname, response)) return;
    if (url.pathname === '/fhir/.well-known/smart-configuration') {
      return answer(response, behaviour.configurationStatus, {
        ...configurationOf(origin),
        ...behaviour.configuration,
      });
    }
    if (url.pathname === '/keys') {
      return answer(response, 200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] });
    }
    if (url.pathname === '/token') return void giveToken(request, response);
    if (url.pathname === '/authorize') {
      response.writeHead(302, { location: authorize(url.searchParams).href }).end();
      return;
    }
    read(url.pathname.replace('/fhir/', ''), request, response);
  });
  const fhirBase = `${origin}/fhir`;
  return {
    fhirBase,
    origin,
    behaviour,
    requests,
    tokenForms,
    assertions,
    signingKey: privateKey,
    authorize: async (address) => {
      const asked = await fetch(address, { redirect: 'manual' });
      return new URL(asked.headers.get('location') ?? '');
    },
  };
}

function aPractitioner(id: string, given: string, family: string): Json {
  return { resourceType: 'Practitioner', id, active: true, name: [{ given: [given], family }] };
}

function configurationOf(origin: string): Json {
  return {
    issuer: `${origin}/oidc`,
    jwks_uri: `${origin}/keys`,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
    capabilities: ['launch-ehr', 'launch-standalone', 'client-confidential-symmetric', 'sso-openid-connect'],
  };
}

function answer(response: http.ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}
