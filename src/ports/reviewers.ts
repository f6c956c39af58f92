// Clinicians who may decide about drafts in the engine. Secrets are passed as digests only.
import type { SiteScope } from '../domain/people/role.ts';

export type Reviewer = {
  readonly id: string;
  readonly site: string;
  /** `Practitioner/7` or `PractitionerRole/7` in the EHR of the site: the chart names it as the verifier. */
  readonly practitioner: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date;
};

export type Reviewers = {
  readonly create: (
    reviewer: Omit<Reviewer, 'createdAt' | 'revokedAt'> & { readonly secretDigest: Uint8Array },
  ) => Promise<Reviewer>;
  /** Undefined also for a reviewer outside of the scope. */
  readonly find: (
    id: string,
    scope: SiteScope,
  ) => Promise<(Reviewer & { readonly secretDigest: Uint8Array }) | undefined>;
  readonly list: (scope: SiteScope) => Promise<readonly Reviewer[]>;
  /** False if there is no such reviewer. */
  readonly revoke: (id: string) => Promise<boolean>;
};
