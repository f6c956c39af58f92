// The runs, for operators, reviewers and programs: to read, replay, cancel, recall and review them.

import type { WrittenDocument } from '../domain/chart/chart-write.ts';
import type { RunScope } from '../domain/people/role.ts';
import type { DecisionRecord } from '../domain/run/draft-decision.ts';
import type { Run, RunEvent, RunReason, RunReview, RunStatus, RunStep, StepName } from '../domain/run/run.ts';
import type { StepResults } from '../domain/run/step-results.ts';
import type { WrittenQuery } from './ledger.ts';

export type RunQuery = {
  readonly scope: RunScope;
  /** With `parked` only those that still need a person, unless `withReplayed`. */
  readonly status?: readonly RunStatus[];
  /** Also parked runs whose replay was written. */
  readonly withReplayed?: boolean;
  /** Also unfinished looks at encounters that have a run already: see `Runs`. */
  readonly withLooks?: boolean;
  readonly site?: string;
  /** `Patient/1`, `Encounter/2`. */
  readonly patient?: string;
  readonly encounter?: string;
  /** The id of a run, encounter, patient or session, or the beginning of one. */
  readonly q?: string;
  /** Only runs that have changed since. */
  readonly since?: Date;
  /** The model that was asked for (with or without its vendor) or the one that answered, in any step. */
  readonly model?: string;
  readonly mapping?: string;
  readonly limit: number;
  readonly cursor?: string;
};

export type ReplayOrder = {
  readonly id: string;
  /** The results of the steps before it are kept. */
  readonly from: StepName;
  readonly isDry: boolean;
  /** A reviewer asks for another draft than this revision, with an instruction for it. Throws `conflict` if there is another revision by now. */
  readonly correction?: { readonly revision: number; readonly instruction: string; readonly record: DecisionRecord };
};

export type MoveOrder = {
  readonly id: string;
  /** `Patient/2` */
  readonly patient: string;
  /** The run that read the encounter. */
  readonly seenBy: string;
};

/** In plain words, without patient data. */
export type RunMessage = { readonly message: string; readonly advice: string };

export type CancelOutcome = 'cancelled' | 'cancelling' | 'ended';

export type RunChange = Pick<Run, 'id' | 'site' | 'encounter' | 'status' | 'reason' | 'step' | 'changedAt'>;

/** Without parked runs whose replay was written, and without looks: see `Runs`. */
export type RunCounts = {
  readonly byStatus: ReadonlyMap<RunStatus, number>;
  readonly waiting: ReadonlyMap<RunReason, number>;
  readonly parked: ReadonlyMap<RunReason, number>;
  /** When the oldest run that is `queued` became due, or the oldest look. */
  readonly oldestQueuedAt?: Date;
};

/**
 * A look is a run without a session whose encounter has another run: it only finds out whether there is something new. Lists, changes and
 * counts leave it out until it has ended, unless an operator started it.
 *
 * Throws `overloaded`, `internal`; `notFound` if an order names no run.
 */
export type Runs = {
  /** The newest first. */
  readonly list: (query: RunQuery) => Promise<{ readonly runs: readonly Run[]; readonly next?: string }>;
  /** Undefined also for a run outside of the scope. */
  readonly find: (id: string, scope: RunScope) => Promise<Run | undefined>;
  /** Always all nine steps, in their order. */
  readonly steps: (id: string) => Promise<readonly RunStep[]>;
  readonly results: (id: string) => Promise<Partial<StepResults>>;
  readonly events: (id: string) => Promise<readonly RunEvent[]>;
  /** All runs of an encounter, the oldest first. */
  readonly ofEncounter: (site: string, encounter: string) => Promise<readonly Run[]>;
  /**
   * Creates a run of the same session with the results of the steps before `from`. Throws `conflict` if the run is being processed or has no
   * session, if the result of an earlier step was deleted, and after `write-note` for a run that was recalled.
   */
  readonly replay: (order: ReplayOrder) => Promise<Run>;
  /**
   * Stores that the encounter of an ended run belongs to another patient now, and sends `attention` (`moved`) with these documents: once for
   * each patient, however often it is called. Without `to` the encounter has come back; nothing is sent.
   */
  readonly noteMove: (order: {
    readonly id: string;
    readonly to: string | undefined;
    readonly resources: readonly WrittenDocument[];
  }) => Promise<void>;
  /**
   * Creates a run that documents the session of an ended run from its beginning for another patient. It has the event of the run `seenBy`.
   * Undefined: the session has a newer run.
   */
  readonly moveSession: (order: MoveOrder) => Promise<Run | undefined>;
  /** A run that no worker processes ends at once, another one after its current step. `ended`: it had ended before. */
  readonly cancel: (id: string) => Promise<CancelOutcome>;
  /**
   * Finds runs that have not ended, are not dry and hold matching results: a note or diagnosis of that model and prompt, or documents of that
   * mapping, made in that time. The model may have its vendor in front. The oldest first.
   */
  readonly findUnwritten: (query: WrittenQuery) => Promise<readonly Run[]>;
  /**
   * Cancels like `cancel`, with the reason `recalled` and this message, which a run in process gets at once; such a run is never held. A parked
   * run is left as it is and reported as `ended`.
   */
  readonly withdraw: (id: string, words: RunMessage) => Promise<CancelOutcome>;
  /**
   * Stores the decision of a clinician; the run goes on from `map` and keeps the earlier result of `map`, which the decision is about. Throws
   * `conflict` if the run has another revision by now, or is being processed. `note` replaces the note of step check after an edit; the note
   * that was shown is kept beside it.
   */
  readonly review: (order: {
    readonly id: string;
    readonly review: RunReview;
    readonly note?: StepResults['check']['note'];
    /** Stored in the same transaction. */
    readonly record?: DecisionRecord;
  }) => Promise<Run>;
  /**
   * Parks the run of a rejected draft as `rejected`, until its documents are retracted: an engine that is killed meanwhile leaves a run
   * that asks for a person. Throws like `review`.
   */
  readonly reject: (
    order: { readonly id: string; readonly revision: number; readonly record?: DecisionRecord } & RunMessage,
  ) => Promise<Run>;
  /** Ends a run that `reject` parked as `rejected`: nothing of the draft is in the chart. */
  readonly endRejected: (order: { readonly id: string; readonly message: string }) => Promise<void>;
  /** Marks an ended run as `retracted`, with the documents that were retracted; parks it if some of them are left in the chart. */
  readonly markRetracted: (order: {
    readonly site: string;
    readonly encounter: string;
    readonly session: string;
    /** The id of a run: later runs of the session are left as they are. */
    readonly upTo?: string;
    readonly resources: Run['resources'];
    readonly left: Run['left'];
    readonly park?: { readonly message: string; readonly advice: string };
  }) => Promise<void>;
  /** Puts a run that rests in this state back into the queue, with its results and new tries. Throws `conflict` if it is in another state by now. */
  readonly putBack: (order: { readonly id: string; readonly from: 'waiting' | 'held' }) => Promise<Run>;
  /** Changes after that time, the oldest first; for live views. */
  readonly changesSince: (scope: RunScope, since: Date, limit: number) => Promise<readonly RunChange[]>;
  readonly counts: () => Promise<RunCounts>;
  /** Runs whose drafts are in a chart without a review, the least recently checked first. */
  readonly awaitingReview: (scope: RunScope, limit: number) => Promise<readonly Run[]>;
  readonly noteReviewChecked: (ids: readonly string[]) => Promise<void>;
  /** Deletes what is past its retention time. Returns how much of each kind was deleted. */
  readonly purge: (keep: Retention) => Promise<PurgeReport>;
};

export type Retention = {
  readonly audioMs: number;
  readonly resultsMs: number;
  /** A run that is held for longer is parked as `expired`, with an outcome event, and loses its results at once. */
  readonly heldMs: number;
  readonly quarantineMs: number;
  /** For the keys of events: long enough that no repeat comes later. */
  readonly keysMs: number;
};

export type PurgeReport = {
  /** Runs that were held for too long. */
  readonly expired: number;
  readonly recordings: number;
  readonly results: number;
  readonly bodies: number;
  readonly keys: number;
  /** Outcome events that were sent or cannot be. */
  readonly outcomes: number;
};
