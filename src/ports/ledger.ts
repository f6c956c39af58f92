// What the product needs of whoever remembers what was written where. The truth of the writer: what is not here was not sent, and
// what was sent is here as it was sent. Bodies are kept encrypted.
import type { NewRevision, Revision, RevisionState, WritePlace, WriteState } from '../domain/chart/chart-write.ts';

/**
 * The right to write, for one chart (`mercy/Patient/1`) or for one thing of a site (`mercy/devices`). Only one holder has it at a time; who
 * held it before is fenced off: each taking has a higher number than the last, and the ledger takes writes only from the highest.
 */
export type Lease = { readonly name: string; readonly holder: string; readonly fence: number };

/** Of one write: undefined leaves what is there. */
export type WriteResult = {
  readonly id: string;
  readonly state: WriteState;
  readonly reference?: string;
  readonly version?: string;
};

export type WrittenQuery = {
  readonly site?: string;
  readonly model?: string;
  readonly mapping?: string;
  readonly prompt?: string;
  /** By the run's time: from, up to but without. */
  readonly from?: Date;
  readonly to?: Date;
};

/** What stands in a chart and should be looked at again. */
export type CheckedWrite = {
  readonly place: WritePlace;
  readonly patient: string;
  readonly write: Revision['writes'][number];
};

export type FindingKind =
  /** More than one resource of one identity. */
  | 'duplicate'
  /** It was written, and is not there any more. */
  | 'missing'
  /** On another patient than it was written to. */
  | 'foreign'
  /** It carries this site's identity, and this engine does not know it. */
  | 'unknown'
  /** Its encounter was cancelled or entered in error, or moved to somebody else. */
  | 'encounter';

export type Finding = {
  readonly site: string;
  readonly kind: FindingKind;
  /** The identity's value. */
  readonly identity: string;
  readonly references: readonly string[];
};

export type OpenFinding = Finding & { readonly foundAt: Date };

/** Throws: `overloaded` (no database), `inUse` where a lease is no longer the holder's, `conflict` as said, `internal`. */
export type Ledger = {
  /** Its own clock, by which every `sentAt` is: the clocks of the engine's machines may differ from it, and from each other. */
  readonly now: () => Promise<Date>;

  /** Undefined: somebody else has it. It ends by itself after `ttlMs`. */
  readonly acquire: (name: string, holder: string, ttlMs: number) => Promise<Lease | undefined>;
  /** Throws `inUse` where it has ended or somebody else has it. */
  readonly renew: (lease: Lease, ttlMs: number) => Promise<void>;
  /** Never throws for one that is gone. */
  readonly release: (lease: Lease) => Promise<void>;

  /** All revisions of a place, the oldest first. */
  readonly read: (place: WritePlace) => Promise<readonly Revision[]>;
  /**
   * Keeps a revision under the next number, all of it or nothing. From then on its bytes never change: there is no call that does.
   * Earlier revisions that were open or parked become `replaced`, and what of them was never sent `dropped`. Throws `conflict` where one of them has a write that is
   * `sending`: that must be settled first.
   */
  readonly freeze: (lease: Lease, place: WritePlace, revision: NewRevision) => Promise<Revision>;
  /**
   * To be called before anything is sent; gives its `sentAt`. With `ttlMs` the lease is renewed on the way. Throws `conflict` where other
   * bytes were sent before under one of these ids.
   */
  readonly beginSending: (
    lease: Lease,
    sends: readonly { readonly id: string; readonly sentSha256: string }[],
    ttlMs?: number,
  ) => Promise<Date>;
  /** What is at its end stays as it ended; but what was ambiguous can become clear, when a person has looked. */
  readonly recordResults: (lease: Lease, results: readonly WriteResult[]) => Promise<void>;
  readonly close: (lease: Lease, place: WritePlace, end: RevisionEnd) => Promise<void>;

  /** Binds a site to the EHR that it writes to. Throws `conflict` where it wrote to another one before. */
  readonly bindEhr: (site: string, baseUrl: string) => Promise<void>;

  /** Places of the current writes that fit, for a recall; also of those that were sent, and may stand there. */
  readonly findWritten: (query: WrittenQuery) => Promise<readonly WritePlace[]>;
  /** Writes that stand in charts, those that were looked at longest ago first. */
  readonly dueForCheck: (site: string, limit: number, sentBefore?: Date) => Promise<readonly CheckedWrite[]>;
  readonly markChecked: (site: string, ids: readonly string[]) => Promise<void>;
  /** Which of these identity values of the site the ledger knows. */
  readonly knownIdentities: (site: string, values: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Keeps what was found; what of `looked` (identity values) is not among them is no longer open. */
  readonly storeFindings: (site: string, looked: readonly string[], findings: readonly Finding[]) => Promise<void>;
  /** The newest first. Of all sites where none is named. */
  readonly openFindings: (site?: string) => Promise<readonly OpenFinding[]>;
};

export type RevisionEnd = {
  readonly number: number;
  readonly state: Exclude<RevisionState, 'open'>;
  readonly reason?: string;
};
