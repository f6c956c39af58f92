import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import type { EhrAuth } from '../../../src/domain/site/site.ts';
import { publicJwks } from '../../../src/outbound/fhir/jwks.ts';
import { makeLocalServers } from '../../support/local-servers.ts';
import { startTokenServer, type TokenBehaviour } from '../../support/token-server.ts';
import { aTransport, failureOf, get } from './transport-stage.ts';

const servers = makeLocalServers();
afterAll(() => servers.close());

const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
type BackendServices = Extract<EhrAuth, { type: 'backend-services' }>;

function pem(key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8'): string {
  return String(key.export({ format: 'pem', type }));
}

function authOf(privateKey: string, more: Partial<BackendServices> = {}): BackendServices {
  return { type: 'backend-services', clientId: 'chartwright', privateKey, ...more };
}

async function aSite(auth: BackendServices, given: Partial<TokenBehaviour> = {}) {
  const jwks = { keys: [...((await publicJwks({ auth }))?.keys ?? [])] };
  const server = await startTokenServer(servers, { jwks, ...given });
  const clock = { now: new Date('2026-11-21T12:00:00Z') };
  server.behaviour.now = () => clock.now;
  return { server, clock, transport: aTransport({ baseUrl: server.baseUrl, auth }, { now: () => clock.now }) };
}

describe('Authentication with a private key', () => {
  it.each([
    ['an EC key, PKCS#8', pem(ec), 'ES384'],
    ['an EC key, SEC1', pem(ec, 'sec1'), 'ES384'],
    ['an EC key as JWK', JSON.stringify(ec.export({ format: 'jwk' })), 'ES384'],
    ['an EC key on one line', pem(ec).replaceAll('\n', '\\n'), 'ES384'],
    ['an RSA key, PKCS#8', pem(rsa), 'RS384'],
    ['an RSA key, PKCS#1', pem(rsa, 'pkcs1'), 'RS384'],
    ['an RSA key as JWK', JSON.stringify(rsa.export({ format: 'jwk' })), 'RS384'],
  ])('the engine gets a token that the EHR accepts with %s', async (_, privateKey, algorithm) => {
    const { server, transport } = await aSite(authOf(privateKey));
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    const { form = {}, claims, authorization } = server.tokenCalls[0] ?? {};
    const header = decodeProtectedHeader(form['client_assertion'] ?? '');
    expect(header).toEqual({ alg: algorithm, typ: 'JWT', kid: expect.stringMatching(/^[\w-]{43}$/) });
    expect(Object.keys(form).toSorted()).toEqual(['client_assertion', 'client_assertion_type', 'grant_type', 'scope']);
    expect(form['scope']).toBe('system/*.cruds');
    expect(authorization).toBeUndefined();
    expect(claims).toEqual({
      iss: 'chartwright',
      sub: 'chartwright',
      aud: server.tokenUrl,
      exp: Date.parse('2026-11-21T12:04:00Z') / 1000,
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
    });
  });

  it('each assertion is new, also when a call is repeated', async () => {
    const { server, clock, transport } = await aSite(authOf(pem(ec)));
    server.behaviour.onToken = (response) => void response.writeHead(503).end();
    for (let turn = 0; turn < 3; turn += 1) {
      await failureOf(get(transport, 'Patient/1'));
      clock.now = new Date(clock.now.getTime() + 1000);
    }
    server.behaviour.onToken = undefined;
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    server.revokeTokens();
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    const ids = server.tokenCalls.map(({ claims }) => claims?.['jti']);
    expect([ids.length, new Set(ids).size, ids.includes(undefined)]).toEqual([5, 5, false]);
  });

  it('the kid comes from the settings, else from the JWK, else it is the thumbprint', async () => {
    const jwk = { ...ec.export({ format: 'jwk' }), kid: 'of-the-jwk' };
    for (const [auth, kid] of [
      [authOf(pem(ec), { kid: 'of-the-settings' }), 'of-the-settings'],
      [authOf(JSON.stringify(jwk), { kid: 'of-the-settings' }), 'of-the-settings'],
      [authOf(JSON.stringify(jwk)), 'of-the-jwk'],
    ] as const) {
      const { server, transport } = await aSite(auth);
      expect((await get(transport, 'Patient/1')).status).toBe(200);
      expect(decodeProtectedHeader(server.tokenCalls[0]?.form['client_assertion'] ?? '').kid).toBe(kid);
    }
  });

  it('the EHR is called with the new key after a change of keys', async () => {
    const before = authOf(pem(ec), { kid: '2025' });
    const after = authOf(pem(rsa), { kid: '2026' });
    const { server, transport } = await aSite(before);
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    server.behaviour.jwks = { keys: [...((await publicJwks({ auth: after }))?.keys ?? [])] };
    server.revokeTokens();
    const failure = await failureOf(get(transport, 'Patient/1'));
    expect(failure.message).toContain("that the EHR knows this site's public key");
    const renewed = aTransport({ baseUrl: server.baseUrl, auth: after }, { now: server.behaviour.now });
    expect((await get(renewed, 'Patient/1')).status).toBe(200);
  });

  it.each([
    ['ahead of', -11],
    ['behind', 11],
  ])('a clock that is %s the EHR is named in the error', async (word, minutes) => {
    const { server, clock, transport } = await aSite(authOf(pem(ec)));
    server.behaviour.now = () => new Date(clock.now.getTime() + minutes * 60_000);
    const failure = await failureOf(get(transport, 'Patient/1'));
    expect(failure.message).toContain(`The clock of this machine is 11 min ${word} the token server's: set it right`);
    expect(failure).toMatchObject({ kind: 'credentials', isPassing: true, wasSent: false });
  });

  it('a correct clock is not named in the error', async () => {
    const { server, transport } = await aSite(authOf(pem(ec)));
    server.behaviour.jwks = { keys: [] };
    expect((await failureOf(get(transport, 'Patient/1'))).message).not.toContain('clock');
  });
});

describe('A key that cannot be used', () => {
  const encrypted = ec.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' });
  it.each([
    [
      'the key of another curve',
      pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      /curve P-384.*openssl/,
    ],
    ['the key of another algorithm', pem(generateKeyPairSync('ed25519').privateKey), /curve P-384.*openssl/],
    ['a short RSA key', pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey), /fewer than 2048 bits/],
    ['a text that is not a key', 'a secret that is no key', /cannot be read: it must be PEM/],
    ['a cut key', pem(ec).slice(0, 80), /cannot be read/],
    ['a key with a password', String(encrypted), /protected by a password/],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nxx\n-----END PUBLIC KEY-----', /is a public key/],
    [
      'a public JWK',
      JSON.stringify({ ...ec.export({ format: 'jwk' }), d: undefined }),
      /one single key with its private/,
    ],
    ['a set of JWKs', JSON.stringify({ keys: [ec.export({ format: 'jwk' })] }), /one single key with its private/],
    ['broken JSON', '{"kty":', /one single key/],
  ])('%s is named in the error, and no token is requested', async (_, privateKey, message) => {
    const server = await startTokenServer(servers);
    const auth = authOf(privateKey);
    const failure = await failureOf(get(aTransport({ baseUrl: server.baseUrl, auth }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: false });
    expect(failure.message).toMatch(message);
    expect(failure.message).toMatch(/^ehr\.auth\.privateKey /);
    expect(failure.message).not.toContain('a secret');
    await expect(publicJwks({ auth })).rejects.toMatchObject({ code: 'notConfigured', message: failure.message });
    expect([server.tokenCalls.length, server.apiCalls.length]).toEqual([0, 0]);
  });
});

describe('The address of the token server', () => {
  const auth = authOf(pem(ec));
  const oauthUris = (baseUrl: string, url: string) => ({
    resourceType: 'CapabilityStatement',
    rest: [
      { mode: 'client' },
      {
        mode: 'server',
        security: {
          extension: [
            { url: 'http://example.org/other', valueUri: 'https://evil.example' },
            {
              url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
              extension: [
                { url: 'authorize', valueUri: `${baseUrl}/oauth/authorize` },
                { url: 'token', valueUri: url },
              ],
            },
          ],
        },
      },
    ],
  });

  it('is that of the settings, without a discovery', async () => {
    const { server } = await aSite(auth, { metadata: () => ({}) });
    const given = { ...auth, tokenUrl: server.tokenUrl };
    const transport = aTransport({ baseUrl: server.baseUrl, auth: given }, { now: server.behaviour.now });
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    expect(server.discoveryCalls).toEqual([]);
  });

  it('is that of SMART’s configuration, which is read once an hour', async () => {
    const { server, clock, transport } = await aSite(auth);
    await get(transport, 'Patient/1');
    clock.now = new Date(clock.now.getTime() + 600_000);
    await get(transport, 'Patient/1');
    expect([server.discoveryCalls.length, server.tokenCalls.length]).toEqual([1, 2]);
    clock.now = new Date(clock.now.getTime() + 3_600_000);
    await get(transport, 'Patient/1');
    expect([server.discoveryCalls.length, server.tokenCalls.length]).toEqual([2, 3]);
  });

  it('is that of the CapabilityStatement if there is no SMART configuration', async () => {
    const metadata = (baseUrl: string) => ({ '/metadata': oauthUris(baseUrl, `${baseUrl}/oauth/token`) });
    const { server, transport } = await aSite(auth, { metadata });
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    expect(server.discoveryCalls).toEqual(['/.well-known/smart-configuration', '/metadata']);
  });

  it('is discovered again after the server was moved', async () => {
    const { server, clock, transport } = await aSite(auth, {
      metadata: (baseUrl) => ({ '/.well-known/smart-configuration': { token_endpoint: `${baseUrl}/../gone` } }),
    });
    await failureOf(get(transport, 'Patient/1'));
    server.behaviour.metadata = (baseUrl) => ({
      '/.well-known/smart-configuration': { token_endpoint: `${baseUrl}/oauth/token` },
    });
    clock.now = new Date(clock.now.getTime() + 30_000);
    expect((await get(transport, 'Patient/1')).status).toBe(200);
  });

  it('leads to an error that names the setting if it is not found', async () => {
    const { transport } = await aSite(auth, {
      metadata: () => ({ '/metadata': { resourceType: 'CapabilityStatement' } }),
    });
    expect(await failureOf(get(transport, 'Patient/1'))).toMatchObject({
      kind: 'credentials',
      isPassing: true,
      message: 'The EHR does not say where it gives out tokens: set ehr.auth.tokenUrl',
    });
  });

  it('is no problem of tokens if there is no FHIR server at the base', async () => {
    const { transport } = await aSite(auth, { metadata: () => ({}) });
    expect(await failureOf(get(transport, 'Patient/1'))).toMatchObject({
      kind: 'no-fhir',
      isPassing: true,
      message: expect.stringMatching(/^There is no FHIR server at ehr\.baseUrl .*HTTP 404.*: check its path$/),
    });
  });

  it('is not reported as a problem of the settings while the EHR is down', async () => {
    const baseUrl = await servers.serve((_, response) => void response.writeHead(503).end());
    const failure = await failureOf(get(aTransport({ baseUrl, auth }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: true });
  });

  it.each([
    [['permission-v1'], 'system/*.read system/*.write'],
    [['permission-v1', 'permission-v2'], 'system/*.cruds'],
  ])('an EHR with %p is asked for scopes that it supports', async (capabilities, scope) => {
    const metadata = (baseUrl: string) => ({
      '/.well-known/smart-configuration': { token_endpoint: `${baseUrl}/oauth/token`, capabilities },
    });
    const { server, transport } = await aSite(auth, { metadata });
    await get(transport, 'Patient/1');
    expect(server.tokenCalls[0]?.form['scope']).toBe(scope);
  });

  it.each([
    'http://token.example.org/token',
    'http://10.0.0.5/token',
    'https://user:password@token.example.org/token',
    'https:/token.example.org',
    'https://token.example.org\\@evil.example/',
    'ftp://token.example.org/',
    'token',
    '/token',
  ])('no secret is sent to the token address %s', async (tokenUrl) => {
    const calls: string[] = [];
    const fetch = (async (input) => {
      calls.push(new URL(String(input)).pathname);
      return Response.json({ token_endpoint: tokenUrl });
    }) as typeof globalThis.fetch;
    const baseUrl = 'https://ehr.example.org/fhir';
    for (const given of [auth, { ...auth, tokenUrl }]) {
      const failure = await failureOf(get(aTransport({ baseUrl, auth: given }, { fetch }), 'Patient/1'));
      expect(failure).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: false });
      expect(failure.message).toContain('ehr.auth.tokenUrl');
      expect(failure.message).not.toContain('example');
    }
    expect(calls).toEqual(['/fhir/.well-known/smart-configuration']);
  });

  it('only the settings can name another token server if the EHR is called over plain http', async () => {
    const called: string[] = [];
    const tokenUrl = 'https://token.example.org/token';
    const fetch = (async (input) => {
      const url = String(input);
      called.push(url);
      if (url === tokenUrl) return Response.json({ access_token: 'x', token_type: 'bearer' });
      return Response.json({ token_endpoint: tokenUrl });
    }) as typeof globalThis.fetch;
    const baseUrl = 'http://ehr.example.org/fhir';
    const failure = await failureOf(get(aTransport({ baseUrl, auth }, { fetch }), 'Patient/1'));
    expect([failure.kind, called.includes(tokenUrl)]).toEqual(['credentials', false]);
    const given = { ...auth, tokenUrl };
    expect((await get(aTransport({ baseUrl, auth: given }, { fetch }), 'Patient/1')).status).toBe(200);
    expect(called.includes(tokenUrl)).toBe(true);
  });

  it('the headers of the site are sent only to its own server', async () => {
    const seen: [string, string | null, string | null][] = [];
    const tokenUrl = 'https://token.example.org/token';
    const fetch = (async (input, init) => {
      const headers = new Headers(init?.headers);
      seen.push([String(input), headers.get('x-gateway-key'), headers.get('authorization')]);
      if (String(input) === tokenUrl) return Response.json({ access_token: 'x', token_type: 'bearer' });
      return Response.json({ token_endpoint: tokenUrl });
    }) as typeof globalThis.fetch;
    const ehr = {
      baseUrl: 'https://ehr.example.org/fhir',
      auth,
      headers: { 'x-gateway-key': 'g', authorization: 'Basic of the settings' },
    };
    await get(aTransport(ehr, { fetch }), 'Patient/1');
    expect(seen).toEqual([
      ['https://ehr.example.org/fhir/.well-known/smart-configuration', 'g', null],
      [tokenUrl, null, null],
      ['https://ehr.example.org/fhir/Patient/1', 'g', 'Bearer x'],
    ]);
  });
});
