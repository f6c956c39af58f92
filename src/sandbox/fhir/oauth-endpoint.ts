// The token endpoint of the sandbox's EHR: systems get a token for themselves, and apps exchange the code of a launch. Errors have the form of
// RFC 6749.
import type { IncomingMessage } from 'node:http';
import type { AppTokens } from '../smart/app-tokens.ts';
import type { Answer } from './http-exchange.ts';
import { type ClientCheck, type OAuthProblem, oauthAnswer, oauthRefusal, readForm } from './oauth-client-check.ts';
import { GRANTED_SCOPE, type SandboxClient } from './oauth-clients.ts';
import type { Tokens } from './oauth-tokens.ts';

export type TokenEndpointParts = {
  readonly checkClient: ClientCheck;
  readonly tokens: Tokens;
  readonly appTokens: AppTokens;
  readonly lifeSeconds: number;
};

export type TokenEndpoint = (request: IncomingMessage) => Promise<Answer>;

const SCOPE = /^system\/(\*|[A-Z][A-Za-z]+)\.(\*|read|write|c?r?u?d?s?)$/;

export function makeTokenEndpoint({ checkClient, tokens, appTokens, lifeSeconds }: TokenEndpointParts): TokenEndpoint {
  const answerTo = (form: URLSearchParams, client: SandboxClient): object | OAuthProblem => {
    const problem = grantProblem(form, client);
    if (problem) return problem;
    const grant = form.get('grant_type');
    if (grant === 'authorization_code') return appTokens.exchange(form, client.clientId);
    if (grant === 'refresh_token') return appTokens.refresh(form, client.clientId);
    return {
      access_token: tokens.issue('system'),
      token_type: 'bearer',
      expires_in: lifeSeconds,
      scope: GRANTED_SCOPE,
    };
  };
  return async (request) => {
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
    const form = await readForm(request);
    if (!form) return oauthRefusal({ error: 'invalid_request', text: 'It is no form, or has a field twice' });
    const client = await checkClient(request, form);
    if ('error' in client) return oauthRefusal(client, request);
    const answer = answerTo(form, client);
    return isProblem(answer) ? oauthRefusal(answer) : oauthAnswer(answer);
  };
}

function isProblem(answer: object): answer is OAuthProblem {
  return 'error' in answer;
}

/** A client with a redirect is an app: it gets tokens by a launch only, and a system gets none by a launch. */
function grantProblem(form: URLSearchParams, { redirectUris }: SandboxClient): OAuthProblem | undefined {
  const grant = form.get('grant_type');
  if (grant === null) return { error: 'invalid_request', text: 'grant_type is missing' };
  const isOfApp = grant === 'authorization_code' || grant === 'refresh_token';
  if (!isOfApp && grant !== 'client_credentials') {
    return { error: 'unsupported_grant_type', text: 'Only authorization_code, refresh_token and client_credentials' };
  }
  if (isOfApp !== (redirectUris !== undefined)) {
    return { error: 'unauthorized_client', text: 'This client is registered for another grant' };
  }
  return isOfApp ? undefined : systemScopeProblem(form);
}

function systemScopeProblem(form: URLSearchParams): OAuthProblem | undefined {
  const scopes = (form.get('scope') ?? GRANTED_SCOPE).split(' ').filter((scope) => scope !== '');
  const isKnown = scopes.length > 0 && scopes.every((scope) => SCOPE.test(scope) && !scope.endsWith('.'));
  return isKnown ? undefined : { error: 'invalid_scope', text: 'Only scopes of system/' };
}
