// The ledger of all writes to charts. What is not in it was not sent, and what was sent is in it byte for byte. Bodies are stored
// encrypted.
import type { NewRevision, Revision, RevisionState, WritePlace, WriteState } from '../domain/chart/chart-write.ts';
import type { SiteScope } from '../domain/people/role.ts';

/**
 * The right to write to one chart (`mercy/Patient/1`) or one other place of a site (`mercy/devices`). It has one holder at a time. Each
 * acquisition has a higher number than the last, and the ledger accepts writes only from the highest: earlier holders are fenced off.
 */
export type Lease = { readonly name: string; readonly holder: string; readonly fence: number };

/** The new state of one write: members that are undefined stay as they are. */
export type WriteResult = {
  readonly id: string;
  readonly state: WriteState;
  readonly reference?: string;
  readonly version?: string;
};

export type WrittenQuery = {
  readonly scope: SiteScope;
  readonly site?: string;
  readonly model?: string;
  readonly mapping?: string;
  readonly prompt?: string;
  /** Bounds of the run's time: `from` is included, `to` is not. */
  readonly from?: Date;
  readonly to?: Date;
};

/** A current write that is due for another check. */
export type CheckedWrite = {
  readonly place: WritePlace;
  readonly patient: string;
  readonly write: Revision['writes'][number];
};

export type CheckTimes = {
  readonly sentAfter: Date;
  readonly sentBefore: Date;
  /** Writes that were checked later are left out. */
  readonly checkedBefore: Date;
};

export type CheckProgress = {
  /** Current writes in charts. */
  readonly written: number;
  /** How many of them were ever checked. */
  readonly checked: number;
  /** The check that is longest ago. */
  readonly oldestAt?: Date;
};

export type FindingKind =
  /** More than one resource of one identity. */
  | 'duplicate'
  /** It was written, and is not in the EHR any more. */
  | 'missing'
  /** It is on another patient than it was written to. */
  | 'foreign'
  /** It carries this site's identity, and this ledger does not know it. */
  | 'unknown'
  /** Its encounter was cancelled or entered in error. */
  | 'encounter'
  /** Its encounter belongs to another patient now. */
  | 'moved';

export type Finding = {
  readonly site: string;
  readonly kind: FindingKind;
  /** The identity's value. */
  readonly identity: string;
  readonly references: readonly string[];
};

export type OpenFinding = Finding & { readonly foundAt: Date };

/** Throws: `overloaded` (no database), `inUse` if a lease is not the holder's any more, `conflict` as documented below, `internal`. */
export type Ledger = {
  /** The ledger's own clock, which every `sentAt` is by: the clocks of the engine's machines may differ from it and from each other. */
  readonly now: () => Promise<Date>;

  /** Undefined: another holder has it. It expires after `ttlMs`. */
  readonly acquire: (name: string, holder: string, ttlMs: number) => Promise<Lease | undefined>;
  /** Throws `inUse` if it has expired or another holder has it. */
  readonly renew: (lease: Lease, ttlMs: number) => Promise<void>;
  /** Does not throw for a lease that is gone. */
  readonly release: (lease: Lease) => Promise<void>;

  /** All revisions of a place, the oldest first. */
  readonly read: (place: WritePlace) => Promise<readonly Revision[]>;
  /**
   * Stores a revision under the next number, all of it or nothing. No call changes its bytes afterwards. Earlier revisions that were
   * open or parked become `replaced`, and their unsent writes `dropped`. Throws `conflict` if one of them has a write that is `sending`:
   * that must be resolved first.
   */
  readonly freeze: (lease: Lease, place: WritePlace, revision: NewRevision) => Promise<Revision>;
  /**
   * Must be called before anything is sent; returns its `sentAt`. With `ttlMs` it also renews the lease. Throws `conflict` if other bytes
   * were sent before under one of these ids.
   */
  readonly beginSending: (
    lease: Lease,
    sends: readonly { readonly id: string; readonly sentSha256: string }[],
    ttlMs?: number,
  ) => Promise<Date>;
  /** A final state does not change any more, except that an ambiguous write can become clear after a person has looked. */
  readonly recordResults: (lease: Lease, results: readonly WriteResult[]) => Promise<void>;
  readonly close: (lease: Lease, place: WritePlace, end: RevisionEnd) => Promise<void>;

  /** Binds a site to the EHR that it writes to. Throws `conflict` if it wrote to another one before. */
  readonly bindEhr: (site: string, baseUrl: string) => Promise<void>;

  /** The places of matching writes that are in a chart, or were sent and may be, for a recall. */
  readonly findWritten: (query: WrittenQuery) => Promise<readonly WritePlace[]>;
  /** Writes that are in charts, those first whose last check is longest ago. */
  readonly dueForCheck: (site: string, limit: number, sentBefore?: Date) => Promise<readonly CheckedWrite[]>;
  /**
   * Writes that are checked more often than others: first those with an open finding about their patient or encounter, then those of a session
   * with a Flag (a RED triage), then others; the latter two if they were sent in that time. Among equals the longest unchecked first.
   */
  readonly riskyForCheck: (site: string, limit: number, times: CheckTimes) => Promise<readonly CheckedWrite[]>;
  /** How far the checks of each site are, by its name. */
  readonly checkProgress: (scope: SiteScope) => Promise<ReadonlyMap<string, CheckProgress>>;
  readonly markChecked: (site: string, ids: readonly string[]) => Promise<void>;
  /** Returns those of these identity values that the site's ledger has. */
  readonly knownIdentities: (site: string, values: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Stores the findings; an earlier one of an identity in `looked` that is not among them is closed. */
  readonly storeFindings: (site: string, looked: readonly string[], findings: readonly Finding[]) => Promise<void>;
  /** The newest first. */
  readonly openFindings: (scope: SiteScope) => Promise<readonly OpenFinding[]>;
};

export type RevisionEnd = {
  readonly number: number;
  readonly state: Exclude<RevisionState, 'open'>;
  readonly reason?: string;
  /** Nothing else is done with the lease: it may be released together with the close. `release` is called all the same. */
  readonly isLast?: boolean;
};
