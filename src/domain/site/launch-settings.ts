// How clinicians come in from the EHR of a site: SMART App Launch, from `launch:` of its site.yaml.

/** Signatures of ID tokens that a site may accept. None with a shared secret is among them. */
export const ID_TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number];

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
  readonly idTokenAlgorithms: readonly IdTokenAlgorithm[];
};
