// The text of a session: its id and its secret. Only the digest of the secret is stored.

/** `<id>_<secret>`, in a cookie, or with `ps_` before it as a bearer. */
const SESSION = /^(?:ps_)?([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export function splitSession(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = SESSION.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}
