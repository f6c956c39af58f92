// The cookies of signed-in people. `__Host-` binds a cookie to this host and to https, which browsers also grant to addresses of this machine.
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';

/** A page of the EHR that frames the engine needs a cookie of its own: browsers keep it apart for each framing site. */
export const SESSION_COOKIES = { browser: '__Host-chartwright', frame: '__Host-chartwright-frame' } as const;
export type CookieKind = keyof typeof SESSION_COOKIES;

/** The value of the first of these cookies that is there. A cookie that is given twice counts as absent. */
export function sessionCookieOf(req: Pick<IncomingMessage, 'headers'>): string | undefined {
  return cookieOf(req, SESSION_COOKIES.browser) ?? cookieOf(req, SESSION_COOKIES.frame);
}

export function cookieOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  return values.length === 1 && value !== undefined && /^[\w-]{1,200}$/.test(value) ? value : undefined;
}

/** A session's cookie has no end of its own: the server ends the session. */
export function setSessionCookie(res: Response, kind: CookieKind, value: string): void {
  res.appendHeader('set-cookie', `${SESSION_COOKIES[kind]}=${value}; ${attributesOf(kind)}`);
}

export function clearSessionCookie(res: Response, kind: CookieKind): void {
  res.appendHeader('set-cookie', `${SESSION_COOKIES[kind]}=; Max-Age=0; ${attributesOf(kind)}`);
}

function attributesOf(kind: CookieKind): string {
  const base = 'Path=/; Secure; HttpOnly';
  return kind === 'frame' ? `${base}; SameSite=None; Partitioned` : `${base}; SameSite=Lax`;
}
