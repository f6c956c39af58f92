// How people without an identity provider prove who they are: one-time links, passkeys, and passwords with a second factor.

export type Passkey = {
  /** The credential's id in base64url. */
  readonly id: string;
  readonly person: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly label: string;
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
};

export type SecondFactor = {
  /** The shared secret of TOTP; stored encrypted. */
  readonly secret: Uint8Array;
  readonly isConfirmed: boolean;
  /** The last time step that was used: none is used twice. */
  readonly lastStep: number;
};

/** Throws `overloaded` if the database cannot be reached. */
export type LocalAccounts = {
  /** A new link ends the earlier ones of the person. */
  readonly addLink: (link: {
    readonly digest: Uint8Array;
    readonly person: string;
    readonly madeBy: string;
    readonly expiresAt: Date;
  }) => Promise<void>;
  /** The person of a link that is still good. It stays good: looking at it does not use it. */
  readonly findLink: (digest: Uint8Array) => Promise<{ readonly person: string } | undefined>;
  /** Uses the link up. Undefined if it was used, has ended, or its person is disabled. */
  readonly useLink: (digest: Uint8Array) => Promise<{ readonly person: string } | undefined>;

  /** Throws `conflict` if the credential is registered already. */
  readonly addPasskey: (passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>) => Promise<void>;
  readonly findPasskey: (id: string) => Promise<Passkey | undefined>;
  readonly passkeysOf: (person: string) => Promise<readonly Passkey[]>;
  readonly removePasskey: (person: string, id: string) => Promise<boolean>;
  /** False if the counter went backwards (a copied authenticator); 0 means that the authenticator has no counter. */
  readonly notePasskeyUse: (id: string, counter: number) => Promise<boolean>;

  /** The hash with its parameters, as `domain/people` writes it. */
  readonly setPassword: (person: string, hash: string) => Promise<void>;
  readonly passwordOf: (person: string) => Promise<string | undefined>;
  readonly setSecondFactor: (person: string, secret: Uint8Array) => Promise<void>;
  readonly secondFactorOf: (person: string) => Promise<SecondFactor | undefined>;
  /** Confirms the factor and uses the step up. False if this step or a later one was used. */
  readonly useStep: (person: string, step: number) => Promise<boolean>;
  /** Deletes links that have ended for longer than a day. */
  readonly sweep: () => Promise<void>;
};
