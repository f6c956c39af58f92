import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import type { LaunchSettings } from '../../../src/domain/site/launch-settings.ts';
import { publicJwks } from '../../../src/outbound/fhir/jwks.ts';
import { makeSmartSignIn } from '../../../src/outbound/smart/smart-sign-in.ts';
import type { EhrSignIn } from '../../../src/ports/ehr-sign-in.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { aSite } from '../../support/chart-facts.ts';
import { type LocalServers, makeLocalServers } from '../../support/local-servers.ts';
import { type SmartServer, startSmartServer } from '../../support/smart-server.ts';

const BACK = 'https://cw.example.org/launch/mercy/callback';
const SECRET = { kind: 'secret', clientSecret: 'a secret made up for tests' } as const;
const NAMES = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: 'v'.repeat(43) } as const;

let servers: LocalServers;
let ehr: SmartServer;
let now: Date | undefined;
const signal = new AbortController().signal;
/** Each test has its own: what an EHR says is kept for a moment, and a later EHR can get the port of an earlier one. */
let signIn: EhrSignIn;

beforeEach(async () => {
  now = undefined;
  signIn = makeSmartSignIn({ now: () => now ?? new Date(), timeoutMs: 2_000 });
  servers = makeLocalServers();
  ehr = await startSmartServer(servers);
});
afterEach(() => servers.close());

function mercy(launch: Partial<LaunchSettings> = {}): LoadedSite {
  const site = aSite({});
  const settings: LaunchSettings = {
    clientId: 'chartwright',
    client: SECRET,
    issuers: [ehr.fhirBase],
    scopes: ['launch', 'openid', 'fhirUser'],
    newReviewers: true,
    frameOrigins: [],
    idTokenAlgorithms: ['RS256', 'ES256'],
    ...launch,
  };
  return { ...site, settings: { ...site.settings, launch: settings } };
}

function order(site: LoadedSite) {
  return { site, issuer: ehr.fhirBase, redirectUri: BACK, ...NAMES };
}

async function wholeLaunch(site = mercy(), launch: string | undefined = 'xyz') {
  const address = await signIn.begin({ ...order(site), ...(launch !== undefined && { launch }) }, signal);
  const back = await ehr.authorize(address);
  return signIn.finish({ ...order(site), answer: back.searchParams }, signal);
}

function refusal(why: string, fault?: string) {
  return { name: 'AppError', code: 'forbidden', why, ...(fault !== undefined && { fault }) };
}

describe('A sign-in by the EHR', () => {
  it('asks for the launch of the chart with PKCE, a nonce and the FHIR address as audience', async () => {
    const { origin, pathname, searchParams } = await signIn.begin({ ...order(mercy()), launch: 'xyz' }, signal);
    expect(origin + pathname).toBe(`${ehr.origin}/authorize`);
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'chartwright',
      redirect_uri: BACK,
      scope: 'launch openid fhirUser',
      state: NAMES.state,
      nonce: NAMES.nonce,
      aud: ehr.fhirBase,
      launch: 'xyz',
      code_challenge: createHash('sha256').update(NAMES.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
  });

  it('without a launch of the chart asks for no context of one', async () => {
    const { searchParams } = await signIn.begin(order(mercy()), signal);
    expect(searchParams.get('scope')).toBe('openid fhirUser');
    expect(searchParams.has('launch')).toBe(false);
  });

  it('returns the clinician, whom the EHR alone names, and the visit that is open', async () => {
    expect(await wholeLaunch()).toEqual({
      identity: { issuer: `${ehr.fhirBase} ${ehr.origin}/oidc`, subject: 'sub of Practitioner/7' },
      practitioner: 'Practitioner/7',
      name: 'Ines Okafor',
      encounter: 'Encounter/123',
      patient: 'Patient/1',
    });
  });

  it('takes a fhirUser that is relative to the FHIR address, and leads from a PractitionerRole to its Practitioner', async () => {
    ehr.behaviour.resources['PractitionerRole/3'] = {
      resourceType: 'PractitionerRole',
      id: '3',
      practitioner: { reference: `${ehr.fhirBase}/Practitioner/8` },
    };
    ehr.behaviour.claims = (claims) => ({ ...claims, fhirUser: 'PractitionerRole/3' });
    expect(await wholeLaunch()).toMatchObject({
      practitioner: 'Practitioner/8',
      practitionerRole: 'PractitionerRole/3',
      name: 'Juan Sola',
    });
  });

  it('proves the engine by a signed assertion for the token endpoint, for minutes and once', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const client = { kind: 'key', privateKey: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) } as const;
    const site = mercy({ client });
    const { keys = [] } = (await publicJwks({ auth: { type: 'none' }, launch: site.settings.launch })) ?? {};
    ehr.behaviour.client = { id: 'chartwright', jwks: { keys: [...keys] } };
    await wholeLaunch(site);
    await wholeLaunch(site);
    expect(ehr.assertions).toHaveLength(2);
    expect(ehr.assertions[0]).toMatchObject({
      header: { typ: 'JWT', alg: 'ES384' },
      claims: { aud: `${ehr.origin}/token` },
    });
    expect(ehr.tokenForms[0]).not.toHaveProperty('client_secret');
  });

  it('says what is wrong with the settings if the EHR refuses the client', async () => {
    const wrong = mercy({ client: { kind: 'secret', clientSecret: 'another' } });
    await expect(wholeLaunch(wrong)).rejects.toMatchObject({
      code: 'notConfigured',
      message: expect.stringContaining('launch.clientId'),
    });
  });
});

describe('An EHR that launches', () => {
  it.each([
    ['is not listed', (base: string) => `${base}2`],
    ['is written with a slash at the end', (base: string) => `${base}/`],
    ['is written with a user', (base: string) => base.replace('//', '//a@')],
    ['is written in capitals', (base: string) => base.replace('http', 'HTTP')],
    ['is written with a path that leads back', (base: string) => base.replace('/fhir', '/x/../fhir')],
    ['is written with an escape', (base: string) => base.replace('fhir', '%66hir')],
  ])('is not called if it %s', async (_, change) => {
    const issuer = change(ehr.fhirBase);
    await expect(signIn.begin({ ...order(mercy()), issuer }, signal)).rejects.toMatchObject(refusal('issuer'));
    const answer = new URLSearchParams({ code: 'c', state: NAMES.state });
    await expect(signIn.finish({ ...order(mercy()), issuer, answer }, signal)).rejects.toMatchObject(refusal('issuer'));
    expect(ehr.requests).toEqual([]);
  });

  it.each([
    [
      'leads elsewhere',
      (): unknown => (ehr.behaviour.onRequest = (_, response) => redirectTo(response, `${ehr.origin}/keys`)),
      'notConfigured',
      'HTTP 302',
    ],
    [
      'has no keys',
      (): unknown => (ehr.behaviour.configuration = { jwks_uri: undefined }),
      'notConfigured',
      'lacks what a launch needs: jwks_uri',
    ],
    [
      'has no PKCE',
      (): unknown => (ehr.behaviour.configuration = { code_challenge_methods_supported: ['plain'] }),
      'notConfigured',
      'PKCE',
    ],
    [
      'sends the secret over plain http',
      (): unknown => (ehr.behaviour.configuration = { token_endpoint: 'http://ehr.example.org/token' }),
      'notConfigured',
      'token_endpoint is not a safe',
    ],
    [
      'has keys behind a user',
      (): unknown => (ehr.behaviour.configuration = { jwks_uri: 'https://a:b@ehr.example.org/keys' }),
      'notConfigured',
      'jwks_uri is not a safe',
    ],
    ['is away', (): unknown => (ehr.behaviour.configurationStatus = 503), 'ehrUnavailable', 'HTTP 503'],
    ['is no SMART server', (): unknown => (ehr.behaviour.configurationStatus = 404), 'notConfigured', 'HTTP 404'],
    [
      'answers without an end',
      (): unknown => (ehr.behaviour.configuration = { more: 'x'.repeat(300_000) }),
      'ehrAnswer',
      'too long',
    ],
    ['never answers', (): unknown => (ehr.behaviour.onRequest = () => true), 'ehrUnavailable', 'cannot be reached'],
  ] as const)('is refused if it %s', async (_, spoil, code, message) => {
    spoil();
    const begun = signIn.begin(order(mercy()), signal);
    await expect(begun).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe('An ID token', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  it.each([
    [
      'of another issuer',
      (): unknown => (ehr.behaviour.claims = (claims) => ({ ...claims, iss: 'https://other.example.org' })),
    ],
    ['for another app', (): unknown => (ehr.behaviour.claims = (claims) => ({ ...claims, aud: 'other' }))],
    ['of another launch', (): unknown => (ehr.behaviour.claims = (claims) => ({ ...claims, nonce: 'other' }))],
    ['without a nonce', (): unknown => (ehr.behaviour.claims = ({ nonce: _, ...claims }) => claims)],
    ['that has ended', (): unknown => (ehr.behaviour.claims = (claims) => ({ ...claims, exp: seconds() - 120 }))],
    ['without an end', (): unknown => (ehr.behaviour.claims = ({ exp: _, ...claims }) => claims)],
    [
      'from the future',
      (): unknown => (ehr.behaviour.claims = (claims) => ({ ...claims, iat: seconds() + 120, exp: seconds() + 600 })),
    ],
    [
      'that is not signed',
      (): unknown => (ehr.behaviour.sign = async (claims) => `${b64({ alg: 'none' })}.${b64(claims)}.`),
    ],
    [
      'signed with the secret of the client',
      (): unknown =>
        (ehr.behaviour.sign = (claims) => signedWith(claims, 'HS256', Buffer.from('a secret made up for tests'))),
    ],
    ['signed by another key', (): unknown => (ehr.behaviour.sign = (claims) => signedWith(claims, 'ES256', foreign))],
    [
      'that was changed afterwards',
      (): unknown =>
        (ehr.behaviour.sign = async (claims) => {
          const [head, , signature] = (await signedWith(claims, 'ES256', ehr.signingKey)).split('.');
          return [head, b64({ ...claims, sub: 'someone else' }), signature].join('.');
        }),
    ],
    ['that is not there', (): unknown => (ehr.behaviour.token = { id_token: undefined })],
  ] as const)('%s lets no one in', async (_, spoil) => {
    spoil();
    await expect(wholeLaunch()).rejects.toMatchObject(refusal('token'));
  });

  it('signed in a way that the site does not list lets no one in', async () => {
    await expect(wholeLaunch(mercy({ idTokenAlgorithms: ['RS256'] }))).rejects.toMatchObject(refusal('token'));
  });

  it('of a clock that is a little ahead is taken', async () => {
    ehr.behaviour.claims = (claims) => ({ ...claims, iat: seconds() + 20 });
    expect(await wholeLaunch()).toMatchObject({ practitioner: 'Practitioner/7' });
  });

  it('is believed anew with the keys that the EHR has now', async () => {
    await wholeLaunch();
    await wholeLaunch();
    expect(ehr.requests.filter((path) => path === '/keys')).toHaveLength(2);
  });
});

describe('Who comes from the EHR', () => {
  it.each([
    ['a patient', 'Patient/1', 'not-practitioner'],
    ['a relative', 'RelatedPerson/1', 'not-practitioner'],
    ['a person', 'Person/1', 'not-practitioner'],
    ['a device', 'Device/1', 'not-practitioner'],
    ['a clinician of another server', 'https://other.example.org/fhir/Practitioner/7', 'other-base'],
    ['a version', 'Practitioner/7/_history/1', 'other-base'],
    ['a path that leads out', '../Practitioner/7', 'other-base'],
    ['no one', '', 'scopes'],
    ['a clinician whom the EHR never had', 'Practitioner/99', 'practitioner-gone'],
  ])('is refused in words: %s', async (_, fhirUser, why) => {
    ehr.behaviour.claims = (claims) => ({ ...claims, fhirUser });
    await expect(wholeLaunch()).rejects.toMatchObject(refusal(why));
  });

  it('must be a clinician whom the EHR still has, and who is active', async () => {
    ehr.behaviour.resources['Practitioner/7'] = undefined;
    await expect(wholeLaunch()).rejects.toMatchObject(refusal('practitioner-gone'));
    ehr.behaviour.resources['Practitioner/7'] = { resourceType: 'Practitioner', id: '7', active: false };
    await expect(wholeLaunch()).rejects.toMatchObject(refusal('practitioner-inactive'));
    ehr.behaviour.resources['Practitioner/7'] = { resourceType: 'Practitioner', id: '8' };
    await expect(wholeLaunch()).rejects.toMatchObject({ code: 'ehrAnswer' });
  });

  it('is not known if the EHR lets the engine read no clinician, or is away', async () => {
    ehr.behaviour.readStatus = 403;
    await expect(wholeLaunch()).rejects.toMatchObject(refusal('unreadable', '403'));
    ehr.behaviour.readStatus = 503;
    await expect(wholeLaunch()).rejects.toMatchObject({ code: 'ehrUnavailable' });
  });

  it('is not known if the EHR did not grant that it says so', async () => {
    ehr.behaviour.token = { scope: 'launch openid' };
    await expect(wholeLaunch()).rejects.toMatchObject(refusal('scopes', 'not-granted'));
    ehr.behaviour.token = { scope: undefined };
    expect(await wholeLaunch()).toMatchObject({ practitioner: 'Practitioner/7' });
  });
});

describe('The answer to a launch', () => {
  it('is used once', async () => {
    const back = await ehr.authorize(await signIn.begin({ ...order(mercy()), launch: 'xyz' }, signal));
    const finish = () => signIn.finish({ ...order(mercy()), answer: back.searchParams }, signal);
    expect(await finish()).toMatchObject({ practitioner: 'Practitioner/7' });
    await expect(finish()).rejects.toMatchObject(refusal('attempt', 'invalid_grant'));
  });

  it('fits only to the secret with which it was asked for', async () => {
    const back = await ehr.authorize(await signIn.begin({ ...order(mercy()), launch: 'xyz' }, signal));
    const stolen = { ...order(mercy()), verifier: 'w'.repeat(43), answer: back.searchParams };
    await expect(signIn.finish(stolen, signal)).rejects.toMatchObject(refusal('attempt'));
  });

  it('with another state is refused before the code is shown to anyone', async () => {
    const back = await ehr.authorize(await signIn.begin({ ...order(mercy()), launch: 'xyz' }, signal));
    back.searchParams.set('state', 'other');
    const finished = signIn.finish({ ...order(mercy()), answer: back.searchParams }, signal);
    await expect(finished).rejects.toMatchObject(refusal('token'));
    expect(ehr.tokenForms).toEqual([]);
  });

  it('may be a refusal of the EHR', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: NAMES.state });
    const finished = signIn.finish({ ...order(mercy()), answer }, signal);
    await expect(finished).rejects.toMatchObject(refusal('denied', 'access_denied'));
  });

  it('with an id that is none opens nothing', async () => {
    ehr.behaviour.token = { encounter: '../Patient/2' };
    await expect(wholeLaunch()).rejects.toMatchObject({ code: 'ehrAnswer' });
    ehr.behaviour.token = { encounter: 'Encounter/5', patient: undefined };
    const clinician = await wholeLaunch();
    expect(clinician).toMatchObject({ encounter: 'Encounter/5' });
    expect(clinician).not.toHaveProperty('patient');
  });
});

function redirectTo(
  response: { writeHead: (status: number, headers: Record<string, string>) => { end: () => unknown } },
  location: string,
): boolean {
  response.writeHead(302, { location }).end();
  return true;
}

function b64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signedWith(
  claims: Record<string, unknown>,
  alg: string,
  key: Parameters<SignJWT['sign']>[0],
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(key);
}
