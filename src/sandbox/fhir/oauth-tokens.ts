// The tokens of the sandbox's EHR: opaque texts that expire and that are lost when the process ends.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Answer } from './http-exchange.ts';
import { outcome } from './outcomes.ts';

export type Tokens = {
  readonly issue: () => string;
  readonly isGood: (token: string) => boolean;
};

export function makeTokens({ now, lifeSeconds }: { readonly now: () => Date; readonly lifeSeconds: number }): Tokens {
  const endsAtMs = new Map<string, number>();
  const isGood = (token: string) => (endsAtMs.get(token) ?? 0) > now().getTime();
  return {
    isGood,
    issue: () => {
      for (const token of endsAtMs.keys()) if (!isGood(token)) endsAtMs.delete(token);
      const token = randomBytes(32).toString('base64url');
      endsAtMs.set(token, now().getTime() + lifeSeconds * 1000);
      return token;
    },
  };
}

/** Returns the reason to refuse a request. `isOpen`: a request without a token is accepted. */
export function tokenRefusal(
  { headers: { authorization } }: IncomingMessage,
  { tokens, isOpen }: { readonly tokens: Tokens; readonly isOpen: boolean },
): Answer | undefined {
  if (authorization === undefined) return isOpen ? undefined : unauthorized('Bearer');
  const token = /^Bearer +([^ ]+)$/i.exec(authorization)?.[1];
  return token !== undefined && tokens.isGood(token) ? undefined : unauthorized('Bearer error="invalid_token"');
}

function unauthorized(challenge: string): Answer {
  return { status: 401, headers: { 'www-authenticate': challenge }, body: outcome('login', 'Unauthorized') };
}
