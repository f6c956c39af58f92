// Failed sign-ins: slowed down by address, and kept in the audit trail with door and address, never with what was typed.
import { makeKeepRefusal, type RefusalParts } from '../server/keep-refusal.ts';

export type SignInDoor = 'provider' | 'provider-logout' | 'link' | 'passkey' | 'password' | 'device';

export type RefusedSignIns = {
  /** Throws `authThrottled` after too many of this address. */
  readonly note: (address: string, door: SignInDoor) => Promise<void>;
};

export function makeRefusedSignIns(parts: RefusalParts): RefusedSignIns {
  const tooMany = 'Too many sign-ins have failed from this address: wait a minute and try again';
  const keep = makeKeepRefusal(parts, { what: 'sign-in', tooMany });
  return {
    note: (address, door) => keep(address, { action: 'person.sign-in-refused', details: { door, address } }),
  };
}
