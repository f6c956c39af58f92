// Sign-ins of the command line that a person confirms in a browser (RFC 8628).

export type DeviceState = 'pending' | 'approved' | 'denied' | 'expired';

/** Throws `overloaded` if the database cannot be reached. */
export type DeviceSignIns = {
  /** Throws `conflict` if another one has the code that the person types: a new one is made. */
  readonly begin: (order: {
    readonly deviceDigest: Uint8Array;
    readonly userCodeDigest: Uint8Array;
    readonly address: string;
    readonly agent?: string;
    readonly lifeMs: number;
    readonly intervalMs: number;
  }) => Promise<void>;
  /** What the person is shown before they confirm. Undefined if there is none that waits. */
  readonly findByUserCode: (
    userCodeDigest: Uint8Array,
  ) => Promise<{ readonly address: string; readonly agent?: string } | undefined>;
  /** False if it waits no longer. */
  readonly decide: (userCodeDigest: Uint8Array, decision: { readonly person: string } | 'denied') => Promise<boolean>;
  /** The program asks whether it was confirmed. `too-soon`: it must wait 5 seconds longer from now on. An approved one is taken once. */
  readonly poll: (
    deviceDigest: Uint8Array,
  ) => Promise<
    | { readonly state: 'approved'; readonly person: string }
    | { readonly state: Exclude<DeviceState, 'approved'> | 'too-soon' | 'unknown' }
  >;
  /** Deletes those whose time is over for longer than an hour: until then the program learns why it ended. */
  readonly sweep: () => Promise<void>;
};
