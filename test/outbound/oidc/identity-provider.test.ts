// Sign-in by a real identity provider, with everything that a wrong or hostile one could answer.
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { makeIdentityProvider } from '../../../src/outbound/oidc/identity-provider.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { type Forgery, type OidcServer, startOidcServer } from '../../support/oidc-server.ts';

const CALLBACK = 'https://engine.example/sign-in/provider/callback';
const SECRET = 'a-made-up-secret-of-the-engine-0123456789';
const CREDENTIALS = { kind: 'secret', secret: SECRET } as const;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const MINUTE = 60;

let server: OidcServer;

beforeAll(async () => {
  const client = { redirect_uris: [CALLBACK], post_logout_redirect_uris: ['https://engine.example/sign-in'] };
  server = await startOidcServer({
    clients: [
      { ...client, client_id: 'engine', client_secret: SECRET },
      {
        ...client,
        client_id: 'engine-with-key',
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [publicKey.export({ format: 'jwk' })] },
      },
    ],
    accounts: [{ sub: 'ada', claims: { name: 'Dr. Ada Example', email: 'ada@hospital.example', groups: ['doctors'] } }],
  });
});

afterEach(() => {
  server.faults.idToken = undefined;
  server.set('there');
});

afterAll(() => server.close());

type Changes = Partial<Parameters<typeof makeIdentityProvider>[0]>;

function aProvider(changes: Changes = {}) {
  return makeIdentityProvider({
    issuer: server.issuer,
    clientId: 'engine',
    credentials: CREDENTIALS,
    algorithm: 'RS256',
    scopes: ['openid', 'profile'],
    fetch: makeHttpFetch(),
    runtime: systemRuntime,
    onRefused: () => undefined,
    ...changes,
  });
}

/** A whole sign-in of Ada; `change` alters the callback. */
async function signIn(changes: Changes = {}, change: (callback: URL) => void = () => undefined) {
  const provider = await aProvider(changes);
  const expected = await provider.begin(CALLBACK);
  const callback = await server.signIn(expected.address, 'ada');
  change(callback);
  return provider.finish({ query: callback.search, redirectUri: CALLBACK, expected });
}

/** The provider's next ID token is altered and signed again. */
function forge(change: (token: Forgery) => Partial<Forgery>, key?: 'foreign') {
  server.faults.idToken = (token) => {
    const given = { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
    return server.sign({ ...given, ...change(given) }, key);
  };
}

const now = () => Math.floor(Date.now() / 1000);
const REFUSED = { code: 'unauthorized' };

describe('sign-in by an identity provider', () => {
  it('proves issuer and subject, and brings the claims of the userinfo endpoint', async () => {
    expect(await signIn()).toMatchObject({
      identity: { issuer: server.issuer, subject: 'ada' },
      name: 'Dr. Ada Example',
      claims: { groups: ['doctors'], sub: 'ada' },
    });
  });

  it('asks with PKCE, a state and a nonce that are new each time', async () => {
    const provider = await aProvider();
    const [one, other] = [await provider.begin(CALLBACK), await provider.begin(CALLBACK)];
    const asked = new URL(one.address).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile',
      state: one.state,
      nonce: one.nonce,
    });
    expect(one.address).not.toContain(one.verifier);
    const values = [one.state, one.nonce, one.verifier, other.state, other.nonce, other.verifier];
    expect(new Set(values).size).toBe(6);
  });

  it('works with a private key in place of a secret', async () => {
    const pem = privateKey.export({ format: 'pem', type: 'sec1' }).toString();
    const proven = await signIn({ clientId: 'engine-with-key', credentials: { kind: 'private-key', pem } });
    expect(proven.identity.subject).toBe('ada');
  });

  it.each([
    ['no key at all', 'x'],
    ['a public key', publicKey.export({ format: 'pem', type: 'spki' }).toString()],
    [
      'a key that is too short',
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .privateKey.export({ format: 'pem', type: 'pkcs8' })
        .toString(),
    ],
  ])('refuses %s as OIDC_PRIVATE_KEY, at start', async (_, pem) => {
    await expect(aProvider({ credentials: { kind: 'private-key', pem } })).rejects.toMatchObject({
      code: 'notConfigured',
    });
  });

  it('works after the provider has replaced its keys', async () => {
    const provider = await aProvider();
    const before = await provider.begin(CALLBACK);
    const first = await server.signIn(before.address, 'ada');
    await provider.finish({ query: first.search, redirectUri: CALLBACK, expected: before });
    await server.rotate();
    const expected = await provider.begin(CALLBACK);
    const callback = await server.signIn(expected.address, 'ada');
    const proven = await provider.finish({ query: callback.search, redirectUri: CALLBACK, expected });
    expect(proven.identity.subject).toBe('ada');
  });

  it('starts while the provider is away, says so, and works when it is back', async () => {
    server.set('away');
    const provider = await aProvider();
    await expect(provider.begin(CALLBACK)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    expect(await provider.logoutAddress('https://engine.example/sign-in')).toBeUndefined();
    server.set('there');
    expect((await provider.begin(CALLBACK)).address).toContain(`${server.issuer}/auth`);
  });

  it('says that the provider is away if it goes between start and callback', async () => {
    const provider = await aProvider();
    const expected = await provider.begin(CALLBACK);
    const callback = await server.signIn(expected.address, 'ada');
    server.set('away');
    const finish = provider.finish({ query: callback.search, redirectUri: CALLBACK, expected });
    await expect(finish).rejects.toMatchObject({ code: 'vendorUnavailable' });
  });

  it('knows where the session at the provider is ended', async () => {
    const provider = await aProvider();
    const address = new URL((await provider.logoutAddress('https://engine.example/sign-in')) ?? '');
    expect(address.pathname).toBe('/session/end');
    expect(address.searchParams.get('post_logout_redirect_uri')).toBe('https://engine.example/sign-in');
  });
});

describe('an ID token is refused', () => {
  it.each<[string, (token: Forgery) => Partial<Forgery>]>([
    ['of another issuer', ({ claims }) => ({ claims: { ...claims, iss: 'https://other.example' } })],
    ['for another client', ({ claims }) => ({ claims: { ...claims, aud: 'another' } })],
    ['for a second client, too', ({ claims }) => ({ claims: { ...claims, aud: ['engine', 'another'] } })],
    ['with another nonce', ({ claims }) => ({ claims: { ...claims, nonce: 'another' } })],
    ['without a nonce', ({ claims: { nonce: _, ...claims } }) => ({ claims })],
    ['without a subject', ({ claims: { sub: _, ...claims } }) => ({ claims })],
    ['with an endless subject', ({ claims }) => ({ claims: { ...claims, sub: 'a'.repeat(256) } })],
    ['that has expired', ({ claims }) => ({ claims: { ...claims, exp: now() - MINUTE } })],
    ['that is not yet valid', ({ claims }) => ({ claims: { ...claims, nbf: now() + 2 * MINUTE } })],
    ['that was made in the future', ({ claims }) => ({ claims: { ...claims, iat: now() + 2 * MINUTE } })],
  ])('%s', async (_, change) => {
    forge(change);
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });

  it('and is accepted with a clock that differs by a few seconds', async () => {
    forge(({ claims }) => ({ claims: { ...claims, iat: now() + 10 } }));
    expect((await signIn()).identity.subject).toBe('ada');
  });

  it('signed by a foreign key with the same id', async () => {
    forge(() => ({}), 'foreign');
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });

  it('with the algorithm none', async () => {
    server.faults.idToken = (token) => `${encoded({ alg: 'none' })}.${token.split('.')[1]}.`;
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });

  it('signed with the client secret (HS256)', async () => {
    server.faults.idToken = (token) => {
      const text = `${encoded({ alg: 'HS256' })}.${token.split('.')[1]}`;
      return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
    };
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });

  it('whose claims were changed below their signature', async () => {
    server.faults.idToken = (token) => {
      const [header, , signature] = token.split('.');
      return `${header}.${encoded({ ...decodeJwt(token), groups: ['admins'] })}.${signature}`;
    };
    await expect(signIn()).rejects.toMatchObject(REFUSED);
  });
});

describe('a callback is refused', () => {
  it.each<[string, (callback: URL) => void]>([
    ['with another state', ({ searchParams }) => searchParams.set('state', 'another')],
    ['without a state', ({ searchParams }) => searchParams.delete('state')],
    ['with two states', ({ searchParams }) => searchParams.append('state', 'another')],
    ['of another issuer (mix-up)', ({ searchParams }) => searchParams.set('iss', 'https://other.example')],
    ['that does not say its issuer', ({ searchParams }) => searchParams.delete('iss')],
    ['with another code', ({ searchParams }) => searchParams.set('code', 'another')],
    ['in which the provider refuses', ({ searchParams }) => searchParams.set('error', 'access_denied')],
  ])('%s', async (_, change) => {
    await expect(signIn({}, change)).rejects.toMatchObject(REFUSED);
  });

  it('when its code was used before', async () => {
    const provider = await aProvider();
    const expected = await provider.begin(CALLBACK);
    const { search: query } = await server.signIn(expected.address, 'ada');
    await provider.finish({ query, redirectUri: CALLBACK, expected });
    const again = provider.finish({ query, redirectUri: CALLBACK, expected });
    await expect(again).rejects.toMatchObject(REFUSED);
  });

  it('with the code of another browser’s sign-in, whose verifier it does not have', async () => {
    const provider = await aProvider();
    const [own, other] = [await provider.begin(CALLBACK), await provider.begin(CALLBACK)];
    const callback = await server.signIn(other.address, 'ada');
    callback.searchParams.set('state', own.state);
    const finish = provider.finish({ query: callback.search, redirectUri: CALLBACK, expected: own });
    await expect(finish).rejects.toMatchObject(REFUSED);
  });
});

describe('a provider that is not what OIDC_ISSUER says', () => {
  it('is refused in words for the operator', async () => {
    const provider = await aProvider({ issuer: server.issuer.replace('127.0.0.1', 'localhost') });
    await expect(provider.begin(CALLBACK)).rejects.toMatchObject({
      code: 'notConfigured',
      message: expect.stringContaining('OIDC_ISSUER'),
    });
  });

  it('is refused if it names an endpoint without encryption', async () => {
    const answer = async () => {
      const metadata = await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json();
      return Response.json({ ...(metadata as object), token_endpoint: 'http://provider.example/token' });
    };
    const provider = await aProvider({ fetch: answer });
    await expect(provider.begin(CALLBACK)).rejects.toMatchObject({ code: 'notConfigured' });
  });
});

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
