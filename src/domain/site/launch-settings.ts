// How clinicians come in from the EHR of a site: SMART App Launch, from `launch:` of its site.yaml.
import type { SignatureAlgorithm } from '../people/signature-algorithms.ts';

export type LaunchSettings = {
  readonly clientId: string;
  /** How the engine proves to the EHR who it is: by a secret, or by assertions that it signs. */
  readonly client:
    | { readonly kind: 'secret'; readonly clientSecret: string }
    | { readonly kind: 'key'; readonly privateKey: string; readonly kid?: string };
  /** The FHIR addresses from which a launch may come, letter by letter as the EHR writes them. All are of this site's EHR. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  /** A Practitioner without an account becomes a reviewer of the site at the first launch. */
  readonly newReviewers: boolean;
  /** Origins whose pages may frame the review. */
  readonly frameOrigins: readonly string[];
  readonly idTokenAlgorithms: readonly SignatureAlgorithm[];
};
