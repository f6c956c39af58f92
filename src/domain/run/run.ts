// One run: the documentation of one session, from the event of an encounter to the written chart. States, steps and reasons are closed sets,
// so that the compiler demands an answer for each of them.

import type { ReviewFacts } from '../chart/chart.ts';
import type { HoldReason, LeftDocument, ParkReason, WrittenDocument } from '../chart/chart-write.ts';
import type { DraftFacts } from './draft-facts.ts';

/** In this order. The encounter is resolved before the first step: that decides whether there is anything to document. */
export const RUN_STEPS = [
  'read-chart',
  'fetch-recording',
  'transcribe',
  'write-note',
  'diagnose',
  'check',
  'map',
  'write-chart',
  'publish',
] as const;
export type StepName = (typeof RUN_STEPS)[number];

export const RUN_STATUSES = [
  /** A worker claims it as soon as one is free. */
  'queued',
  'running',
  /** Waits for an outside service (`waitsFor`) or an event, until a time. */
  'waiting',
  /** Waits for the decision of a person. */
  'held',
  'written',
  'skipped',
  /** Needs an operator: something failed. */
  'parked',
  /** A clinician rejected the draft: its documents in the chart were retracted, and no one needs to act. */
  'rejected',
  'retracted',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The states that later runs of the same patient wait for: they end without a person. */
export const BLOCKING_STATUSES = ['queued', 'running', 'waiting'] as const satisfies readonly RunStatus[];

const RUN_REASONS = {
  waiting: {
    /** The chart has no recording yet. Later runs of the patient do not wait for this one. */
    recording: 'recording',
    /** The EHR does not have the encounter (yet). */
    encounter: 'encounter',
    /** The encounter was moved to another patient: an earlier run of it must end, or the EHR may still move its documents. */
    moved: 'moved',
    reasoner: 'reasoner',
    speech: 'speech',
    ehr: 'ehr',
    /** The site does not allow the configured engines. */
    engines: 'engines',
    paused: 'paused',
    /** A step failed and is tried again. */
    retry: 'retry',
  },
  skipped: {
    trigger: 'trigger',
    noEncounter: 'no-encounter',
    cancelledEncounter: 'cancelled-encounter',
    noRecording: 'no-recording',
    notInPilot: 'not-in-pilot',
    noSpeech: 'no-speech',
    notMedical: 'not-medical',
    language: 'language',
    /** All recordings are documented already. */
    nothingNew: 'nothing-new',
    /** The site does not write yet; the documents are stored. */
    shadow: 'shadow',
    /** A replay that only shows the differences. */
    dryRun: 'dry-run',
    off: 'off',
  },
  held: {
    review: 'review',
    unsupported: 'unsupported',
    /** The transcript lacks parts of the speech, or has words over silence. */
    coverage: 'coverage',
    language: 'language',
  },
  parked: {
    tries: 'tries',
    crashes: 'crashes',
    mapping: 'mapping',
    recording: 'recording',
    /** The EHR refuses a read that is needed. */
    ehrRefused: 'ehr-refused',
    vendor: 'vendor',
    /** The site was removed, or has no EHR. */
    site: 'site',
    /** A clinician rejected the draft, and its documents in the chart are not retracted yet. Then the run is `rejected`. */
    rejected: 'rejected',
    /** It was held without a decision until its results were deleted. */
    expired: 'expired',
  },
  cancelled: {
    /** The model, prompt or mapping of its draft turned out to be wrong. A run in process gets the reason before it ends. */
    recalled: 'recalled',
  },
} as const;

type Values<T> = T[keyof T];
export type WaitReason = Values<(typeof RUN_REASONS)['waiting']>;
export type SkipReason = Values<(typeof RUN_REASONS)['skipped']> | HoldReason;
export type HeldReason = Values<(typeof RUN_REASONS)['held']> | HoldReason;
export type ParkedReason = Values<(typeof RUN_REASONS)['parked']> | ParkReason;
type CancelReason = Values<(typeof RUN_REASONS)['cancelled']>;
export type RunReason = WaitReason | SkipReason | HeldReason | ParkedReason | CancelReason;

/** A service that can be down on its own. The EHR of a site is one as well: `ehr/mercy`. */
export type ServiceName = 'reasoner' | 'speech' | `ehr/${string}`;

export const EVENT_SOURCES = ['amqp', 'subscription', 'push', 'poll', 'catch-up', 'upload', 'operator'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

export type RunTrigger = {
  readonly source: EventSource;
  /** The sender's id of the event, if it has one. */
  readonly eventId?: string;
  readonly receivedAt: Date;
};

export type RunVersions = {
  readonly engine?: string;
  readonly mapping?: string;
  readonly prompt?: string;
  /** The model that was asked for: `openai:gpt-5.4`. */
  readonly model?: string;
  /** The model that answered, with its fingerprint: `gpt-5.4-2026-03-05 fp_44709d6fcb`. Absent if its vendor does not say it. */
  readonly answeredBy?: string;
  readonly speech?: string;
};

export type Run = {
  readonly id: string;
  /** Grows with each new run: the runs of a patient are processed in this order. */
  readonly serial: number;
  readonly site: string;
  /** The organization to whose usage the run counts. */
  readonly organization: string;
  /** `Encounter/123`; or `visit:V-77` until the EHR has resolved the visit number. */
  readonly encounter: string;
  /** `Patient/1`; absent until the encounter is resolved. */
  readonly patient?: string;
  /** Absent until the encounter is resolved: only then is it known whether there is anything to document. */
  readonly session?: string;
  /** The recordings of the session: `DocumentReference/9`, `Media/7`, `upload:<id>`. */
  readonly recordings: readonly string[];
  readonly isUrgent: boolean;
  readonly status: RunStatus;
  readonly reason?: RunReason;
  /** In plain words, without patient data. */
  readonly message?: string;
  readonly advice?: string;
  /** Only while it waits. */
  readonly waitsUntil?: Date;
  readonly waitsFor?: ServiceName;
  /** The current or next step; absent before the encounter is resolved, and after the end. */
  readonly step?: StepName;
  readonly tries: number;
  readonly crashes: number;
  /** The run is being cancelled: it ends after the current step. */
  readonly isCancelling: boolean;
  readonly trigger: RunTrigger;
  readonly versions: RunVersions;
  readonly replayOf?: string;
  /** The replay that has written this parked run's session: no person needs to act on the run any more. */
  readonly replayedBy?: string;
  /** The patient to whom the encounter was moved after the run had been processed, and the run that documents the session there. */
  readonly movedTo?: string;
  readonly movedBy?: string;
  /** The run writes nothing and only shows what it would change. */
  readonly isDry: boolean;
  /** Counts the drafts that a reviewer can see: a decision is about one revision. */
  readonly revision: number;
  readonly review?: RunReview;
  /** What the list of drafts shows of it. Absent before there is a draft, and of drafts of earlier versions. */
  readonly draft?: DraftFacts;
  readonly resources: readonly WrittenDocument[];
  readonly left: readonly LeftDocument[];
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly changedAt: Date;
  /** When the last reminder was sent. */
  readonly remindedAt?: Date;
  /** The trace that the run continues: that of the event, upload or request that made it, or woke it. */
  readonly traceparent?: string;
};

/** The decision of a clinician about a draft. An edited text is in the results of the run. */
export type RunReview = ReviewFacts & { readonly revision: number };

export type StepStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped';

export type RunStep = {
  readonly name: StepName;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
  readonly error?: { readonly code: string; readonly message: string };
};

/** A delivery that caused or concerned the run. */
export type RunEvent = {
  readonly source: EventSource;
  readonly eventId?: string;
  readonly receivedAt: Date;
  /** How often the same event came again. */
  readonly repeats: number;
};
