// Storage of deliveries: what runs have, the key that encrypts bodies, and keyed hashes in place of what identifies an event.
import { createHmac, createSecretKey } from 'node:crypto';
import { deriveKey } from '../../../platform/crypto.ts';
import { makeRunStorage, type RunParts, type RunStorage } from './run-storage.ts';

export type InboxStorage = RunStorage & {
  /** A keyed hash of texts; the kind keeps hashes of equal texts apart. `aside`: a quarantined delivery. */
  readonly hash: (kind: 'key' | 'content' | 'reused' | 'aside', ...texts: readonly string[]) => Buffer;
  readonly bodyKey: Uint8Array;
};

export function makeInboxStorage(parts: RunParts): InboxStorage {
  // The key object is made once: making it for each hash would take longer than the hash.
  const hashKey = createSecretKey(deriveKey(parts.masterKey, 'inbox-keys'));
  return {
    ...makeRunStorage(parts),
    bodyKey: deriveKey(parts.masterKey, 'inbox-bodies'),
    hash: (...texts) => createHmac('sha256', hashKey).update(JSON.stringify(texts)).digest(),
  };
}
