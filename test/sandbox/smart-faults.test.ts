// What the sandbox's EHR refuses to apps: at its authorize page, at its token endpoint, and in its charts.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appRequest,
  choose,
  exchangeOf,
  openSmartHospital,
  REDIRECT,
  SECRET,
  type SmartHospital,
} from './smart-hospital.ts';

let hospital: SmartHospital;
beforeEach(async () => {
  hospital = await openSmartHospital();
});
afterEach(() => hospital.close());

const aRequest = (changes: Readonly<Record<string, string>> = {}) => ({
  ...appRequest(hospital.baseUrl, hospital.launchOf('doctor')),
  ...changes,
});

async function aCode(changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const { location } = await hospital.authorize(aRequest(changes));
  return location?.searchParams.get('code') ?? '';
}

async function aToken(changes: Readonly<Record<string, string>> = {}) {
  return (await hospital.token(exchangeOf(await aCode(changes)))).json;
}

describe('the authorize page', () => {
  it.each([
    ['an unknown client', { client_id: 'stranger' }],
    ['a system without a redirect', { client_id: 'system' }],
    ['a foreign redirect', { redirect_uri: 'https://attacker.example/launch/sandbox/callback' }],
    ['a redirect that only begins as the registered one', { redirect_uri: `${REDIRECT}/more` }],
  ])('sends the browser nowhere for %s', async (_, changes) => {
    const { status, location, headers } = await hospital.authorize(aRequest(changes));
    expect([status, location]).toEqual([400, undefined]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it.each([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['another FHIR server', { aud: 'https://other.example/fhir' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is no hash', { code_challenge: 'short' }, 'invalid_request'],
    ['a launch that was never made', { launch: 'forged' }, 'invalid_request'],
    ['a launch without its scope', { scope: 'openid fhirUser' }, 'invalid_request'],
    ['no scope of this hospital', { scope: 'system/*.cruds everything' }, 'invalid_scope'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ])('tells the app why, for %s', async (_, changes, error) => {
    const { location } = await hospital.authorize(aRequest(changes));
    expect(location?.href.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(Object.fromEntries(location?.searchParams ?? [])).toMatchObject({ error, state: 'a state' });
  });

  it('takes a launch once, and for ten minutes', async () => {
    const launch = hospital.launchOf('doctor');
    const errorOf = async () => (await hospital.authorize(aRequest({ launch }))).location?.searchParams.get('error');
    expect([await errorOf(), await errorOf()]).toEqual([null, 'invalid_request']);
    const late = aRequest();
    hospital.passSeconds(601);
    expect((await hospital.authorize(late)).location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('takes the choice of a person once, and only of a person who works there', async () => {
    const asked = () => hospital.authorize(aRequest({ launch: hospital.launchOf() }));
    const page = await asked();
    const chosen = await choose(page, { practitioner: 'doctor' });
    expect(chosen.location?.searchParams.get('code')).toEqual(expect.any(String));
    expect((await choose(page, { practitioner: 'doctor' })).location).toBeUndefined();
    const strange = await choose(await asked(), { practitioner: 'attacker' });
    const denied = await choose(await asked(), { practitioner: 'doctor', decision: 'deny' });
    const errors = [strange, denied].map(({ location }) => location?.searchParams.get('error'));
    expect(errors).toEqual(['access_denied', 'access_denied']);
  });
});

describe('the token endpoint', () => {
  it.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['another redirect', { redirect_uri: `${REDIRECT}/` }, 'invalid_grant'],
    ['another client', { client_id: 'public-app', client_secret: '' }, 'invalid_client'],
    ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client'],
    ['a client that is a system', { client_id: 'system' }, 'unauthorized_client'],
    ['an app that wants a token for itself', { grant_type: 'client_credentials' }, 'unauthorized_client'],
    ['an unknown code', { code: 'guessed' }, 'invalid_grant'],
  ])('exchanges no code for %s', async (_, changes, error) => {
    const { json, headers } = await hospital.token({ ...exchangeOf(await aCode()), ...changes });
    expect(json['error']).toBe(error);
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
  });

  it('burns a code at a wrong verifier', async () => {
    const code = await aCode();
    await hospital.token({ ...exchangeOf(code), code_verifier: 'x'.repeat(43) });
    expect((await hospital.token(exchangeOf(code))).json['error']).toBe('invalid_grant');
  });

  it('exchanges a code for one minute', async () => {
    const code = await aCode();
    hospital.passSeconds(60);
    expect((await hospital.token(exchangeOf(code))).json['error']).toBe('invalid_grant');
  });

  it('ends the tokens of a code that is used twice', async () => {
    const code = await aCode();
    const { json } = await hospital.token(exchangeOf(code));
    const authorization = `Bearer ${json['access_token']}`;
    const read = async () => (await hospital.call('GET', 'Patient/p-1', { headers: { authorization } })).status;
    expect(await read()).toBe(200);
    expect((await hospital.token(exchangeOf(code))).json['error']).toBe('invalid_grant');
    expect(await read()).toBe(401);
  });

  it('ends the tokens of a refresh token that is used twice, and gives no more scopes than were granted', async () => {
    const { refresh_token = '' } = await aToken();
    const refresh = (more: Readonly<Record<string, string>>) =>
      hospital.token({ grant_type: 'refresh_token', client_id: 'app', client_secret: SECRET, ...more });
    expect((await refresh({ refresh_token, scope: 'user/*.rs' })).json['error']).toBe('invalid_scope');
    const { json } = await refresh({ refresh_token, scope: 'patient/Condition.rs' });
    expect(json['scope']).toBe('patient/Condition.rs');
    expect((await refresh({ refresh_token })).json['error']).toBe('invalid_grant');
    expect((await refresh({ refresh_token: json['refresh_token'] ?? '' })).json['error']).toBe('invalid_grant');
  });

  it('tells a client nothing of another client’s tokens', async () => {
    const { access_token = '' } = await aToken();
    const introspect = async (form: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ token: access_token, ...form });
      const response = await fetch(`${hospital.baseUrl}/oauth2/introspect`, { method: 'POST', body });
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    };
    expect((await introspect({ client_id: 'app', client_secret: SECRET })).json['active']).toBe(true);
    expect((await introspect({ client_id: 'public-app' })).json).toEqual({ active: false });
    expect((await introspect({})).status).toBe(400);
    hospital.passSeconds(3_600);
    expect((await introspect({ client_id: 'app', client_secret: SECRET })).json).toEqual({ active: false });
  });
});

describe('the token of an app', () => {
  const read = async (token: string | undefined, url: string, method = 'GET', body?: unknown) =>
    hospital.call(method, url, { headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) });

  it('opens the chart of the launch, and no other', async () => {
    const { access_token } = await aToken({ scope: 'launch patient/*.rs' });
    const statuses = [];
    for (const url of ['Patient/p-1', 'Encounter/e-1', 'Practitioner/doctor', 'Patient/p-2', 'Encounter/e-2']) {
      statuses.push((await read(access_token, url)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 403, 403]);
    const found = (await read(access_token, 'Condition')).json;
    expect([found.entry?.map(({ resource }) => resource?.id), found['total']]).toEqual([['c-p-1'], undefined]);
  });

  it('opens only the types and the interactions of its scopes', async () => {
    const { access_token } = await aToken({ scope: 'launch user/Condition.s patient/Encounter.cruds' });
    const statuses = [];
    for (const url of ['Condition', 'Condition/c-p-1', 'Encounter/e-1', 'Patient/p-1', 'Practitioner/doctor']) {
      statuses.push((await read(access_token, url)).status);
    }
    expect(statuses).toEqual([200, 403, 200, 403, 403]);
    const bundle = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ request: { method: 'GET', url: 'Patient/p-1' } }],
    };
    const encounter = { resourceType: 'Encounter', id: 'e-1', status: 'cancelled', class: { code: 'AMB' } };
    expect((await read(access_token, '', 'POST', bundle)).status).toBe(403);
    expect((await read(access_token, 'Encounter/e-1', 'PUT', encounter)).status).toBe(403);
    expect((await read(access_token, 'Encounter/e-1', 'DELETE')).status).toBe(403);
    const included = (await read(access_token, 'Encounter?_id=e-1&_include=Encounter:subject')).json;
    expect(included.entry?.map(({ resource }) => resource?.resourceType)).toEqual(['Encounter']);
  });

  it('opens the resource of the person who is signed in, with fhirUser', async () => {
    const { access_token } = await aToken({ scope: 'launch openid fhirUser' });
    expect((await read(access_token, 'Practitioner/doctor')).status).toBe(200);
    expect((await read(access_token, 'Practitioner/nurse')).status).toBe(403);
    expect((await read(access_token, 'Practitioner')).status).toBe(403);
  });

  it('opens nothing after an hour', async () => {
    const { access_token, expires_in } = await aToken();
    expect(expires_in).toBe(3_600);
    hospital.passSeconds(3_600);
    expect((await read(access_token, 'Patient/p-1')).status).toBe(401);
  });
});
