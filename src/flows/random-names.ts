// Random ids and secrets as texts.
import type { Runtime } from '../ports/runtime.ts';

type Random = Pick<Runtime, 'makeSecret'>;

const ID_BYTES = 8;
const SECRET_BYTES = 32;

/** 16 hex digits. It is no secret. */
export function randomId({ makeSecret }: Random): string {
  return Buffer.from(makeSecret(ID_BYTES)).toString('hex');
}

/** 256 bits in base64url: 43 characters. */
export function randomSecret({ makeSecret }: Random): string {
  return Buffer.from(makeSecret(SECRET_BYTES)).toString('base64url');
}
