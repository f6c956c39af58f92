// Answers by Idempotency-Key: the first answer to a key of a caller is kept for a day, encrypted, for all engines on one database. A request that
// is being worked on holds its key for as long as its engine renews it.
import type { Operation } from '../domain/access/usage.ts';

/** Which key of which caller. The client's key may be made of anything, also of a patient's number: it is never stored as it is. */
export type KeyedPlace = { readonly keyId: string; readonly clientKey: string };

export type KeptAnswer = {
  readonly operation: Operation;
  /** A hash of the body of the request. */
  readonly bodyDigest: string;
  /** What the door makes the same answer of again. */
  readonly answer: string;
};

export type KeyedClaim =
  /** The claimer works on the request now. */
  | { readonly kind: 'mine' }
  /** Another request with the same key is being worked on. */
  | { readonly kind: 'working' }
  | { readonly kind: 'answered'; readonly kept: KeptAnswer };

export type KeyedAnswers = {
  /** One of several claims at once gets a key that is new, was given up, or whose engine has died. `holder` is a UUID of the claimer. */
  claim(place: KeyedPlace, holder: string, operation: Operation): Promise<KeyedClaim>;
  /** Holds the key for another 30 seconds. False if another claimer has it. */
  renew(place: KeyedPlace, holder: string): Promise<boolean>;
  /** Keeps the answer for 24 hours from now. False, without keeping it, if another claimer has the key. */
  keep(place: KeyedPlace, holder: string, kept: KeptAnswer): Promise<boolean>;
  /** Gives the key up without an answer: the next request with it is worked on. */
  release(place: KeyedPlace, holder: string): Promise<void>;
  /** Deletes what is over, and of an API key that keeps too much the oldest answers; returns how many. Call it on a timer. */
  sweep(): Promise<number>;
};
