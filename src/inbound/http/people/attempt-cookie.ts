// The cookie that binds a sign-in under way to the browser that began it.
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { cookieOf } from './session-cookie.ts';

const NAME = '__Host-chartwright-attempt';
const LIFE_SECONDS = 600;
/** Lax, because the provider sends the browser back from its own site. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

export function attemptCookieOf(req: Pick<IncomingMessage, 'headers'>): string | undefined {
  return cookieOf(req, NAME);
}

export function setAttemptCookie(res: Response, value: string): void {
  res.appendHeader('set-cookie', `${NAME}=${value}; Max-Age=${LIFE_SECONDS}; ${ATTRIBUTES}`);
}

export function clearAttemptCookie(res: Response): void {
  res.appendHeader('set-cookie', `${NAME}=; Max-Age=0; ${ATTRIBUTES}`);
}
