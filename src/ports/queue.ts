// The queue of runs, for a worker: it claims runs with a lease and stores the result of each step. A worker that was stopped for too long is
// fenced off: every call with its claim throws `inUse` once another worker has the run.
import type { DraftFacts } from '../domain/run/draft-facts.ts';
import type { OutcomeKind } from '../domain/run/outcome-event.ts';
import type { Run, RunVersions, StepName } from '../domain/run/run.ts';
import type { RunEnd } from '../domain/run/run-end.ts';
import type { StepResults } from '../domain/run/step-results.ts';

export type Claim = {
  readonly run: Run;
  readonly holder: string;
  /** Grows with each claim of the run. */
  readonly fence: number;
};

export type ClaimOrder = {
  /** Identifies this process: `<engine>/<start>`. */
  readonly holder: string;
  readonly limit: number;
  readonly leaseMs: number;
  /** Only runs of these sites are claimed: the sites that this engine knows and that are not paused. */
  readonly sites: readonly string[];
  /** The sites among these whose intake is not paused: runs of the others that have no session yet are not claimed. */
  readonly intakeSites: readonly string[];
  /** A claim just before found enough: runs whose time came since then are left to the next claim without this. */
  readonly isAgain?: boolean;
};

export type FinishedStep<Name extends StepName = StepName> = {
  readonly name: Name;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Absent if the step had nothing to do: it is stored as `skipped`. */
  readonly result?: StepResults[Name];
  readonly versions?: RunVersions;
  /** Of step map: the facts of the draft that its documents are. */
  readonly draft?: DraftFacts;
  /** An outcome event that does not wait for the end of the run, stored in the same transaction. `attention` of a step is a RED triage. */
  readonly outcome?: OutcomeKind;
  /** Steps that finished just before it, and are stored in the same transaction. */
  readonly before?: readonly StoredStep[];
};

export type StoredStep = Omit<FinishedStep, 'outcome' | 'draft' | 'before'>;

/** A group of recordings that is not documented yet. */
export type FoundSession = { readonly session: string; readonly recordings: readonly string[] };

/** The clock is that of the database, unless the adapter was made with another one. Throws `overloaded`, `inUse`, `internal`. */
export type Queue = {
  /**
   * Claims runs that are due: urgent ones first, organizations in turns, and for each patient only the earliest run that has not ended. A run
   * whose worker has died is claimed too, and counts one more crash. The claim is stored before it is returned.
   */
  readonly claim: (order: ClaimOrder) => Promise<readonly Claim[]>;
  /** Renews the leases of this process. Returns the ids of runs that it has lost. */
  readonly renewLeases: (order: {
    readonly holder: string;
    readonly leaseMs: number;
    readonly ids: readonly string[];
  }) => Promise<readonly string[]>;
  /** Frees the runs of an earlier process of this engine, called at the start. Returns their number. */
  readonly reclaim: (engine: string) => Promise<number>;

  /**
   * Stores which encounter and patient the run is about. `later`: an earlier run of this patient comes first, so the run was released until its
   * turn. `folded`: another run resolves this encounter already, and this one was deleted.
   */
  readonly identify: (
    claim: Claim,
    who: { readonly encounter: string; readonly patient: string; readonly isUrgent: boolean },
  ) => Promise<'mine' | 'later' | 'folded'>;
  /**
   * Gives the run the first of these sessions that has no run, and each other such session a run of its own. `none`: all have one.
   */
  readonly assignSessions: (claim: Claim, sessions: readonly FoundSession[]) => Promise<Claim | 'none'>;
  /** The other runs of its encounter, without replays. */
  readonly siblings: (
    claim: Claim,
  ) => Promise<readonly Pick<Run, 'id' | 'session' | 'recordings' | 'status' | 'reason'>[]>;
  /** Deletes a run without a session and moves its events to the other runs of the encounter, which have documented everything. */
  readonly fold: (claim: Claim) => Promise<void>;

  /** The results of the finished steps. */
  readonly results: (claim: Claim) => Promise<Partial<StepResults>>;
  /** Stores a finished step; `next` is the current step from now on. */
  readonly finishStep: <Name extends StepName>(
    claim: Claim,
    done: FinishedStep<Name>,
    next: StepName | undefined,
  ) => Promise<{ readonly isCancelling: boolean }>;
  /** Makes `to` the current step again and discards its result and those of the later steps. */
  readonly goBack: (claim: Claim, to: StepName) => Promise<void>;
  /**
   * Ends the claim: stores the end, the outcome event and `lastStep` in one transaction. A run without a session for which an event came
   * meanwhile is queued again instead of waiting or being skipped. A run that is being cancelled is cancelled instead of waiting, being queued
   * or held. An earlier result of a failed step stays.
   */
  readonly leave: (
    claim: Claim,
    end: RunEnd,
    outcome?: OutcomeKind,
    lastStep?: Omit<FinishedStep, 'outcome'>,
  ) => Promise<void>;

  /** Makes the runs due that wait for this service, or at this site. Returns their number. */
  readonly wake: (by: { readonly service: string } | { readonly site: string }) => Promise<number>;
};
