// Tokens for scripts: each with roles, sites and an end.
import type { Purpose } from '../domain/people/purpose.ts';
import type { Grant, SiteScope } from '../domain/people/role.ts';

export type ServiceToken = {
  /** 16 hex digits. */
  readonly id: string;
  readonly label: string;
  readonly grants: readonly Grant[];
  /** For patient data; absent: the token reads none. */
  readonly purpose?: Purpose;
  /** The actor who made it. */
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt?: Date;
  readonly lastUsedAt?: Date;
};

/** Throws `overloaded` if the database cannot be reached. */
export type ServiceTokens = {
  readonly create: (
    token: Omit<ServiceToken, 'createdAt' | 'revokedAt' | 'lastUsedAt'> & { readonly secretDigest: Uint8Array },
  ) => Promise<ServiceToken>;
  /** Also one that has expired or was revoked. */
  readonly find: (id: string) => Promise<(ServiceToken & { readonly secretDigest: Uint8Array }) | undefined>;
  /** Tokens with a grant in the scope, the newest first. */
  readonly list: (scope: SiteScope) => Promise<readonly ServiceToken[]>;
  /** False if there is no such token. */
  readonly revoke: (id: string) => Promise<boolean>;
  /** To about 30 seconds. */
  readonly noteUse: (id: string) => Promise<void>;
};
