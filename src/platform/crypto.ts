// Encryption of stored data: AES-256-GCM in numbered chunks, so that a flipped, cut, swapped or foreign chunk is refused.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NO_MARK = new Uint8Array();

/** How many bytes a sealed chunk is longer than its plain text. */
export const SEAL_OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

export type ChunkPlace = {
  /** What the bytes belong to: organization, kind, id. The same context is needed to open them. */
  readonly context: string;
  /** Position among the chunks, from 0. */
  readonly index: number;
  readonly isLast: boolean;
};

/** A key of its own for each purpose, from the one master key. */
export function deriveKey(masterKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(), `chartwright:${purpose}`, 32));
}

/** Nonce, cipher text and tag in one piece, behind `mark` if there is one. */
export function sealChunk(
  key: Uint8Array,
  plain: Uint8Array,
  place: ChunkPlace,
  mark: Uint8Array = NO_MARK,
): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), nonce);
  cipher.setAAD(placeBytes(place));
  return Buffer.concat([mark, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if the chunk was changed, cut, moved or sealed with another key. */
export function openChunk(key: Uint8Array, sealed: Uint8Array, place: ChunkPlace): Uint8Array<ArrayBuffer> {
  if (sealed.length < SEAL_OVERHEAD_BYTES) throw new Error('a sealed chunk is too short');
  const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(placeBytes(place));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)), decipher.final()]);
}

const keyObjects = new WeakMap<Uint8Array, KeyObject>();

/** Made once for each key: from bytes the cipher would make it for each chunk, which takes longer than a short chunk itself. */
function keyObjectOf(key: Uint8Array): KeyObject {
  const known = keyObjects.get(key);
  if (known !== undefined) return known;
  const made = createSecretKey(key);
  keyObjects.set(key, made);
  return made;
}

function placeBytes({ context, index, isLast }: ChunkPlace): Uint8Array {
  return Buffer.from(JSON.stringify([context, index, isLast]));
}
