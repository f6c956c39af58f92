// A clinician as the decider of a review, from the account that signs.
import type { Reviewer } from '../../src/ports/reviewers.ts';

export function clinicianOf({ id, name, site, practitioner }: Pick<Reviewer, 'id' | 'name' | 'site' | 'practitioner'>) {
  return { kind: 'clinician', actor: `reviewer/${id}`, name, signsAs: [{ site, practitioner }] } as const;
}

/** For reviews of drafts that are not claimed. */
export const NO_CLAIMS = { findClaim: async () => undefined, release: async () => false };
