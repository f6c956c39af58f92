// The API keys and plans that the operator issues. Secrets are passed as digests only.
import type { ApiKey } from '../domain/access/api-key.ts';
import type { Plan } from '../domain/access/plan.ts';

export type StoredKey = ApiKey & { readonly secretDigest: Uint8Array };

export type NewKey = {
  readonly id: string;
  readonly secretDigest: Uint8Array;
  readonly organization: string;
  readonly plan: string;
  readonly label?: string;
  readonly expiresAt?: Date;
};

export type Keys = {
  /** Throws `notFound` if the plan does not exist. */
  create(key: NewKey): Promise<ApiKey>;
  find(id: string): Promise<StoredKey | undefined>;
  /** Newest first. */
  list(page: {
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<{ readonly keys: readonly ApiKey[]; readonly next?: string }>;
  /**
   * One transaction: the new key inherits organization, plan and label; the old key ends at `overlapEndsAt` at the latest. Throws `notFound`,
   * and `conflict` for a key that was revoked or has expired.
   */
  rotate(id: string, successor: Pick<NewKey, 'id' | 'secretDigest'>, overlapEndsAt: Date): Promise<ApiKey>;
  /** False if there is no such key. Revoking twice is no error. */
  revoke(id: string): Promise<boolean>;
  /** Returns the ids among these that are not valid any more: revoked, expired or deleted. */
  findEnded(ids: readonly string[]): Promise<readonly string[]>;
  noteUse(id: string): Promise<void>;
};

export type Plans = {
  put(plan: Plan): Promise<Plan>;
  find(name: string): Promise<Plan | undefined>;
  list(): Promise<readonly Plan[]>;
};
