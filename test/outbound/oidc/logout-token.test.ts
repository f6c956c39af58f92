// Back-channel logout: only a fresh token of the provider for this client ends sessions.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeIdentityProvider } from '../../../src/outbound/oidc/identity-provider.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { IdentityProvider } from '../../../src/ports/identity-provider.ts';
import { type Forgery, type OidcServer, startOidcServer } from '../../support/oidc-server.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MINUTE = 60;

let server: OidcServer;
let provider: IdentityProvider;

beforeAll(async () => {
  server = await startOidcServer({ clients: [], accounts: [] });
  provider = await makeIdentityProvider({
    issuer: server.issuer,
    clientId: 'engine',
    credentials: { kind: 'secret', secret: 'a-made-up-secret-of-the-engine-0123456789' },
    algorithm: 'RS256',
    scopes: ['openid'],
    fetch: makeHttpFetch(),
    runtime: systemRuntime,
    onRefused: () => undefined,
  });
});

afterAll(() => server.close());

const now = () => Math.floor(Date.now() / 1000);

function aToken(): Forgery {
  const claims = { iss: server.issuer, aud: 'engine', iat: now(), exp: now() + 2 * MINUTE, jti: 'token-1' };
  return {
    header: { typ: 'logout+jwt' },
    claims: { ...claims, sub: 'ada', sid: 'session-1', events: { [EVENT]: {} } },
  };
}

async function read(change: (token: Forgery) => Partial<Forgery> = () => ({}), key?: 'foreign') {
  const token = aToken();
  return provider.readLogout(await server.sign({ ...token, ...change(token) }, key));
}

describe('a logout token', () => {
  it('names the session and the subject, and the id that is used once', async () => {
    const logout = await read();
    expect(logout).toMatchObject({ tokenId: 'token-1', subject: 'ada', sessionId: 'session-1' });
    expect(logout?.until.getTime()).toBeGreaterThan(Date.now() + 5 * MINUTE * 1000);
  });

  it.each<[string, (token: Forgery) => Partial<Forgery>]>([
    ['without a session', ({ claims: { sid: _, ...claims } }) => ({ claims })],
    ['without a subject', ({ claims: { sub: _, ...claims } }) => ({ claims })],
    ['without an end, as older providers send it', ({ claims: { exp: _, ...claims } }) => ({ claims })],
    ['without a type, as some providers send it', () => ({ header: {} })],
  ])('%s is accepted', async (_, change) => {
    expect(await read(change)).toMatchObject({ tokenId: 'token-1' });
  });

  it.each<[string, (token: Forgery) => Partial<Forgery>]>([
    ['of another issuer', ({ claims }) => ({ claims: { ...claims, iss: 'https://other.example' } })],
    ['for another client', ({ claims }) => ({ claims: { ...claims, aud: 'another' } })],
    ['of another type', () => ({ header: { typ: 'at+jwt' } })],
    ['with a nonce, which makes it an ID token', ({ claims }) => ({ claims: { ...claims, nonce: 'x' } })],
    ['without the event', ({ claims: { events: _, ...claims } }) => ({ claims })],
    ['whose event is a text', ({ claims }) => ({ claims: { ...claims, events: { [EVENT]: 'yes' } } })],
    ['without an id', ({ claims: { jti: _, ...claims } }) => ({ claims })],
    ['that names nobody', ({ claims: { sub: _, sid: __, ...claims } }) => ({ claims })],
    ['whose subject is a list', ({ claims }) => ({ claims: { ...claims, sub: ['ada'] } })],
    ['that has expired', ({ claims }) => ({ claims: { ...claims, exp: now() - MINUTE } })],
    [
      'that is old and has no end',
      ({ claims: { exp: _, ...claims } }) => ({ claims: { ...claims, iat: now() - 600 } }),
    ],
    ['from the future', ({ claims }) => ({ claims: { ...claims, iat: now() + 2 * MINUTE } })],
    ['without a time', ({ claims: { iat: _, ...claims } }) => ({ claims })],
  ])('%s is refused', async (_, change) => {
    expect(await read(change)).toBeUndefined();
  });

  it('signed by a foreign key is refused', async () => {
    expect(await read(undefined, 'foreign')).toBeUndefined();
  });

  it.each([
    ['that is no token', 'not a token'],
    ['that is empty', ''],
    ['with the algorithm none', `${encoded({ alg: 'none' })}.${encoded({ sub: 'ada' })}.`],
  ])('%s is refused', async (_, token) => {
    expect(await provider.readLogout(token)).toBeUndefined();
  });

  it('of a provider that is away is not refused, so that it is sent again', async () => {
    server.set('away');
    const other = await makeIdentityProvider({
      issuer: server.issuer,
      clientId: 'engine',
      credentials: { kind: 'secret', secret: 'x' },
      algorithm: 'RS256',
      scopes: ['openid'],
      fetch: makeHttpFetch(),
      runtime: systemRuntime,
      onRefused: () => undefined,
    });
    const { header, claims } = aToken();
    const token = await server.sign({ header, claims });
    await expect(other.readLogout(token)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    server.set('there');
  });
});

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
