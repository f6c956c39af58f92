// Storage of deliveries: what runs have, the key that encrypts bodies, and keyed hashes in place of what identifies an event.
import { EVENT_DIGESTS, type Sealing } from '../secrets/secrets.ts';
import { makeRunStorage, type RunParts, type RunStorage } from './run-storage.ts';

export type InboxStorage = RunStorage & {
  /** A keyed hash of texts; the kind keeps hashes of equal texts apart. `aside`: a quarantined delivery. */
  readonly hash: (kind: 'key' | 'content' | 'reused' | 'aside', ...texts: readonly string[]) => Buffer;
  readonly bodies: Sealing;
};

export function makeInboxStorage(parts: RunParts): InboxStorage {
  return {
    ...makeRunStorage(parts),
    bodies: parts.secrets.sealing('inbox-bodies'),
    hash: parts.secrets.digest(EVENT_DIGESTS),
  };
}
