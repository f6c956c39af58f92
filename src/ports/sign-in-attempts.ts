// Sign-ins that are under way: each is bound to one browser, can be used once, and ends soon. Also the names of tokens that may be used only once.

export type AttemptKind = 'oidc' | 'launch' | 'passkey' | 'new-passkey' | 'second-factor';

export type SignInAttempt = {
  readonly kind: AttemptKind;
  /** `runtime.digest` of the state, or of the challenge. */
  readonly stateDigest: Uint8Array;
  /** `runtime.digest` of a random cookie that only the browser has that began it. */
  readonly browserDigest: Uint8Array;
  /** Issuer, nonce, PKCE verifier, site, person: stored encrypted. */
  readonly details: Readonly<Record<string, string>>;
  readonly lifeMs: number;
};

/** Throws `overloaded` if the database cannot be reached. */
export type SignInAttempts = {
  readonly begin: (attempt: SignInAttempt) => Promise<void>;
  /**
   * Takes the attempt, whether its browser fits or not: a state that another browser has seen is burnt. `wrong-browser` and undefined must look
   * the same to the caller's client.
   */
  readonly take: (
    kind: AttemptKind,
    stateDigest: Uint8Array,
    browserDigest: Uint8Array,
  ) => Promise<SignInAttempt['details'] | 'wrong-browser' | undefined>;
  /** False if this issuer has used the id before. It is remembered until then. */
  readonly useOnce: (issuer: string, tokenId: string, until: Date) => Promise<boolean>;
  readonly sweep: () => Promise<void>;
};
