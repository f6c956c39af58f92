// The real pages for signing in on a real HTTP server, with a real identity provider, stores in memory, and browsers that keep cookies.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { ClaimRoles } from '../../../../src/domain/people/claim-roles.ts';
import { makeGrowingWaits } from '../../../../src/domain/people/growing-wait.ts';
import { makeSemaphore } from '../../../../src/domain/semaphore.ts';
import { makeAdmitIdentity } from '../../../../src/flows/people/admit-identity.ts';
import { makeCloseSession } from '../../../../src/flows/people/close-session.ts';
import { makeEndByProvider } from '../../../../src/flows/people/end-by-provider.ts';
import { makeOpenSession } from '../../../../src/flows/people/open-session.ts';
import { makeOwnAccount } from '../../../../src/flows/people/own-account.ts';
import { makeOwnPasskeys } from '../../../../src/flows/people/own-passkeys.ts';
import { makeSignInLocal } from '../../../../src/flows/people/sign-in-local.ts';
import { makeSignInProvider } from '../../../../src/flows/people/sign-in-provider.ts';
import { makeUseLink } from '../../../../src/flows/people/use-link.ts';
import { makeVisitPage } from '../../../../src/flows/people/visit-page.ts';
import { makeRefusedSignIns } from '../../../../src/inbound/http/people/refused-sign-ins.ts';
import { makeSignInRouter } from '../../../../src/inbound/http/people/sign-in-routes.ts';
import { makeWrongKeyThrottle } from '../../../../src/inbound/http/server/wrong-keys.ts';
import { makeIdentityProvider } from '../../../../src/outbound/oidc/identity-provider.ts';
import { makePasskeyChecks } from '../../../../src/outbound/webauthn/passkey-checks.ts';
import { makeHttpFetch } from '../../../../src/platform/http-fetch.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import type { PasskeyChecks } from '../../../../src/ports/passkey-checks.ts';
import { makeFakeAudit } from '../../../fakes/audit.ts';
import { makeFakeLocalAccounts } from '../../../fakes/local-accounts.ts';
import { makeFakePeople } from '../../../fakes/people.ts';
import { makeFakePersonSessions } from '../../../fakes/person-sessions.ts';
import { makeFakeSignInAttempts } from '../../../fakes/sign-in-attempts.ts';
import { type CookieJar, type OidcServer, startOidcServer } from '../../../support/oidc-server.ts';

const CLIENT_SECRET = 'a-made-up-secret-of-the-engine-0123456789';

export const ROLES: ClaimRoles = {
  scopes: ['openid', 'profile'],
  rules: [
    { claim: ['groups'], values: ['chart-admins'], role: 'admin', sites: ['*'] },
    { claim: ['groups'], values: ['chart-watchers'], role: 'viewer', sites: ['mercy'] },
  ],
};

const MANY = 10_000;

export type SignInDoor = Awaited<ReturnType<typeof openSignInDoor>>;

export type DoorOptions = {
  readonly roles?: ClaimRoles | undefined;
  /** How many sign-ins of one address may fail in a minute. */
  readonly mostFailures?: number;
  /** `localhost`: browsers make passkeys for a name only. */
  readonly host?: string;
  readonly passkeyChecks?: PasskeyChecks;
};

export async function openSignInDoor(options: DoorOptions = {}) {
  const { roles = ROLES, mostFailures = MANY, host = '127.0.0.1' } = options;
  const limits = { maxFailures: mostFailures, windowSeconds: 60 };
  let shiftMs = 0;
  const failures: unknown[] = [];
  const startMs = Date.now();
  const runtime = { ...systemRuntime, now: () => new Date(startMs + shiftMs) };
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const oidc = await startOidcServer({
    clients: [
      {
        client_id: 'engine',
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${url}/sign-in/provider/callback`],
        post_logout_redirect_uris: [`${url}/sign-in`],
        backchannel_logout_uri: `${url}/sign-in/provider/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    accounts: [
      { sub: 'ada', claims: { name: 'Dr. Ada Example', groups: ['chart-watchers'] } },
      { sub: 'eve', claims: { name: 'Eve Example', groups: ['others'] } },
    ],
  });
  const provider = await makeIdentityProvider({
    issuer: oidc.issuer,
    clientId: 'engine',
    credentials: { kind: 'secret', secret: CLIENT_SECRET },
    algorithm: 'RS256',
    scopes: ROLES.scopes,
    fetch: makeHttpFetch(),
    runtime: systemRuntime,
    onRefused: () => undefined,
  });
  const people = makeFakePeople({ now: runtime.now });
  const personSessions = makeFakePersonSessions({ people, now: runtime.now });
  const audit = makeFakeAudit({ now: runtime.now });
  const attempts = makeFakeSignInAttempts();
  const parts = { people, personSessions, audit, attempts, runtime, provider, roles, publicUrl: url };
  const [openSession, closeSession] = [makeOpenSession(parts), makeCloseSession(parts)];
  const formTokenOf = (id: string) => Buffer.from(runtime.digest(`form ${id}`)).toString('base64url');
  const localAccounts = makeFakeLocalAccounts({ people, now: runtime.now });
  const local = {
    ...parts,
    localAccounts,
    passkeyChecks: options.passkeyChecks ?? makePasskeyChecks({ publicUrl: url }),
    openSession,
    closeSession,
    hashing: makeSemaphore(2),
    waits: makeGrowingWaits(),
  };
  app.use(
    makeSignInRouter({
      ...local,
      signInLocal: makeSignInLocal(local),
      useLink: makeUseLink(local),
      ownPasskeys: makeOwnPasskeys(local),
      visitPage: makeVisitPage({
        ...parts,
        formTokenOf,
      }),
      closeSession,
      ownAccount: makeOwnAccount({ ...parts, closeSession }),
      signInProvider: makeSignInProvider({ ...parts, openSession, admitIdentity: makeAdmitIdentity(parts) }),
      endByProvider: makeEndByProvider({ ...parts, closeSession }),
      refused: makeRefusedSignIns({
        throttle: makeWrongKeyThrottle(limits),
        mostKept: makeWrongKeyThrottle(limits),
        audit,
        logger: { warn: () => undefined },
      }),
      logger: { error: (_message, facts) => void failures.push(facts), info: () => undefined },
      command: 'chartwright',
    }),
  );
  return {
    url,
    oidc,
    /** What the log says of unexpected failures. */
    failures,
    people,
    localAccounts,
    runtime,
    personSessions,
    openSession,
    formTokenOf,
    audit,
    /** The clock of the engine goes on; otherwise it does not move. */
    advance(ms: number) {
      shiftMs += ms;
    },
    makeBrowser: () => makeBrowser(url, oidc),
    async close() {
      server.closeAllConnections();
      server.close();
      await oidc.close();
    },
  };
}

export type Browser = ReturnType<typeof makeBrowser>;

/** Keeps the cookies of the engine and of the provider, follows no redirect by itself, and sends what a browser sends with an own form. */
function makeBrowser(url: string, oidc: OidcServer) {
  const cookies: CookieJar = new Map();
  const atProvider: CookieJar = new Map();
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const answer = await fetch(new URL(path, url), { ...init, headers, redirect: 'manual' });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const page = async (path: string) => (await ask(path)).text();
  /** The token that the forms of /me carry. */
  const formToken = async () => /name="form" value="([^"]+)"/.exec(await page('/me'))?.[1] ?? '';
  const post = async (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    ask(path, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams(fields),
    });
  return {
    cookies,
    atProvider,
    ask,
    page,
    formToken,
    post,
    /** The address at the provider to which the engine sends this browser. */
    begin: async (path = '/sign-in/provider') => (await ask(path)).headers.get('location') ?? '',
    /** Signs in at the provider, and returns the callback's address without visiting it. */
    callback: (address: string, sub: string) => oidc.signIn(address, sub, atProvider),
    async signIn(sub: string, path = '/sign-in/provider'): Promise<Response> {
      const start = (await ask(path)).headers.get('location') ?? '';
      const callback = await oidc.signIn(start, sub, atProvider);
      return ask(callback.pathname + callback.search);
    },
    postForm: async (path: string, fields: Readonly<Record<string, string>> = {}) =>
      post(path, { ...fields, form: await formToken() }),
  };
}
