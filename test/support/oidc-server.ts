// A real identity provider (oidc-provider) on this machine, with its own pages for signing in. A test can make it forge ID tokens, replace its
// keys, be away, and end sessions by back-channel logout.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

export type OidcAccount = { readonly sub: string; readonly claims: Readonly<Record<string, unknown>> };

export type Forgery = {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
};

type ServerOptions = {
  readonly clients: readonly Readonly<Record<string, unknown>>[];
  readonly accounts: readonly OidcAccount[];
  /** Claims of scopes in the ID token, too, and not only from the userinfo endpoint. */
  readonly putsClaimsIntoToken?: boolean;
};

export type OidcServer = {
  readonly issuer: string;
  readonly accounts: Map<string, Readonly<Record<string, unknown>>>;
  /** A test sets what becomes of each ID token before it is sent. */
  readonly faults: { idToken: ((token: string) => Promise<string> | string) | undefined };
  /** Signs with a key of the provider, or with a foreign one that has the same id. */
  readonly sign: (token: Forgery, key?: 'own' | 'foreign') => Promise<string>;
  /** New keys; the provider keeps its sessions and codes no longer. */
  readonly rotate: () => Promise<void>;
  /** `away`: every connection is cut. */
  readonly set: (state: 'there' | 'away') => void;
  /** Signs in as a person in a browser would, and returns the address of the callback. */
  readonly signIn: (address: string, sub: string, jar?: CookieJar) => Promise<URL>;
  /** Says yes to the question of the provider whether one wants to sign out there. */
  readonly signOut: (address: string, jar: CookieJar) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type CookieJar = Map<string, string>;

const CLAIM_NAMES = ['name', 'email', 'groups', 'practitioner', 'realm_access', 'preferred_username'] as const;
/** A sign-in takes about eight. */
const MOST_STEPS = 12;

export async function startOidcServer(options: ServerOptions): Promise<OidcServer> {
  const speakAgain = silenceNotices();
  const accounts = new Map(options.accounts.map(({ sub, claims }) => [sub, claims]));
  const faults: OidcServer['faults'] = { idToken: undefined };
  let isAway = false;
  let handler: http.RequestListener = (_req, res) => res.writeHead(503).end();
  const server = http.createServer((req, res) => (isAway ? req.socket.destroy() : handler(req, res)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const foreign = await generateKeyPair('RS256', { extractable: true });
  let own = await makeKey('first');
  const install = () => {
    const provider = makeProvider(issuer, options, own.jwk, accounts);
    provider.use(async (context, next) => {
      await next();
      if (context.path !== '/token' || faults.idToken === undefined) return;
      const body = context.body as { id_token?: string };
      if (body.id_token !== undefined) body.id_token = await faults.idToken(body.id_token);
    });
    handler = provider.callback();
  };
  install();
  return {
    issuer,
    accounts,
    faults,
    async sign({ header, claims }, key = 'own') {
      const privateKey = key === 'own' ? own.privateKey : foreign.privateKey;
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: own.jwk.kid ?? '', ...header })
        .sign(privateKey);
    },
    async rotate() {
      own = await makeKey('second');
      install();
    },
    set(state) {
      isAway = state === 'away';
    },
    signIn: (address, sub, jar = new Map()) => signIn(issuer, new URL(address), sub, jar),
    signOut: (address, jar) => signOut(new URL(address), jar),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      speakAgain();
    },
  };
}

/** It says at every start that its pages and its memory are for development. */
function silenceNotices(): () => void {
  const { info, warn } = console;
  const without =
    (write: typeof info): typeof info =>
    (text, ...rest) => {
      if (!String(text).startsWith('oidc-provider ')) write(text, ...rest);
    };
  Object.assign(console, { info: without(info), warn: without(warn) });
  return () => Object.assign(console, { info, warn });
}

async function makeKey(kid: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } };
}

function makeProvider(issuer: string, options: ServerOptions, jwk: JWK, accounts: OidcServer['accounts']): Provider {
  const configuration = {
    clients: options.clients,
    jwks: { keys: [jwk] },
    cookies: { keys: ['only-for-tests'] },
    conformIdTokenClaims: options.putsClaimsIntoToken !== true,
    claims: { openid: ['sub'], profile: CLAIM_NAMES },
    features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
    // Its own fetch refuses addresses of this machine.
    fetch: (url: string, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) => fetch(url, init),
    findAccount: (_context: unknown, sub: string) =>
      accounts.has(sub) ? { accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) } : undefined,
  };
  return inThisWorld(() => new Provider(issuer, configuration as unknown as Configuration));
}

/** Jest's own structuredClone makes objects of another world, in which the provider does not find its clients' keys. */
function inThisWorld<T>(make: () => T): T {
  const { structuredClone } = globalThis;
  globalThis.structuredClone = (value) => JSON.parse(JSON.stringify(value));
  try {
    return make();
  } finally {
    globalThis.structuredClone = structuredClone;
  }
}

async function signIn(issuer: string, start: URL, sub: string, jar: CookieJar): Promise<URL> {
  let answer = await ask(start, jar);
  let here = start;
  for (let step = 0; step < MOST_STEPS; step++) {
    const location = answer.headers.get('location');
    if (location !== null) {
      here = new URL(location, here);
      if (here.origin !== issuer) return here;
      answer = await ask(here, jar);
      continue;
    }
    const page = await answer.text();
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    if (prompt === undefined) throw new Error(`The provider answered ${answer.status} at ${here.pathname}`);
    answer = await ask(here, jar, new URLSearchParams({ prompt, login: sub, password: 'any' }));
  }
  throw new Error('The provider asks without end');
}

async function signOut(address: URL, jar: CookieJar): Promise<void> {
  const question = await (await ask(address, jar)).text();
  const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(question) ?? [];
  if (xsrf === undefined) throw new Error('The provider does not ask whether one wants to sign out');
  await ask(new URL('/session/end/confirm', address), jar, new URLSearchParams({ xsrf, logout: 'yes' }));
}

async function ask(address: URL, jar: CookieJar, form?: URLSearchParams): Promise<Response> {
  const answer = await fetch(address, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form !== undefined && { body: form }),
  });
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === '') jar.delete(name);
    else jar.set(name, value);
  }
  return answer;
}
