// Checks the token of a request to the sandbox's EHR. A system may do everything, and an app what its scopes allow.
import type { IncomingMessage } from 'node:http';
import type { AppGrant, Expiring } from '../smart/app-grant.ts';
import type { Answer } from './http-exchange.ts';
import { outcome } from './outcomes.ts';

export type Tokens = Expiring<'system' | AppGrant>;

/** The app that a request comes from, `system` for any other client, or the reason to refuse it. */
export type Bearer = 'system' | AppGrant | { readonly refusal: Answer };

export function bearerOf(
  { headers: { authorization } }: IncomingMessage,
  { tokens, isOpen }: { readonly tokens: Tokens; readonly isOpen: boolean },
): Bearer {
  if (authorization === undefined) return isOpen ? 'system' : unauthorized('Bearer');
  const token = /^Bearer +([^ ]+)$/i.exec(authorization)?.[1];
  return (token === undefined ? undefined : tokens.find(token)) ?? unauthorized('Bearer error="invalid_token"');
}

function unauthorized(challenge: string): { readonly refusal: Answer } {
  const body = outcome('login', 'Unauthorized');
  return { refusal: { status: 401, headers: { 'www-authenticate': challenge }, body } };
}
