// The sandbox's EHR as a SMART authorization server, tried with two independent clients: openid-client, and the SMART JavaScript client.
import { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import { appKey, choose, openSmartHospital, REDIRECT, SECRET, type SmartHospital, visit } from './smart-hospital.ts';

// Its own types bring those of a browser into the whole project.
type SmartApp = {
  readonly patient: { readonly id: string; readonly read: () => Promise<unknown> };
  readonly encounter: { readonly id: string; readonly read: () => Promise<unknown> };
  readonly user: { readonly fhirUser: string };
  readonly state: { readonly tokenResponse?: { readonly refresh_token?: string } };
  readonly refresh: () => Promise<unknown>;
  readonly request: (url: string) => Promise<unknown>;
};
type SmartJavaScriptClient = (
  request: IncomingMessage,
  response: ServerResponse,
  storage: unknown,
) => {
  readonly authorize: (options: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly ready: () => Promise<SmartApp>;
};
const require = createRequire(import.meta.url);
const FHIR = require('fhirclient') as SmartJavaScriptClient;

let hospital: SmartHospital;
beforeEach(async () => {
  hospital = await openSmartHospital();
});
afterEach(() => hospital.close());

const SCOPE = 'launch openid fhirUser profile offline_access patient/*.rs user/Practitioner.rs';

async function configured(clientId: string, auth: client.ClientAuth): Promise<client.Configuration> {
  const options = { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] };
  const issuer = new URL(`${hospital.baseUrl}/oauth2`);
  return client.discovery(issuer, clientId, { id_token_signed_response_alg: 'RS256' }, auth, options);
}

async function privateKeyJwt(): Promise<client.ClientAuth> {
  const pkcs8 = appKey.privateKey.export({ format: 'der', type: 'pkcs8' });
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'ECDSA', namedCurve: 'P-384' }, false, ['sign']);
  return client.PrivateKeyJwt(
    { key, kid: 'k' },
    {
      // SMART: the audience is the token endpoint.
      [client.modifyAssertion]: (_, payload) => {
        payload['aud'] = `${hospital.baseUrl}/oauth2/token`;
      },
    },
  );
}

async function signIn(config: client.Configuration, extra: Readonly<Record<string, string>>) {
  const [pkceCodeVerifier, expectedState, expectedNonce] = [
    client.randomPKCECodeVerifier(),
    client.randomState(),
    client.randomNonce(),
  ];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: SCOPE,
    state: expectedState,
    nonce: expectedNonce,
    aud: hospital.baseUrl,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...extra,
  });
  const checks = { pkceCodeVerifier, expectedState, expectedNonce };
  return { visited: await visit(url.href), checks };
}

describe('an EHR launch with openid-client', () => {
  it.each([
    ['a secret in the header', 'app', async () => client.ClientSecretBasic(SECRET)],
    ['a secret in the form', 'app', async () => client.ClientSecretPost(SECRET)],
    ['a signed assertion', 'keyed-app', privateKeyJwt],
    ['no secret', 'public-app', async () => client.None()],
  ])('by a client with %s signs in the person of the launch, in the chart of the launch', async (_, id, auth) => {
    const config = await configured(id, await auth());
    const { visited, checks } = await signIn(config, { launch: hospital.launchOf('doctor') });
    const tokens = await client.authorizationCodeGrant(config, visited.location as URL, checks);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3_600, patient: 'p-1', encounter: 'e-1' });
    expect(tokens.scope).toBe(SCOPE);
    expect(tokens.claims()).toMatchObject({
      sub: 'doctor',
      aud: id,
      fhirUser: `${hospital.baseUrl}/Practitioner/doctor`,
      name: 'Paula Placeholder',
    });
  });

  it('asks for the person if the launch names none', async () => {
    const config = await configured('app', client.ClientSecretBasic(SECRET));
    const { visited, checks } = await signIn(config, { launch: hospital.launchOf() });
    expect([visited.status, visited.page]).toEqual([200, expect.stringContaining('Nell Placeholder')]);
    const chosen = await choose(visited, { practitioner: 'nurse' });
    const tokens = await client.authorizationCodeGrant(config, chosen.location as URL, checks);
    expect([tokens.claims()?.sub, tokens['encounter']]).toEqual(['nurse', 'e-1']);
  });

  it('gives the appContext of a card’s link along with the token', async () => {
    const config = await configured('app', client.ClientSecretBasic(SECRET));
    const launch = hospital.launch({ encounter: 'e-1', patient: 'p-1', practitioner: 'doctor', appContext: 'run 7' });
    const { visited, checks } = await signIn(config, { launch });
    const tokens = await client.authorizationCodeGrant(config, visited.location as URL, checks);
    expect(tokens['appContext']).toBe('run 7');
  });

  it('replaces the refresh token at each use, introspects tokens, and signs with new keys after a rotation', async () => {
    const config = await configured('app', client.ClientSecretBasic(SECRET));
    const first = await signIn(config, { launch: hospital.launchOf('doctor') });
    const tokens = await client.authorizationCodeGrant(config, first.visited.location as URL, first.checks);
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    expect(await client.tokenIntrospection(config, renewed.access_token)).toMatchObject({
      active: true,
      client_id: 'app',
      scope: SCOPE,
      patient: 'p-1',
      encounter: 'e-1',
      sub: 'doctor',
      iss: `${hospital.baseUrl}/oauth2`,
    });
    hospital.rotateKey({ isFormerKept: false });
    const fresh = await configured('app', client.ClientSecretBasic(SECRET));
    const second = await signIn(fresh, { launch: hospital.launchOf('doctor') });
    const again = await client.authorizationCodeGrant(fresh, second.visited.location as URL, second.checks);
    expect(again.claims()?.sub).toBe('doctor');
  });
});

describe('a standalone launch with openid-client', () => {
  it('asks for the person and the visit', async () => {
    const config = await configured('app', client.ClientSecretBasic(SECRET));
    const { visited, checks } = await signIn(config, { scope: 'launch/encounter openid fhirUser user/*.rs' });
    const chosen = await choose(visited, { practitioner: 'doctor', encounter: 'e-2' });
    const tokens = await client.authorizationCodeGrant(config, chosen.location as URL, checks);
    expect(tokens).toMatchObject({ patient: 'p-2', encounter: 'e-2' });
    expect(tokens.refresh_token).toBeUndefined();
  });
});

describe('the SMART JavaScript client', () => {
  const scope = 'openid fhirUser offline_access patient/*.rs';

  /** Its session is a store; a browser sends the requests. */
  function aBrowser() {
    const kept = new Map<string, unknown>();
    const storage = {
      get: async (key: string) => kept.get(key),
      set: async (key: string, value: unknown) => {
        kept.set(key, value);
        return value;
      },
      unset: async (key: string) => kept.delete(key),
    };
    return (path: string) => {
      const request = Object.assign(new IncomingMessage(new Socket()), { url: path, headers: { host: '127.0.0.1:9' } });
      return FHIR(request, new ServerResponse(request), storage);
    };
  }

  it('launches from the chart, reads the patient, and refreshes its token', async () => {
    const smart = aBrowser();
    const options = { clientId: 'app', clientSecret: SECRET, redirectUri: REDIRECT, iss: hospital.baseUrl };
    const launch = hospital.launchOf('doctor');
    const url = await smart('/').authorize({ ...options, scope: `launch ${scope}`, launch, noRedirect: true });
    const { location } = await visit(String(url));
    const app = await smart(`${location?.pathname}${location?.search}`).ready();
    const known = [app.patient.id, app.encounter.id, app.user.fhirUser];
    expect(known).toEqual(['p-1', 'e-1', 'Practitioner/doctor']);
    expect(await app.patient.read()).toMatchObject({ resourceType: 'Patient', id: 'p-1' });
    const refreshToken = app.state.tokenResponse?.refresh_token;
    await app.refresh();
    expect(app.state.tokenResponse?.refresh_token).not.toBe(refreshToken);
    expect(await app.encounter.read()).toMatchObject({ id: 'e-1' });
  });

  it('launches outside of a chart, for the chosen visit', async () => {
    const smart = aBrowser();
    const options = { clientId: 'public-app', redirectUri: REDIRECT, iss: hospital.baseUrl, noRedirect: true };
    const url = await smart('/').authorize({ ...options, scope: `launch/encounter ${scope}` });
    const { location } = await choose(await visit(String(url)), { practitioner: 'nurse', encounter: 'e-2' });
    const app = await smart(`${location?.pathname}${location?.search}`).ready();
    expect([app.patient.id, app.encounter.id]).toEqual(['p-2', 'e-2']);
    await expect(app.request('Patient/p-1')).rejects.toThrow('403');
  });
});
