// The OAuth part of the sandbox's EHR: the token endpoint, smart-configuration, and the check of tokens.
import type { IncomingMessage } from 'node:http';
import type { Answer } from './http-exchange.ts';
import { type SandboxClient, smartConfigurationOf, tokenUrlOf } from './oauth-clients.ts';
import { makeTokenEndpoint } from './oauth-endpoint.ts';
import { makeTokens, tokenRefusal } from './oauth-tokens.ts';

export type OAuth = {
  /** Answers the requests that need no token; undefined for all others. */
  readonly answer: (request: IncomingMessage, path: string) => Promise<Answer> | undefined;
  readonly refusalOf: (request: IncomingMessage) => Answer | undefined;
};

export type OAuthParts = {
  readonly clients: readonly SandboxClient[];
  /** True: requests without a token are accepted. */
  readonly isOpen: boolean;
  readonly tokenSeconds: number;
  readonly baseUrl: () => string;
  readonly now: () => Date;
};

export function makeOAuth({ clients, isOpen, tokenSeconds: lifeSeconds, baseUrl, now }: OAuthParts): OAuth {
  const tokens = makeTokens({ now, lifeSeconds });
  const endpoint = makeTokenEndpoint({ clients, tokens, tokenUrl: () => tokenUrlOf(baseUrl()), lifeSeconds, now });
  return {
    answer: (request, path) => {
      if (path === 'oauth2/token') return endpoint(request);
      if (path !== '.well-known/smart-configuration' || request.method !== 'GET') return undefined;
      return Promise.resolve({ status: 200, body: smartConfigurationOf(baseUrl()) });
    },
    refusalOf: (request) => tokenRefusal(request, { tokens, isOpen }),
  };
}
