// The EHR as a SMART App Launch 2.2 authorization server: apps sign people in, and get tokens for the chart from which they were launched.
import type { IncomingMessage } from 'node:http';
import type { Answer } from '../fhir/http-exchange.ts';
import { type ClientCheck, oauthAnswer, oauthRefusal, readForm } from '../fhir/oauth-client-check.ts';
import { openIdConfigurationOf, type SandboxClient, smartConfigurationOf } from '../fhir/oauth-clients.ts';
import type { Tokens } from '../fhir/oauth-tokens.ts';
import type { LaunchContext } from './app-grant.ts';
import { type AppTokens, makeAppTokens } from './app-tokens.ts';
import { makeAuthorize } from './authorize.ts';
import type { HospitalPeople } from './hospital-people.ts';
import { makeSigningKey, type SigningKey } from './signing-key.ts';

export type SmartServer = {
  readonly appTokens: AppTokens;
  /** Answers the requests that need no token; undefined for all others. */
  readonly answer: (request: IncomingMessage, path: string, query: string) => Promise<Answer> | undefined;
  /** Returns the value of the `launch` parameter for an app that is opened in this chart. */
  readonly launch: (context: LaunchContext) => string;
  readonly rotateKey: SigningKey['rotate'];
  /** Signs a JWT with which the EHR calls a service. Its key is published apart from those of ID tokens. */
  readonly signCall: SigningKey['sign'];
};

export type SmartServerParts = {
  readonly clients: () => readonly SandboxClient[];
  readonly checkClient: ClientCheck;
  readonly tokens: Tokens;
  readonly lifeSeconds: number;
  readonly people: HospitalPeople;
  readonly baseUrl: () => string;
  readonly now: () => Date;
};

export function makeSmartServer(parts: SmartServerParts): SmartServer {
  const { baseUrl, checkClient, people } = parts;
  const signingKey = makeSigningKey('RS256');
  const callKey = makeSigningKey('ES384');
  const appTokens = makeAppTokens({ ...parts, signingKey, nameOf: people.nameOf });
  const { answer: authorize, launch } = makeAuthorize({ ...parts, appTokens });

  async function introspect(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
    const form = await readForm(request);
    if (!form) return oauthRefusal({ error: 'invalid_request', text: 'It is no form, or has a field twice' });
    const client = await checkClient(request, form);
    if ('error' in client) return oauthRefusal(client, request);
    return oauthAnswer(appTokens.introspect(form, client.clientId));
  }

  /** What is published, by its path below the FHIR server. */
  const published: Readonly<Record<string, () => object>> = {
    '.well-known/smart-configuration': () => smartConfigurationOf(baseUrl()),
    'oauth2/.well-known/openid-configuration': () => openIdConfigurationOf(baseUrl()),
    'oauth2/jwks': signingKey.jwks,
    'cds/jwks': callKey.jwks,
  };

  return {
    appTokens,
    launch,
    rotateKey: signingKey.rotate,
    signCall: callKey.sign,
    answer(request, path, query) {
      const publish = Object.hasOwn(published, path) ? published[path] : undefined;
      if (publish && request.method === 'GET') return Promise.resolve(asJson(publish()));
      if (path === 'oauth2/authorize') return authorize(request, query);
      return path === 'oauth2/introspect' ? introspect(request) : undefined;
    },
  };
}

function asJson(body: object): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
