// A hospital with two patients and two people, whose EHR launches apps; and a browser that follows its authorize page.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { openSandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { callsTo } from './fhir-calls.ts';

export const REDIRECT = 'http://127.0.0.1:9/launch/sandbox/callback';
export const SECRET = 'a secret of tests';
export const appKey = generateKeyPairSync('ec', { namedCurve: 'P-384' });

const redirectUris = [REDIRECT];
const clients = [
  { clientId: 'app', secret: SECRET, redirectUris },
  { clientId: 'keyed-app', publicJwk: { ...appKey.publicKey.export({ format: 'jwk' }), kid: 'k' }, redirectUris },
  { clientId: 'public-app', isPublic: true as const, redirectUris },
  { clientId: 'system', secret: SECRET },
];

export type SmartHospital = Awaited<ReturnType<typeof openSmartHospital>>;

export async function openSmartHospital() {
  const clock = { nowMs: Date.now() };
  const ehr = await openSandboxEhr({ clients, tokenSeconds: 3_600, now: () => new Date(clock.nowMs) });
  for (const patient of ['p-1', 'p-2']) {
    const encounter = patient.replace('p', 'e');
    ehr.store.put({ resourceType: 'Patient', id: patient });
    ehr.store.put({
      resourceType: 'Encounter',
      id: encounter,
      status: 'finished',
      class: { code: 'AMB' },
      subject: { reference: `Patient/${patient}` },
    });
    ehr.store.put({ resourceType: 'Condition', id: `c-${patient}`, subject: { reference: `Patient/${patient}` } });
  }
  ehr.store.put({ resourceType: 'Practitioner', id: 'doctor', name: [{ given: ['Paula'], family: 'Placeholder' }] });
  ehr.store.put({ resourceType: 'Practitioner', id: 'nurse', name: [{ given: ['Nell'], family: 'Placeholder' }] });
  const call = callsTo(ehr.baseUrl);
  return {
    ...ehr,
    call,
    passSeconds: (seconds: number) => {
      clock.nowMs += seconds * 1000;
    },
    authorize: (parameters: Readonly<Record<string, string>>) =>
      visit(`${ehr.baseUrl}/oauth2/authorize?${new URLSearchParams(parameters)}`),
    /** A bare token request, for what no library would send. */
    token: async (form: Readonly<Record<string, string>>) => {
      const response = await fetch(`${ehr.baseUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
      const json = (await response.json()) as Readonly<Record<string, string>>;
      return { status: response.status, headers: response.headers, json };
    },
    launchOf: (practitioner?: string) =>
      ehr.launch({ encounter: 'e-1', patient: 'p-1', ...(practitioner !== undefined && { practitioner }) }),
  };
}

const VERIFIER = randomBytes(32).toString('base64url');

/** A good request of the app `app` for an EHR launch. */
export function appRequest(baseUrl: string, launch: string): Record<string, string> {
  return {
    response_type: 'code',
    client_id: 'app',
    redirect_uri: REDIRECT,
    scope: 'launch openid fhirUser offline_access patient/*.rs user/Practitioner.rs',
    state: 'a state',
    nonce: 'a nonce',
    aud: baseUrl,
    launch,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  };
}

export function exchangeOf(code: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    client_id: 'app',
    client_secret: SECRET,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  };
}

export type Visited = {
  readonly status: number;
  readonly headers: Headers;
  readonly page: string;
  /** Where the browser is sent; undefined if it stays. */
  readonly location: URL | undefined;
};

export async function visit(url: string, init: RequestInit = {}): Promise<Visited> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const target = response.headers.get('location');
  const location = target === null ? undefined : new URL(target);
  return { status: response.status, headers: response.headers, page: await response.text(), location };
}

/** Sends the form of the page with these choices. */
export function choose({ page }: Visited, choices: Readonly<Record<string, string>>): Promise<Visited> {
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? '';
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const body = new URLSearchParams({ request, decision: 'allow', ...choices });
  return visit(action, { method: 'POST', body });
}
