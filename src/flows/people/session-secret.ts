// The secret of a session: 32 random bytes as base64url. Only its digest is stored.
import type { Runtime } from '../../ports/runtime.ts';

const SECRET_BYTES = 32;

export function makeSessionSecret({ makeSecret }: Pick<Runtime, 'makeSecret'>): string {
  return Buffer.from(makeSecret(SECRET_BYTES)).toString('base64url');
}
