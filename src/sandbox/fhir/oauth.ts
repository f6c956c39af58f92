// The OAuth part of the sandbox's EHR: the token endpoint, the sign-in of apps, and the check of tokens.
import type { IncomingMessage } from 'node:http';
import { type AppGrant, makeExpiring } from '../smart/app-grant.ts';
import type { HospitalPeople } from '../smart/hospital-people.ts';
import { makeSmartServer, type SmartServer } from '../smart/smart-server.ts';
import type { Answer } from './http-exchange.ts';
import { makeClientCheck } from './oauth-client-check.ts';
import { type SandboxClient, tokenUrlOf } from './oauth-clients.ts';
import { makeTokenEndpoint } from './oauth-endpoint.ts';
import { type Bearer, bearerOf } from './oauth-tokens.ts';

export type OAuth = Pick<SmartServer, 'launch' | 'rotateKey' | 'signCall'> & {
  /** Answers the requests that need no token; undefined for all others. */
  readonly answer: (request: IncomingMessage, path: string, query: string) => Promise<Answer> | undefined;
  readonly bearerOf: (request: IncomingMessage) => Bearer;
  /** Ends all sign-ins of apps. */
  readonly clear: () => void;
};

export type OAuthParts = {
  readonly clients: () => readonly SandboxClient[];
  /** True: requests without a token are accepted. */
  readonly isOpen: boolean;
  readonly tokenSeconds: number;
  readonly people: HospitalPeople;
  readonly baseUrl: () => string;
  readonly now: () => Date;
};

export function makeOAuth({ clients, isOpen, tokenSeconds: lifeSeconds, people, baseUrl, now }: OAuthParts): OAuth {
  const tokens = makeExpiring<'system' | AppGrant>({ now, lifeSeconds });
  const checkClient = makeClientCheck({ clients, tokenUrl: () => tokenUrlOf(baseUrl()), now });
  const smart = makeSmartServer({ clients, checkClient, tokens, lifeSeconds, people, baseUrl, now });
  const endpoint = makeTokenEndpoint({ checkClient, tokens, appTokens: smart.appTokens, lifeSeconds });
  return {
    answer: (request, path, query) =>
      path === 'oauth2/token' ? endpoint(request) : smart.answer(request, path, query),
    bearerOf: (request) => bearerOf(request, { tokens, isOpen }),
    launch: smart.launch,
    rotateKey: smart.rotateKey,
    signCall: smart.signCall,
    clear: smart.appTokens.clear,
  };
}
