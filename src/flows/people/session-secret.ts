// The secret of a session: 32 random bytes as base64url. Only its digest is stored.
import type { Runtime } from '../../ports/runtime.ts';

const SECRET_BYTES = 32;

export function makeSessionSecret({ makeSecret }: Pick<Runtime, 'makeSecret'>): string {
  return Buffer.from(makeSecret(SECRET_BYTES)).toString('base64url');
}

/** `<id>_<secret>`, in a cookie, or with `ps_` before it as a bearer. */
const SESSION = /^(?:ps_)?([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export function splitSession(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = SESSION.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}
