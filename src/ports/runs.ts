// What those who look after runs need: to see them, and to start, repeat, end or decide one.

import type {
  Run,
  RunEvent,
  RunReason,
  RunReview,
  RunStatus,
  RunStep,
  StepName,
  StepResults,
} from '../domain/run/run.ts';
import type { WrittenQuery } from './ledger.ts';

export type RunQuery = {
  readonly status?: readonly RunStatus[];
  readonly site?: string;
  /** `Patient/1`, `Encounter/2`. */
  readonly patient?: string;
  readonly encounter?: string;
  /** An id of a run, an encounter, a patient or a session, or the beginning of one. */
  readonly q?: string;
  /** Those that changed since. */
  readonly since?: Date;
  readonly model?: string;
  readonly mapping?: string;
  readonly limit: number;
  readonly cursor?: string;
};

export type ReplayOrder = {
  readonly id: string;
  /** Steps before it keep what they gave. */
  readonly from: StepName;
  readonly isDry: boolean;
};

/** In plain words, without anything of the patient's. */
export type RunWords = { readonly message: string; readonly advice: string };

export type CancelOutcome = 'cancelled' | 'cancelling' | 'ended';

export type RunChange = Pick<Run, 'id' | 'site' | 'encounter' | 'status' | 'reason' | 'step' | 'changedAt'>;

export type RunCounts = {
  readonly byStatus: ReadonlyMap<RunStatus, number>;
  readonly waiting: ReadonlyMap<RunReason, number>;
  readonly parked: ReadonlyMap<RunReason, number>;
  /** Since when the oldest run that is `queued` could have been worked on. */
  readonly oldestQueuedAt?: Date;
};

/** Throws `overloaded`, `internal`; `notFound` where an order names no run. */
export type Runs = {
  /** The newest first. */
  readonly list: (query: RunQuery) => Promise<{ readonly runs: readonly Run[]; readonly next?: string }>;
  readonly find: (id: string) => Promise<Run | undefined>;
  /** Always all nine, in their order. */
  readonly steps: (id: string) => Promise<readonly RunStep[]>;
  readonly results: (id: string) => Promise<Partial<StepResults>>;
  readonly events: (id: string) => Promise<readonly RunEvent[]>;
  /** All of an encounter, the oldest first. */
  readonly ofEncounter: (site: string, encounter: string) => Promise<readonly Run[]>;
  /**
   * A new run of the same session, with the results of the steps before `from`. Throws `conflict` where the run is at work, has no session, where
   * what an earlier step gave was deleted, and after `write-note` for one that was recalled.
   */
  readonly replay: (order: ReplayOrder) => Promise<Run>;
  /** One that nobody is at work on ends at once, another one at its next step; `ended`: it was at its end before. */
  readonly cancel: (id: string) => Promise<CancelOutcome>;
  /**
   * Those that are neither at their end nor dry, and hold results that fit: a note or a diagnosis of that model and prompt, documents of that
   * mapping; made in that time. A model as runs name it, or bare. The oldest first.
   */
  readonly findUnwritten: (query: WrittenQuery) => Promise<readonly Run[]>;
  /**
   * Like `cancel`, as `recalled`, with what is to stand there: of one at work from now on, which then is never held either. What is parked is
   * left, as `ended`.
   */
  readonly withdraw: (id: string, words: RunWords) => Promise<CancelOutcome>;
  /**
   * A clinician's decision: the run goes on from `map` with it, and still has what `map` gave: that is what was decided about. Throws
   * `conflict` where the run has another revision by now, or is at work. `note` replaces what the check gave, for an edit; the one that was
   * shown is kept beside it.
   */
  readonly review: (order: {
    readonly id: string;
    readonly review: RunReview;
    readonly note?: StepResults['check']['note'];
  }) => Promise<Run>;
  /** A rejected draft: parked as `rejected`. Throws like `review`. */
  readonly reject: (order: {
    readonly id: string;
    readonly revision: number;
    readonly message: string;
  }) => Promise<Run>;
  /** A run that is at its end becomes `retracted`, with what was taken back; parked where something of it is left. */
  readonly markRetracted: (order: {
    readonly site: string;
    readonly encounter: string;
    readonly session: string;
    readonly resources: Run['resources'];
    readonly left: Run['left'];
    readonly park?: { readonly message: string; readonly advice: string };
  }) => Promise<void>;
  /** What changed after that time, the oldest change first; for those who watch. */
  readonly changesSince: (since: Date, limit: number) => Promise<readonly RunChange[]>;
  readonly counts: () => Promise<RunCounts>;
  /** Runs that stand in a chart as drafts and have not been reviewed, those first that were asked about longest ago. */
  readonly awaitingReview: (site: string, limit: number) => Promise<readonly Run[]>;
  readonly noteAsked: (ids: readonly string[]) => Promise<void>;
  /** Deletes what is older than it may get; how much of each there was. */
  readonly purge: (keep: Retention) => Promise<PurgeReport>;
};

export type Retention = {
  readonly audioMs: number;
  readonly resultsMs: number;
  /** Held for longer, a run is parked as `expired`, which is told, and loses its results at once. */
  readonly heldMs: number;
  readonly asideMs: number;
  /** Of events: long enough that none comes again after it. */
  readonly keysMs: number;
};

export type PurgeReport = {
  /** Runs that were held for too long. */
  readonly expired: number;
  readonly recordings: number;
  readonly results: number;
  readonly bodies: number;
  readonly keys: number;
  /** Outcome events that are at their end. */
  readonly outcomes: number;
};
