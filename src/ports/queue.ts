// What a worker needs of whoever keeps the runs: a run to work on that nobody else has, and a place for what it found. Who was
// stopped for too long is fenced off: all calls with a claim throw `inUse` once somebody else has the run.
import type { OutcomeKind } from '../domain/run/outcome-event.ts';
import type { Run, RunVersions, StepName, StepResults } from '../domain/run/run.ts';
import type { RunEnd } from '../domain/run/run-end.ts';

export type Claim = {
  readonly run: Run;
  readonly holder: string;
  /** Each taking has a higher one than the last. */
  readonly fence: number;
};

export type ClaimOrder = {
  /** Names this process: `<house>/<start>`. */
  readonly holder: string;
  readonly limit: number;
  readonly leaseMs: number;
  /** Only runs of these sites: those that this engine knows, and that are not paused. */
  readonly sites: readonly string[];
  /** Of these, the sites whose encounters may be looked at: runs of the others that have no session yet stay where they are. */
  readonly lookSites: readonly string[];
};

export type StepDone<Name extends StepName = StepName> = {
  readonly name: Name;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Absent for a step that had nothing to do: it is `skipped`. */
  readonly result?: StepResults[Name];
  readonly versions?: RunVersions;
  /** An outcome event that does not wait for the end of the run: it is kept in the same transaction. `attention` of a step is a RED triage. */
  readonly outcome?: OutcomeKind;
};

/** A group of recordings that nobody has documented. */
export type FoundSession = { readonly session: string; readonly recordings: readonly string[] };

/** The time is the database's, unless the parts say otherwise. Throws `overloaded`, `inUse`, `internal`. */
export type Queue = {
  /**
   * Runs whose time has come: urgent ones first, between organizations in turns, and of each patient only the earliest that is not at
   * its end. A run whose holder has died is among them: it has one more crash. Being claimed is kept before it is worked on.
   */
  readonly claim: (order: ClaimOrder) => Promise<readonly Claim[]>;
  /** Says that this process lives; gives the ids of runs that it has lost. */
  readonly keep: (order: {
    readonly holder: string;
    readonly leaseMs: number;
    readonly ids: readonly string[];
  }) => Promise<readonly string[]>;
  /** At the start of a process: the runs of an earlier process of this house are free at once. How many there were. */
  readonly takeOver: (house: string) => Promise<number>;

  /**
   * What the look found out: which encounter it is, and whose. `later`: an earlier run of this patient comes first; the run was given back
   * and goes on when its turn comes. `folded`: another run looks at this encounter already; this one is gone.
   */
  readonly identify: (
    claim: Claim,
    who: { readonly encounter: string; readonly patient: string; readonly isUrgent: boolean },
  ) => Promise<'mine' | 'later' | 'folded'>;
  /**
   * The run gets the first of these sessions that has no run, each other one a run of its own. `none`: they all have one.
   */
  readonly determine: (claim: Claim, sessions: readonly FoundSession[]) => Promise<Claim | 'none'>;
  /** The other runs of its encounter: what is documented, or is about to be. Replays are not among them. */
  readonly siblings: (
    claim: Claim,
  ) => Promise<readonly Pick<Run, 'id' | 'session' | 'recordings' | 'status' | 'reason'>[]>;
  /** Of a run without a session, when others have documented all: its events become theirs, and it is gone. */
  readonly fold: (claim: Claim) => Promise<void>;

  /** What the steps gave so far. */
  readonly results: (claim: Claim) => Promise<Partial<StepResults>>;
  /** `next` is the step that is under way from now on. */
  readonly finishStep: <Name extends StepName>(
    claim: Claim,
    done: StepDone<Name>,
    next: StepName | undefined,
  ) => Promise<{ readonly isCancelling: boolean }>;
  /** Results of this step and those after it are no longer meant. */
  readonly goBack: (claim: Claim, to: StepName) => Promise<void>;
  /**
   * Leaves the run, and keeps what is to be published of it, in one transaction. A run without a session that an event came for while it looked, is queued again
   * instead of waiting or being skipped. One that somebody wants to end is cancelled instead of waiting, being queued or held. What a failed step gave
   * before stays. `lastStep` is kept with it; outcomes are told by the end alone.
   */
  readonly settle: (
    claim: Claim,
    end: RunEnd,
    outcome?: OutcomeKind,
    lastStep?: Omit<StepDone, 'outcome'>,
  ) => Promise<void>;

  /** Runs that wait for this service look again now. */
  readonly wake: (by: { readonly service: string } | { readonly site: string }) => Promise<number>;
};
