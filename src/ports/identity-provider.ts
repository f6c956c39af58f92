// The hospital's identity provider (OpenID Connect), which proves who a person is. A person is known by issuer and subject, never by e-mail.
import type { Identity } from '../domain/people/person.ts';

export type ProviderStart = {
  /** Where the browser goes. */
  readonly address: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. It stays with the engine. */
  readonly verifier: string;
};

export type ProvenIdentity = {
  readonly identity: Identity;
  /** For people to read, as the provider has it. */
  readonly name?: string;
  readonly email?: string;
  /** The session at the provider, by which a back-channel logout names it. */
  readonly sessionId?: string;
  /** Of the ID token, and of the userinfo endpoint where the ID token does not have them. */
  readonly claims: Readonly<Record<string, unknown>>;
};

/** What a valid logout token asks for: the end of one session, or of all of the subject. */
export type ProviderLogout = {
  readonly tokenId: string;
  /** So long the token id is remembered. */
  readonly until: Date;
  readonly subject?: string;
  readonly sessionId?: string;
};

export type IdentityProvider = {
  readonly issuer: string;
  /** Throws `vendorUnavailable` if the provider cannot be reached, and `notConfigured` if it is not what OIDC_ISSUER says. */
  readonly begin: (redirectUri: string) => Promise<ProviderStart>;
  /**
   * `query`: that of the callback's address. Throws `unauthorized` if the provider refused, or its answer or ID token is not accepted;
   * `vendorUnavailable` as above.
   */
  readonly finish: (order: {
    readonly query: string;
    readonly redirectUri: string;
    readonly expected: Pick<ProviderStart, 'state' | 'nonce' | 'verifier'>;
  }) => Promise<ProvenIdentity>;
  /** Where the browser ends its session at the provider. Undefined if the provider has no such place, or cannot be reached. */
  readonly logoutAddress: (returnTo: string) => Promise<string | undefined>;
  /** Undefined if the token is not accepted. Throws `vendorUnavailable` if its signature cannot be checked now. */
  readonly readLogout: (token: string) => Promise<ProviderLogout | undefined>;
};
