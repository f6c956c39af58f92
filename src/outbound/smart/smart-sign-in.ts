// SMART App Launch 2 as the client: sends the browser to the EHR, and turns its answer into a clinician whom the EHR vouches for.
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientError,
  type Configuration,
  calculatePKCECodeChallenge,
  ResponseBodyError,
} from 'openid-client';
import { AppError } from '../../domain/errors.ts';
import { LaunchRefused } from '../../domain/people/launch-refusal.ts';
import { present } from '../../domain/present.ts';
import type { LaunchSettings } from '../../domain/site/launch-settings.ts';
import type { EhrClinician, EhrSignIn, SignInAtEhr } from '../../ports/ehr-sign-in.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { readClinician } from './read-clinician.ts';
import { openSmartCalls, type SmartCalls } from './smart-calls.ts';
import { makeSmartClient } from './smart-client.ts';
import { readSmartConfiguration, type SmartConfiguration } from './smart-configuration.ts';

type SmartParts = {
  readonly now: () => Date;
  /** Of each call. */
  readonly timeoutMs?: number;
};

type Work = { readonly launch: LaunchSettings; readonly calls: SmartCalls; readonly client: Configuration };
type Granted = Awaited<ReturnType<typeof authorizationCodeGrant>>;

const CALL_MS = 10_000;
const KEPT_MS = 60_000;
/** How far the clock of the EHR may be ahead. */
const AHEAD_SECONDS = 60;
const CONTEXT_ID = /^[A-Za-z0-9.-]{1,64}$/;

export function makeSmartSignIn(given: SmartParts): EhrSignIn {
  const parts = { ...given, configurations: makeConfigurations(given) };
  return {
    begin: (order, signal) => atEhr(order, { ...parts, signal }, (work) => addressOf(order, work)),
    finish: (order, signal) =>
      atEhr(order, { ...parts, signal }, async (work) => {
        const granted = await redeem(order, work);
        return clinicianOf(granted, { ...work, fhirBase: order.issuer, now: parts.now });
      }),
  };
}

type Configurations = (issuer: string, calls: SmartCalls) => Promise<SmartConfiguration>;
type AtEhrParts = SmartParts & { readonly signal: AbortSignal; readonly configurations: Configurations };

/** Kept for a moment, so that many launches are not as many calls of the EHR. */
function makeConfigurations({ now }: Pick<SmartParts, 'now'>): Configurations {
  const known = new Map<string, { readonly configuration: SmartConfiguration; readonly atMs: number }>();
  return async (issuer, calls) => {
    const kept = known.get(issuer);
    const ageMs = now().getTime() - (kept?.atMs ?? 0);
    if (kept !== undefined && ageMs >= 0 && ageMs < KEPT_MS) return kept.configuration;
    const configuration = await readSmartConfiguration(issuer, calls);
    known.set(issuer, { configuration, atMs: now().getTime() });
    return configuration;
  };
}

async function atEhr<T>(
  { site, issuer }: SignInAtEhr,
  { signal, now, timeoutMs = CALL_MS, configurations }: AtEhrParts,
  use: (work: Work) => Promise<T>,
): Promise<T> {
  const launch = allowedLaunch(site, issuer);
  const calls = openSmartCalls(site, { signal, timeoutMs });
  try {
    const configuration = await configurations(issuer, calls);
    const client = await makeSmartClient({ launch, configuration, calls, now });
    return await use({ launch, calls, client });
  } finally {
    calls.close();
  }
}

/** Compared letter by letter before anything is fetched: a launch must not choose whom the engine calls. */
function allowedLaunch({ settings: { launch } }: LoadedSite, issuer: string): LaunchSettings {
  if (launch === undefined || !launch.issuers.includes(issuer)) throw new LaunchRefused('issuer');
  return launch;
}

async function addressOf(order: Parameters<EhrSignIn['begin']>[0], { launch, client }: Work): Promise<URL> {
  const { issuer, redirectUri, state, nonce, verifier, launch: name } = order;
  return buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: askedScopes(launch, name !== undefined).join(' '),
    state,
    nonce,
    aud: issuer,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(name !== undefined && { launch: name }),
  });
}

/** `launch` asks for the context of a launch from the EHR, and means nothing without one. */
function askedScopes({ scopes }: LaunchSettings, isFromEhr: boolean): readonly string[] {
  return scopes.filter((scope) => isFromEhr || scope !== 'launch');
}

async function redeem(order: Parameters<EhrSignIn['finish']>[0], { client }: Work): Promise<Granted> {
  const { redirectUri, answer, state, nonce, verifier } = order;
  const cameTo = new URL(redirectUri);
  cameTo.search = String(answer);
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  try {
    return await authorizationCodeGrant(client, cameTo, checks);
  } catch (thrown) {
    throw toRefusal(thrown);
  }
}

function toRefusal(thrown: unknown): unknown {
  if (thrown instanceof AuthorizationResponseError) {
    return new LaunchRefused('denied', { fault: codeOf(thrown.error), cause: thrown });
  }
  if (thrown instanceof ResponseBodyError) return refusedByTokenServer(thrown);
  const own = ownError(thrown);
  if (own !== undefined) return own;
  if (!(thrown instanceof Error)) return thrown;
  return new LaunchRefused('token', { fault: codeOf((thrown as ClientError).code), cause: thrown });
}

function refusedByTokenServer(refusal: ResponseBodyError): AppError {
  const fault = codeOf(refusal.error);
  // A code that was used before, or has ended, or was given to another client.
  if (refusal.error === 'invalid_grant') return new LaunchRefused('attempt', { fault, cause: refusal });
  const why = `The EHR refuses the engine as a client (${fault}): check launch.clientId and its secret or key`;
  return new AppError('notConfigured', why, { cause: refusal });
}

/** The client wraps what the calls of this outlet throw. */
function ownError(thrown: unknown): AppError | undefined {
  for (let one = thrown; one instanceof Error; one = one.cause) if (one instanceof AppError) return one;
  return undefined;
}

function codeOf(text: string | undefined): string {
  return text !== undefined && /^[\w-]{1,60}$/.test(text) ? text : 'unknown';
}

async function clinicianOf(
  granted: Granted,
  { calls, client, fhirBase, now }: Work & { readonly fhirBase: string; readonly now: () => Date },
): Promise<EhrClinician> {
  const claims = granted.claims();
  if (claims === undefined) throw new LaunchRefused('token', { fault: 'no-id-token' });
  // The library does not look whether a token was made in the future.
  if (claims.iat * 1000 > now().getTime() + AHEAD_SECONDS * 1000) throw new LaunchRefused('token', { fault: 'iat' });
  // Without a scope in the answer all that was asked is granted (RFC 6749, section 5.1).
  const scopes = granted.scope?.split(' ');
  if (scopes !== undefined && !['openid', 'fhirUser'].every((scope) => scopes.includes(scope))) {
    throw new LaunchRefused('scopes', { fault: 'not-granted' });
  }
  const named = await readClinician(claims['fhirUser'], { calls, fhirBase, accessToken: granted.access_token });
  return present({
    ...named,
    // An EHR names its people by itself: it must not be able to name those of another one, or of the hospital's identity provider.
    identity: { issuer: `${fhirBase} ${client.serverMetadata().issuer}`, subject: claims.sub },
    encounter: contextOf(granted['encounter'], 'Encounter'),
    patient: contextOf(granted['patient'], 'Patient'),
  });
}

/** A bare id; some servers write a reference. */
function contextOf(value: unknown, type: 'Encounter' | 'Patient'): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const id = value.startsWith(`${type}/`) ? value.slice(type.length + 1) : value;
  if (!CONTEXT_ID.test(id)) throw new AppError('ehrAnswer', `The EHR opened an ${type} whose id is none`);
  return `${type}/${id}`;
}
