// Signing in by the EHR: it opens the engine for a clinician who works in the chart, and says who it is and which visit is open.
import type { Identity } from '../domain/people/person.ts';
import type { LoadedSite } from './sites.ts';

export type SignInAtEhr = {
  readonly site: LoadedSite;
  /** The FHIR address that launches, letter by letter one of `launch.issuers`. */
  readonly issuer: string;
  /** Where the EHR sends the browser afterwards: one for each site. */
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE, of which the EHR gets the hash first. */
  readonly verifier: string;
};

/** The clinician as the EHR names it. */
export type EhrClinician = {
  readonly identity: Identity;
  /** `Practitioner/7`: it is active in the EHR now. */
  readonly practitioner: string;
  /** `PractitionerRole/3`, if the EHR named one. */
  readonly practitionerRole?: string;
  readonly name: string;
  /** `Encounter/123`, if a visit is open. */
  readonly encounter?: string;
  /** `Patient/1` */
  readonly patient?: string;
};

/**
 * Throws LaunchRefused for whom the EHR, or its answer, does not let in; `notConfigured` if the EHR cannot launch or refuses the engine's own
 * credentials; `ehrUnavailable`, `ehrAnswer`.
 */
export type EhrSignIn = {
  /** The address at the EHR to which the browser is sent. `launch`: the EHR's name of this launch; absent if the person came by themselves. */
  readonly begin: (order: SignInAtEhr & { readonly launch?: string }, signal: AbortSignal) => Promise<URL>;
  /** `answer`: what the EHR gave the browser for the way back. The access token is used here and forgotten. */
  readonly finish: (
    order: SignInAtEhr & { readonly answer: URLSearchParams },
    signal: AbortSignal,
  ) => Promise<EhrClinician>;
};
