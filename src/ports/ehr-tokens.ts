// The JWTs with which an EHR proves who it is when it calls the engine.

export type ExpectedToken = {
  readonly issuer: string;
  /** Where the EHR publishes its keys. */
  readonly jwksUri: string;
  /** The token is for one of these addresses. */
  readonly audiences: readonly string[];
};

export type EhrTokens = {
  /** What an unverified token says of its issuer; undefined if it is no JWT. Only to find out whose keys verify it. */
  readonly issuerOf: (token: string) => string | undefined;
  /** Throws `unauthorized` with the reason; `ehrUnavailable` if the keys cannot be fetched. */
  readonly verify: (token: string, expected: ExpectedToken) => Promise<{ readonly id: string; readonly endsAt: Date }>;
};
