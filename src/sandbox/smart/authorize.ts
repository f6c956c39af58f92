// The authorize endpoint of the sandbox's EHR: it checks the request of an app, asks who the person is if the launch does not say it, and sends the
// browser back with a code. Errors go to the app only if the client and its redirect are known.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Answer } from '../fhir/http-exchange.ts';
import { readForm } from '../fhir/oauth-client-check.ts';
import { issuerOf, type SandboxClient } from '../fhir/oauth-clients.ts';
import type { AppGrant, LaunchContext } from './app-grant.ts';
import { makeExpiring } from './app-grant.ts';
import type { AppTokens, CodeRequest } from './app-tokens.ts';
import { choicePage, refusalPage } from './authorize-page.ts';
import type { HospitalPeople } from './hospital-people.ts';
import { grantedScopes } from './smart-scopes.ts';

export type Authorize = {
  readonly answer: (request: IncomingMessage, query: string) => Promise<Answer>;
  /** Returns the value of the `launch` parameter. It is good once, and for ten minutes. */
  readonly launch: (context: LaunchContext) => string;
};

export type AuthorizeParts = {
  readonly clients: () => readonly SandboxClient[];
  readonly appTokens: Pick<AppTokens, 'issueCode'>;
  readonly people: HospitalPeople;
  readonly baseUrl: () => string;
  readonly now: () => Date;
};

type AppRequest = CodeRequest & {
  readonly clientId: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly context: LaunchContext;
  /** The app has to learn for which visit it is. */
  readonly needsVisit: boolean;
};

type Refusal = { readonly error: string; readonly text: string };
type Returning = { readonly redirectUri: string; readonly state: string };

const LAUNCH_SECONDS = 600;
const CHOICE_SECONDS = 600;

export function makeAuthorize({ clients, appTokens, people, baseUrl, now }: AuthorizeParts): Authorize {
  const launches = makeExpiring<LaunchContext>({ now, lifeSeconds: LAUNCH_SECONDS });
  const pending = makeExpiring<AppRequest>({ now, lifeSeconds: CHOICE_SECONDS });

  function begin(given: URLSearchParams): Answer {
    const clientId = given.get('client_id');
    const redirectUri = given.get('redirect_uri') ?? '';
    const client = clients().find((one) => one.clientId === clientId);
    if (client?.redirectUris === undefined) return refusalPage('the app is not registered here');
    if (!client.redirectUris.includes(redirectUri))
      return refusalPage('the address of the app is not the registered one');
    const returning = { redirectUri, state: given.get('state') ?? '' };
    const refusal = requestProblem(given, baseUrl());
    if (refusal) return sentBack(returning, refusal);
    const scopes = grantedScopes(given.get('scope') ?? '');
    const context = scopes.includes('launch') ? launches.take(given.get('launch') ?? '') : {};
    if (context === undefined) {
      return sentBack(returning, { error: 'invalid_request', text: 'The launch is not known, or has ended' });
    }
    const nonce = given.get('nonce');
    const request: AppRequest = {
      ...returning,
      clientId: client.clientId,
      challenge: given.get('code_challenge') ?? '',
      ...(nonce !== null && { nonce }),
      scopes,
      context,
      needsVisit: context.encounter === undefined && scopes.some((scope) => scope.startsWith('launch/')),
    };
    const { practitioner } = context;
    if (practitioner !== undefined && !request.needsVisit) return allow(request, { ...context, practitioner });
    return choicePage({
      request: pending.issue(request),
      clientId: client.clientId,
      redirectUri,
      action: `${issuerOf(baseUrl())}/authorize`,
      practitioners: people.practitioners(),
      visits: request.needsVisit ? people.visits() : [],
    });
  }

  async function choose(message: IncomingMessage): Promise<Answer> {
    const form = await readForm(message);
    const request = form === undefined ? undefined : pending.take(form.get('request') ?? '');
    if (form === undefined || request === undefined) return refusalPage('the page was used before, or is too old');
    if (form.get('decision') !== 'allow') {
      return sentBack(request, { error: 'access_denied', text: 'The person has cancelled' });
    }
    const practitioner = form.get('practitioner') ?? '';
    const visit = request.needsVisit ? people.visit(form.get('encounter') ?? '') : request.context;
    if (visit === undefined || !people.practitioners().some(({ id }) => id === practitioner)) {
      return sentBack(request, { error: 'access_denied', text: 'This person or visit is not known here' });
    }
    return allow(request, { ...request.context, ...visit, practitioner });
  }

  function allow(request: AppRequest, context: LaunchContext & { readonly practitioner: string }): Answer {
    const { clientId, scopes, redirectUri, state } = request;
    const grant: AppGrant = { ...context, clientId, scopes, family: randomUUID() };
    return redirected(redirectUri, { code: appTokens.issueCode(grant, request), state });
  }

  return {
    launch: (context) => launches.issue(context),
    answer(message, query) {
      if (message.method === 'POST') return choose(message);
      if (message.method !== 'GET') return Promise.resolve({ status: 405, headers: { allow: 'GET, POST' } });
      const given = new URLSearchParams(query);
      const isTwice = [...given.keys()].some((name) => given.getAll(name).length > 1);
      return Promise.resolve(isTwice ? refusalPage('a parameter is there twice') : begin(given));
    },
  };
}

function requestProblem(given: URLSearchParams, baseUrl: string): Refusal | undefined {
  const invalid = (text: string): Refusal => ({ error: 'invalid_request', text });
  if (given.has('request') || given.has('request_uri')) {
    return { error: 'request_not_supported', text: 'Only plain parameters' };
  }
  if (given.get('response_type') !== 'code') return { error: 'unsupported_response_type', text: 'Only code' };
  if (!given.get('state')) return invalid('state is missing');
  if (given.get('aud')?.replace(/\/$/, '') !== baseUrl) return invalid('aud must be the address of the FHIR server');
  if (given.get('code_challenge_method') !== 'S256') return invalid('code_challenge_method must be S256');
  if (!/^[A-Za-z0-9_-]{43}$/.test(given.get('code_challenge') ?? '')) return invalid('code_challenge is no S256 hash');
  const scopes = grantedScopes(given.get('scope') ?? '');
  if (scopes.length === 0) return { error: 'invalid_scope', text: 'No scope of this hospital' };
  if (given.has('launch') !== scopes.includes('launch')) return invalid('launch and its scope go together');
  return undefined;
}

function sentBack({ redirectUri, state }: Returning, { error, text }: Refusal): Answer {
  return redirected(redirectUri, { error, error_description: text, ...(state !== '' && { state }) });
}

function redirected(redirectUri: string, parameters: Readonly<Record<string, string>>): Answer {
  const target = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  const headers = { location: target.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 303, headers };
}
