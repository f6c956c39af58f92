// Tokens of the sandbox's EHR: who gets one, for how long, and which requests are accepted.
import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { openSandboxEhr, type SandboxEhr, type SandboxEhrOptions } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { type LocalServers, makeLocalServers } from '../support/local-servers.ts';
import { callsTo } from './fhir-calls.ts';

let ehr: SandboxEhr | undefined;
let servers: LocalServers | undefined;
afterEach(async () => {
  await ehr?.close();
  await servers?.close();
  servers = undefined;
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const jwkOf = (key: KeyObject, kid: string): JsonWebKey => ({ ...key.export({ format: 'jwk' }), kid });
const clients = [
  { clientId: 'by secret', secret: 'a secret: of & tests' },
  { clientId: 'by-rsa', publicJwk: jwkOf(rsa.publicKey, 'r') },
  { clientId: 'by-ec', publicJwk: jwkOf(ec.publicKey, 'e') },
];

async function anEhr(options: SandboxEhrOptions = {}) {
  const clock = { nowMs: Date.parse('2026-11-21T12:00:00Z') };
  const opened = await openSandboxEhr({ clients, now: () => new Date(clock.nowMs), ...options });
  ehr = opened;
  opened.store.put({ resourceType: 'Patient', id: 'p-1' });
  const call = callsTo(opened.baseUrl);
  const tokenUrl = `${opened.baseUrl}/oauth2/token`;
  const ask = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...form });
    const response = await fetch(tokenUrl, { method: 'POST', headers, body });
    const json = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, json };
  };
  const passSeconds = (seconds: number) => {
    clock.nowMs += seconds * 1000;
  };
  const statusWith = async (authorization?: string) =>
    (await call('GET', 'Patient/p-1', { headers: authorization === undefined ? {} : { authorization } })).status;
  const signed = (claims: Record<string, unknown> = {}, by: { alg?: string; kid?: string; key?: KeyObject } = {}) => {
    const { alg = 'ES384', kid = 'e', key = ec.privateKey } = by;
    const exp = Math.floor(clock.nowMs / 1000) + 240;
    const whole = { iss: 'by-ec', sub: 'by-ec', aud: tokenUrl, exp, jti: randomUUID(), ...claims };
    return new SignJWT(whole).setProtectedHeader({ alg, kid }).sign(key);
  };
  const askSigned = (assertion: string) =>
    ask({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    });
  return { ehr: opened, call, tokenUrl, clock, ask, passSeconds, statusWith, signed, askSigned };
}

const bySecret = { client_id: 'by secret', client_secret: 'a secret: of & tests' };
const formEncoded = (text: string) => String(new URLSearchParams({ '': text })).slice(1);
const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;

describe('a token of the sandbox’s EHR', () => {
  it('is issued for a secret in the form at the published address, and is accepted until it expires', async () => {
    const { call, tokenUrl, ask, passSeconds, statusWith } = await anEhr();
    expect((await call('GET', '.well-known/smart-configuration')).json['token_endpoint']).toBe(tokenUrl);
    const { status, headers, json } = await ask(bySecret);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(json).toMatchObject({ token_type: 'bearer', expires_in: 300, scope: 'system/*.cruds' });
    const authorization = `Bearer ${json['access_token']}`;
    expect(await statusWith(authorization)).toBe(200);
    passSeconds(299);
    expect(await statusWith(authorization)).toBe(200);
    passSeconds(1);
    expect(await statusWith(authorization)).toBe(401);
  });

  it('is issued for a secret in the header', async () => {
    const { ask, statusWith } = await anEhr({ tokenSeconds: 7 });
    const { json } = await ask({}, { authorization: basic('by secret', 'a secret: of & tests') });
    expect([json['expires_in'], await statusWith(`Bearer ${json['access_token']}`)]).toEqual([7, 200]);
  });

  it('is issued for a signed assertion with either kind of key', async () => {
    const { askSigned, signed, statusWith } = await anEhr();
    const statements = [
      await signed(),
      await signed({ iss: 'by-rsa', sub: 'by-rsa' }, { alg: 'RS384', kid: 'r', key: rsa.privateKey }),
    ];
    for (const statement of statements) {
      const { status, json } = await askSigned(statement);
      expect([status, await statusWith(`Bearer ${json['access_token']}`)]).toEqual([200, 200]);
    }
  });

  it('is issued for an assertion whose key is published at the client’s address, also after a rotation', async () => {
    servers = makeLocalServers();
    const newer = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const keys = { keys: [jwkOf(ec.publicKey, 'e')] };
    const jwksUrl = await servers.serve((_, response) => void response.end(JSON.stringify(keys)));
    const { askSigned, signed } = await anEhr({ clients: [{ clientId: 'by-ec', jwksUrl }] });
    const withNewer = { kid: 'n', key: newer.privateKey };
    expect((await askSigned(await signed())).status).toBe(200);
    expect((await askSigned(await signed({}, withNewer))).status).toBe(401);
    keys.keys = [jwkOf(newer.publicKey, 'n')];
    expect((await askSigned(await signed({}, withNewer))).status).toBe(200);
    expect((await askSigned(await signed())).status).toBe(401);
  });
});

describe('no token is issued', () => {
  it.each([
    ['a wrong secret', { ...bySecret, client_secret: 'wrong' }, 401, 'invalid_client'],
    ['nobody’s name', { ...bySecret, client_id: 'nobody' }, 401, 'invalid_client'],
    ['a client that has a key and no secret', { client_id: 'by-ec', client_secret: '' }, 401, 'invalid_client'],
    ['no client at all', {}, 400, 'invalid_request'],
    ['another grant', { ...bySecret, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['the grant of an app', { ...bySecret, grant_type: 'authorization_code' }, 400, 'unauthorized_client'],
    ['a scope of no system', { ...bySecret, scope: 'patient/*.read' }, 400, 'invalid_scope'],
    ['a scope of nothing', { ...bySecret, scope: 'system/Patient.' }, 400, 'invalid_scope'],
    ['an assertion that is no JWT', { client_assertion: 'a.b.c' }, 400, 'invalid_request'],
  ])('for %s', async (_, form, status, error) => {
    const { ask } = await anEhr();
    const answer = await ask(form);
    expect([answer.status, answer.json['error']]).toEqual([status, error]);
  });

  it('for a wrong secret in the header, and the answer names the scheme', async () => {
    const { ask } = await anEhr();
    const answer = await ask({}, { authorization: basic('by secret', 'wrong') });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="tokens"']);
  });

  it('for two kinds of credentials or a repeated parameter', async () => {
    const { ask, tokenUrl } = await anEhr();
    const twoWays = await ask(bySecret, { authorization: basic('by secret', 'a secret: of & tests') });
    expect([twoWays.status, twoWays.json['error']]).toEqual([400, 'invalid_request']);
    const body = new URLSearchParams([
      ...Object.entries(bySecret),
      ...Array(2).fill(['grant_type', 'client_credentials']),
    ]);
    expect((await fetch(tokenUrl, { method: 'POST', body })).status).toBe(400);
  });

  it('for a request by GET or in JSON', async () => {
    const { tokenUrl } = await anEhr();
    expect((await fetch(tokenUrl)).status).toBe(405);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ grant_type: 'client_credentials', ...bySecret });
    expect((await fetch(tokenUrl, { method: 'POST', headers, body })).status).toBe(400);
  });

  const inSeconds = (seconds: number) => Date.parse('2026-11-21T12:00:00Z') / 1000 + seconds;
  it.each<[string, Record<string, unknown>]>([
    ['is somebody else’s', { iss: 'nobody', sub: 'nobody' }],
    ['speaks for another client', { sub: 'by-rsa' }],
    ['is signed with another client’s key', { iss: 'by-rsa', sub: 'by-rsa' }],
    ['is meant for another server', { aud: 'https://ehr.example.org/oauth2/token' }],
    ['has expired', { exp: inSeconds(0) }],
    ['is good for more than five minutes', { exp: inSeconds(301) }],
    ['does not say when it expires', { exp: undefined }],
    ['is not good yet', { nbf: inSeconds(60) }],
    ['has no name of its own', { jti: undefined }],
  ])('for an assertion that %s', async (_, claims) => {
    const { askSigned, signed } = await anEhr();
    const { status, json } = await askSigned(await signed(claims));
    expect([status, json['error']]).toEqual([401, 'invalid_client']);
  });

  it('for an assertion with an unknown key or an algorithm that SMART does not allow', async () => {
    const { askSigned, signed } = await anEhr();
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    expect((await askSigned(await signed({}, { key: other.privateKey }))).status).toBe(401);
    const byRsa = { iss: 'by-rsa', sub: 'by-rsa' };
    expect((await askSigned(await signed(byRsa, { alg: 'RS256', kid: 'r', key: rsa.privateKey }))).status).toBe(401);
    const [, claims = ''] = (await signed()).split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    expect((await askSigned(unsigned)).status).toBe(401);
  });

  it('twice for one assertion', async () => {
    const { askSigned, signed } = await anEhr();
    const statement = await signed();
    expect((await askSigned(statement)).status).toBe(200);
    expect((await askSigned(statement)).status).toBe(401);
  });
});

describe('a request without a token', () => {
  it('is refused, except for the address of the token endpoint', async () => {
    const { call, statusWith, tokenUrl } = await anEhr();
    expect(await statusWith()).toBe(401);
    const refused = await call('POST', 'Patient', { body: { resourceType: 'Patient' } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await fetch(`${ehr?.baseUrl}/Binary/b`)).status).toBe(401);
    const { status, text } = await call('GET', 'metadata');
    expect([status, text.includes(tokenUrl)]).toEqual([200, true]);
  });

  it('is accepted in the open mode; a wrong token is not', async () => {
    const { call, statusWith } = await anEhr({ isOpen: true });
    expect(await statusWith()).toBe(200);
    const headers = { authorization: 'Bearer nonsense' };
    const refused = await call('GET', 'Patient/p-1', { headers });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
    expect(await statusWith(basic('by secret', 'a secret: of & tests'))).toBe(401);
  });
});
