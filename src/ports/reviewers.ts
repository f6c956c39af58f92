// Clinicians who may decide about drafts in the engine. Secrets come in as digests only.

export type Reviewer = {
  readonly id: string;
  readonly site: string;
  /** `Practitioner/7` or `PractitionerRole/7` in the EHR of that site: who verified it, in the chart. */
  readonly practitioner: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt?: Date;
};

export type Reviewers = {
  readonly create: (
    reviewer: Omit<Reviewer, 'createdAt' | 'revokedAt'> & { readonly secretDigest: Uint8Array },
  ) => Promise<Reviewer>;
  readonly find: (id: string) => Promise<(Reviewer & { readonly secretDigest: Uint8Array }) | undefined>;
  readonly list: (site?: string) => Promise<readonly Reviewer[]>;
  /** False where there is none. */
  readonly revoke: (id: string) => Promise<boolean>;
};
