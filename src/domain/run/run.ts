// One run: the documentation of one session, from the event of an encounter to the written chart. States, steps and reasons are closed sets,
// so that the compiler demands an answer for each of them.

import type { Encounter, Patient, Practitioner, PractitionerRole } from '@medplum/fhirtypes';
import type { AnsweringModel } from '../answering-model.ts';
import type { ChartFacts, ReviewFacts } from '../chart/chart.ts';
import type { HoldReason, LeftDocument, ParkReason, WrittenDocument } from '../chart/chart-write.ts';
import type { PlannedChange } from '../chart/planned-change.ts';
import type { RunFacts } from '../chart/run-facts.ts';
import type { CodeCheck, OfficialCodes } from '../coding/official-codes.ts';
import type { RemovedFromDiagnosis } from '../diagnosis/clean-diagnosis.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { Language } from '../language.ts';
import type { CheckReport } from '../note/check-report.ts';
import type { RemovedBySection } from '../note/clean-note.ts';
import type { WrittenNote } from '../note/note.ts';
import type { NoteType, TemplateName } from '../note/template.ts';
import type { RecordingType } from '../recording/recording.ts';
import type { RecordingSource } from '../recording/recording-source.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { Removed } from '../text/plain-text.ts';
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

export type SessionRecording = {
  /** `DocumentReference/9`, `Media/7` or `upload:<id>`. */
  readonly reference: string;
  readonly type: RecordingType;
  readonly start?: string;
  readonly end?: string;
  readonly durationSeconds?: number;
};

/** Which note to write, as chosen when the chart was read. */
export type RequestedNote = {
  readonly noteType?: NoteType;
  readonly template?: TemplateName;
  /** The text of a custom template. */
  readonly customTemplate?: string;
  /** Of a reviewer, who asked for another draft. */
  readonly instruction?: string;
};

/** The result of each step. It is stored encrypted, and read again when another process continues the run. */
export type StepResults = {
  'read-chart': {
    readonly encounter: Encounter;
    readonly patient: Patient;
    readonly practitioner?: Practitioner | PractitionerRole;
    readonly chart: NonNullable<ChartFacts['chart']>;
    readonly history: string;
    readonly omissions: readonly string[];
    readonly confidentiality?: string;
    /** Without bytes that are inside of a chart resource. */
    readonly sources: readonly RecordingSource[];
    readonly speechLanguage: Language | 'detect';
    readonly language: Language;
    readonly wanted: RequestedNote;
  };
  'fetch-recording': { readonly recordings: readonly SessionRecording[]; readonly confidentiality?: string };
  transcribe: {
    readonly transcript: Transcript;
    readonly recordings: readonly SessionRecording[];
    readonly speech: string;
    /** An instant: when the transcript was ready. */
    readonly madeAt: string;
    /** The spans with sound; absent if the recording's format does not allow to measure them. */
    readonly sound?: readonly SoundSpan[];
  };
  'write-note': {
    readonly note: WrittenNote;
    readonly language: Language;
    readonly model: string;
    readonly answeredBy?: AnsweringModel;
    readonly madeAt: string;
    /** No model could write a note in time: the note is the transcript itself. */
    readonly isTranscriptOnly?: boolean;
    /** What was taken out of the reasoner's texts. Absent: nothing. */
    readonly removed?: RemovedBySection;
  };
  diagnose: {
    readonly diagnosis: Diagnosis;
    readonly model: string;
    readonly answeredBy?: AnsweringModel;
    readonly madeAt: string;
    /** What was taken out of the reasoner's answer. Absent: nothing. */
    readonly removed?: RemovedFromDiagnosis;
  };
  check: {
    readonly report: CheckReport;
    readonly note: WrittenNote;
    /** What was taken out of the note. Absent: nothing. */
    readonly removed?: Removed;
    /** The note before a clinician edited it. */
    readonly shown?: WrittenNote;
  };
  map: {
    readonly documents: readonly { readonly document: string; readonly fullUrl: string; readonly resource: unknown }[];
    readonly leftOut: readonly string[];
    /** The version of the site's mappings. */
    readonly mapping: string;
    readonly madeAt: string;
    /** The draft that these documents are; after a decision, the draft that it is about. */
    readonly shown?: ShownDraft;
    /** What the official list said. The write uses the same, so that it makes the same documents. */
    readonly officialCodes?: OfficialCodes;
    /** Absent if the session has no diagnosis, or the site writes no codes of diseases. */
    readonly codes?: CodeCheck;
    /** Only for a dry run: the differences to the chart. */
    readonly differences?: readonly ChartDifference[];
  };
  'write-chart': {
    readonly resources: readonly WrittenDocument[];
    readonly left: readonly LeftDocument[];
    /** The patient into whom the run's patient was merged meanwhile, if any. */
    readonly patient?: string;
  };
  publish: Record<string, never>;
};

/** Identifies a draft that a clinician decides about: enough to find out later whether the same draft would be made again. */
export type ShownDraft = {
  /** The revision of the draft. */
  readonly revision: number;
  /** The run as the documents name it. */
  readonly run: RunFacts;
  /** In hex, over the documents of the draft and those that an approval without changes would make. */
  readonly sha256: string;
};

export type SoundSpan = {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** The loudness changes like that of speech. Absent: it does not, or was not measured. */
  readonly isLikeSpeech?: boolean;
};

export type ChartDifference = {
  readonly document: string;
  readonly reference?: string;
  readonly change: 'new' | 'changed' | 'gone' | 'same';
  /** The paths that differ, never their values: `content[0].attachment.data`. */
  readonly elements: readonly string[];
} & Partial<PlannedChange>;
