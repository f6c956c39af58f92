// One run: from an encounter that ended to the chart that was written, for one session. States, steps and reasons are closed sets,
// so that whoever shows, counts or decides has an answer for each of them.
import type { Encounter, Patient, Practitioner, PractitionerRole } from '@medplum/fhirtypes';
import type { ChartFacts, ReviewFacts, RunFacts } from '../chart/chart.ts';
import type { HoldReason, LeftDocument, ParkReason, WrittenDocument } from '../chart/chart-write.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { Language } from '../language.ts';
import type { CheckReport } from '../note/check-report.ts';
import type { WrittenNote } from '../note/note.ts';
import type { NoteType, TemplateName } from '../note/template.ts';
import type { RecordingType } from '../recording/recording.ts';
import type { RecordingSource } from '../recording/recording-source.ts';
import type { Transcript } from '../recording/transcript.ts';

/** In the order in which they are done. Looking at the encounter comes before them: it says whether there is a run at all. */
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
  /** Its turn comes as soon as somebody is free. */
  'queued',
  'running',
  /** For something outside, until a time: `waitsFor`. */
  'waiting',
  /** For a person's decision. */
  'held',
  'written',
  'skipped',
  /** For a person's help: something is not as it should be. */
  'parked',
  'retracted',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Those that end by themselves, and so keep later runs of the same patient waiting. */
export const TURN_STATUSES = ['queued', 'running', 'waiting'] as const satisfies readonly RunStatus[];

const RUN_REASONS = {
  waiting: {
    /** No recording is in the chart yet. The only wait that keeps no later run of the patient waiting. */
    recording: 'recording',
    /** The EHR does not have the encounter (yet). */
    encounter: 'encounter',
    reasoner: 'reasoner',
    speech: 'speech',
    ehr: 'ehr',
    /** The site does not allow the engines that are configured here. */
    engines: 'engines',
    paused: 'paused',
    /** It failed, and is tried again. */
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
    /** All that there is to document is documented already. */
    nothingNew: 'nothing-new',
    /** The site writes nothing yet: what would have been written is kept. */
    shadow: 'shadow',
    /** A replay that was only to show what would be different. */
    dryRun: 'dry-run',
    off: 'off',
  },
  held: {
    review: 'review',
    unsupported: 'unsupported',
    /** What was said is not all in the transcript, or there are words where nobody speaks. */
    coverage: 'coverage',
    language: 'language',
  },
  parked: {
    tries: 'tries',
    crashes: 'crashes',
    mapping: 'mapping',
    recording: 'recording',
    /** The EHR refuses to let us read what is needed. */
    ehrRefused: 'ehr-refused',
    vendor: 'vendor',
    /** The site is gone, or has no EHR. */
    site: 'site',
    /** A clinician rejected the draft; what of it stands in the chart was taken back. */
    rejected: 'rejected',
    /** It was held, and nobody decided about it for so long that what was kept of it was deleted. */
    expired: 'expired',
  },
  cancelled: {
    /** What made its draft turned out to be wrong. Already said of one that is at work, and ends at its next step. */
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

/** Who can be down without the others being it. A site's EHR is one, too: `ehr/mercy`. */
export type ServiceName = 'reasoner' | 'speech' | `ehr/${string}`;

export const EVENT_SOURCES = ['amqp', 'subscription', 'push', 'poll', 'catch-up', 'upload', 'operator'] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

export type RunTrigger = {
  readonly source: EventSource;
  /** As the sender calls it; absent where it has no name. */
  readonly eventId?: string;
  readonly receivedAt: Date;
};

export type RunVersions = {
  readonly engine?: string;
  readonly mapping?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly speech?: string;
};

export type Run = {
  readonly id: string;
  /** Grows with each run that is made: a patient's runs take turns in this order. */
  readonly serial: number;
  readonly site: string;
  /** Whose plan and usage it counts to. */
  readonly organization: string;
  /** `Encounter/123`; or `visit:V-77` until the EHR has said which encounter has that visit number. */
  readonly encounter: string;
  /** `Patient/1`; absent until the encounter was looked at. */
  readonly patient?: string;
  /** Absent until the encounter was looked at: the run does not know yet if there is anything to document. */
  readonly session?: string;
  /** What the session is made of: `DocumentReference/9`, `Media/7`, `upload:<id>`. */
  readonly recordings: readonly string[];
  readonly isUrgent: boolean;
  readonly status: RunStatus;
  readonly reason?: RunReason;
  /** In plain words, without anything of the patient's. */
  readonly message?: string;
  readonly advice?: string;
  /** While it waits: until when, and for whom. */
  readonly waitsUntil?: Date;
  readonly waitsFor?: ServiceName;
  /** The step that is under way, or comes next; absent before the look and at the end. */
  readonly step?: StepName;
  readonly tries: number;
  readonly crashes: number;
  /** Somebody wants it to end: it does so at the next step. */
  readonly isCancelling: boolean;
  readonly trigger: RunTrigger;
  readonly versions: RunVersions;
  readonly replayOf?: string;
  /** Shows what it would do, and writes nothing. */
  readonly isDry: boolean;
  /** Counts what a reviewer can be shown: a decision is about one of them, and no other. */
  readonly revision: number;
  readonly review?: RunReview;
  readonly resources: readonly WrittenDocument[];
  readonly left: readonly LeftDocument[];
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly changedAt: Date;
  /** When people were last told that it waits for them. */
  readonly remindedAt?: Date;
};

/** What a clinician decided about a draft. The words of an edit are in the results of the run. */
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

/** What a delivery had to do with a run. */
export type RunEvent = {
  readonly source: EventSource;
  readonly eventId?: string;
  readonly receivedAt: Date;
  /** How often the same came again. */
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

/** The note that is to be written, as it was chosen when the encounter was looked at. */
export type WantedNote = {
  readonly noteType?: NoteType;
  readonly template?: TemplateName;
  /** The text of a custom template. */
  readonly customTemplate?: string;
};

/** What each step gave. Kept encrypted, and read again where another process goes on. */
export type StepResults = {
  'read-chart': {
    readonly encounter: Encounter;
    readonly patient: Patient;
    readonly practitioner?: Practitioner | PractitionerRole;
    readonly chart: NonNullable<ChartFacts['chart']>;
    readonly history: string;
    readonly omissions: readonly string[];
    readonly confidentiality?: string;
    /** Without the bytes of those that lie in the chart itself. */
    readonly sources: readonly RecordingSource[];
    readonly speechLanguage: Language | 'detect';
    readonly language: Language;
    readonly wanted: WantedNote;
  };
  'fetch-recording': { readonly recordings: readonly SessionRecording[]; readonly confidentiality?: string };
  transcribe: {
    readonly transcript: Transcript;
    readonly recordings: readonly SessionRecording[];
    readonly speech: string;
    /** An instant: since when there is something to write a note of. */
    readonly madeAt: string;
    /** Where something is heard, as far as the recording itself tells; absent where it does not. */
    readonly sound?: readonly SoundSpan[];
  };
  'write-note': {
    readonly note: WrittenNote;
    readonly language: Language;
    readonly model: string;
    readonly madeAt: string;
    /** Nobody could write a note in time: it is the transcript itself. */
    readonly isTranscriptOnly?: boolean;
  };
  diagnose: { readonly diagnosis: Diagnosis; readonly model: string; readonly madeAt: string };
  check: {
    readonly report: CheckReport;
    readonly note: WrittenNote;
    /** The note as it was shown to whoever edited it. */
    readonly shown?: WrittenNote;
  };
  map: {
    readonly documents: readonly { readonly document: string; readonly fullUrl: string; readonly resource: unknown }[];
    readonly leftOut: readonly string[];
    /** The site's version that made them. */
    readonly mapping: string;
    readonly madeAt: string;
    /** The draft that these documents are; of what was approved: the one that the decision was about. */
    readonly shown?: ShownDraft;
    /** Of a dry run: what would be different from what stands in the chart. */
    readonly differences?: readonly ChartDifference[];
  };
  'write-chart': {
    readonly resources: readonly WrittenDocument[];
    readonly left: readonly LeftDocument[];
    /** Whose chart it is, where the run's patient was merged into another one meanwhile. */
    readonly patient?: string;
  };
  publish: Record<string, never>;
};

/** A draft that a clinician decides about: enough of it to see later whether the same would still be made. */
export type ShownDraft = {
  /** The revision as which it is shown. */
  readonly revision: number;
  /** What its documents say of the run that made them. */
  readonly run: RunFacts;
  /** Of its documents, and of those that an approval of it as it is would make. In hex. */
  readonly sha256: string;
};

export type SoundSpan = {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Its loudness comes and goes as that of speech does. Absent: it does not, or nobody looked. */
  readonly isLikeSpeech?: boolean;
};

export type ChartDifference = {
  readonly document: string;
  readonly reference?: string;
  readonly change: 'new' | 'changed' | 'gone' | 'same';
  /** `content[0].attachment.data`: where it differs, never what stands there. */
  readonly elements: readonly string[];
};
