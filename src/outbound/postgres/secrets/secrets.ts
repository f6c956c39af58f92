// What the stores encrypt and hash with. Values are sealed under a data key, whose number is in front of each; hashes have a key that never
// changes, because they are compared with stored ones. All these keys are stored, sealed under the master key (`stored-keys.ts`).
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import { type ChunkPlace, deriveKey, openChunk, sealChunk } from '../../../platform/crypto.ts';

/** Encrypts values for one purpose: what is sealed for another one, or for another place, is not opened. */
export type Sealing = {
  readonly seal: (plain: Uint8Array, place: ChunkPlace) => Buffer;
  /**
   * Undefined if the bytes were changed or sealed for another place. Throws `overloaded` if they have a data key that this process has not
   * read yet.
   */
  readonly open: (sealed: Uint8Array, place: ChunkPlace) => Buffer | undefined;
};

export type Digest = (...texts: readonly string[]) => Buffer;

export type Secrets = {
  readonly sealing: (purpose: string) => Sealing;
  /** A keyed hash of texts, so that nothing can be guessed from it. */
  readonly digest: (purpose: string) => Digest;
  readonly auditKey: KeyObject;
};

/** The number of the data key of values that have no mark: the master key of a database that version 0.2.0 or an earlier one began. */
export const UNMARKED = 0;

export type SecretKeys = {
  /** By their numbers. */
  readonly data: ReadonlyMap<number, Uint8Array>;
  /** The number of the data key that seals. */
  readonly current: number;
  readonly digests: Uint8Array;
  /** Keyed the hashes of events in a database that an earlier version began. They are hashed once more. */
  readonly formerDigests?: Uint8Array;
  readonly audit: Uint8Array;
};

const MARK = Buffer.from('cws\x01', 'latin1');
export const MARK_BYTES = MARK.length + 4;
/** The purpose for which `formerDigests` was used. */
export const EVENT_DIGESTS = 'inbox-keys';

/** The first bytes of what is sealed under this data key. */
export function markOf(number: number): Buffer {
  const mark = Buffer.alloc(MARK_BYTES);
  MARK.copy(mark);
  mark.writeUInt32BE(number, MARK.length);
  return mark;
}

/** `keys` is called at each use: they change while the engine works. */
export function makeSecrets(keys: () => SecretKeys): Secrets {
  return {
    sealing: (purpose) => makeSealing(keys, purpose),
    digest: (purpose) => makeDigest(keys(), purpose),
    auditKey: createSecretKey(keys().audit),
  };
}

function makeSealing(keys: () => SecretKeys, purpose: string): Sealing {
  const derived = new WeakMap<Uint8Array, Uint8Array>();
  const keyOf = (number: number): Uint8Array | undefined => {
    const dataKey = keys().data.get(number);
    if (dataKey === undefined) return undefined;
    const known = derived.get(dataKey);
    if (known !== undefined) return known;
    const made = deriveKey(dataKey, purpose);
    derived.set(dataKey, made);
    return made;
  };
  return {
    seal(plain, place) {
      const { current } = keys();
      const key = keyOf(current);
      if (key === undefined) throw new AppError('internal', 'There is no data key to seal with');
      const { buffer, byteOffset, byteLength } = sealChunk(key, plain, place, markOf(current));
      return Buffer.from(buffer, byteOffset, byteLength);
    },
    open(sealed, place) {
      const number = numberIn(sealed);
      const key = number === undefined ? undefined : keyOf(number);
      const opened = key && tryToOpen(key, sealed.subarray(MARK_BYTES), place);
      if (opened !== undefined) return opened;
      // A value without a mark begins with random bytes, which may look like one.
      const former = keyOf(UNMARKED);
      const old = former && tryToOpen(former, sealed, place);
      if (old === undefined && number !== undefined && key === undefined) throw unknownKey();
      return old;
    },
  };
}

/** Undefined if there is no mark. */
function numberIn(sealed: Uint8Array): number | undefined {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < MARK_BYTES || !bytes.subarray(0, MARK.length).equals(MARK)) return undefined;
  return bytes.readUInt32BE(MARK.length);
}

function tryToOpen(key: Uint8Array, sealed: Uint8Array, place: ChunkPlace): Buffer | undefined {
  try {
    const { buffer, byteOffset, byteLength } = openChunk(key, sealed, place);
    return Buffer.from(buffer, byteOffset, byteLength);
  } catch {
    return undefined;
  }
}

function unknownKey(): AppError {
  return new AppError('overloaded', 'The master key is being replaced: try again in a moment', {
    retryAfterSeconds: 2,
  });
}

function makeDigest({ digests, formerDigests }: SecretKeys, purpose: string): Digest {
  // The key objects are made once: making one for each hash would take longer than the hash.
  const key = createSecretKey(deriveKey(digests, purpose));
  const former = purpose === EVENT_DIGESTS && formerDigests !== undefined ? createSecretKey(formerDigests) : undefined;
  return (...texts) => {
    const text = JSON.stringify(texts);
    return createHmac('sha256', key)
      .update(former === undefined ? text : createHmac('sha256', former).update(text).digest())
      .digest();
  };
}

/** Returns what makes the hash of an event, as an earlier version stored it, into the one that is stored now. */
export function makeRehash({ digests }: SecretKeys): (former: Uint8Array) => Buffer {
  const key = createSecretKey(deriveKey(digests, EVENT_DIGESTS));
  return (former) => createHmac('sha256', key).update(former).digest();
}
