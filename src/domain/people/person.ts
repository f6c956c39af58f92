// A person with an account, and what the account is bound to.
import type { Grant } from './role.ts';

/** How the account came to be: an admin made it, the identity provider named the person, or an EHR opened the engine for a clinician. */
export type PersonOrigin = 'local' | 'oidc' | 'launch';

/** Roles from the claims of an identity provider are replaced at each sign-in; those of an admin or of a launch stay. */
export type GrantOrigin = 'admin' | 'claims' | 'launch';

export type PersonGrant = Grant & { readonly origin: GrantOrigin };

export type Person = {
  /** 16 hex digits. */
  readonly id: string;
  readonly name: string;
  /** For notices only. A person is never recognized by it. */
  readonly email?: string;
  readonly origin: PersonOrigin;
  readonly grants: readonly PersonGrant[];
  readonly createdAt: Date;
  readonly disabledAt?: Date;
  readonly lastSeenAt?: Date;
};

/** How an identity provider or an EHR names a person. Both parts together are unique for ever. */
export type Identity = { readonly issuer: string; readonly subject: string };
