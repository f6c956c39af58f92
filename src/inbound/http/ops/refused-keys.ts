// Wrong keys of people and scrapers: throttled by address, and kept in the audit trail with the address, never with the key.
import { makeKeepRefusal, type RefusalParts } from '../server/keep-refusal.ts';

export type RefusedKeys = {
  /** `at`: what the key should have opened. Throws `authThrottled` after too many of this address. */
  readonly note: (address: string, at: '/ops' | 'status') => Promise<void>;
};

export function makeRefusedKeys(parts: RefusalParts): RefusedKeys {
  const keep = makeKeepRefusal(parts, { what: 'key' });
  return { note: (address, at) => keep(address, { action: 'key.refused', details: { address, at } }) };
}
