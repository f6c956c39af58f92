// What the steps of a run have produced, and how later steps read it.
import type { Encounter, Patient, Practitioner, PractitionerRole } from '@medplum/fhirtypes';
import type { AnsweringModel } from '../answering-model.ts';
import type { ChartFacts } from '../chart/chart.ts';
import type { LeftDocument, WrittenDocument } from '../chart/chart-write.ts';
import type { PlannedChange } from '../chart/planned-change.ts';
import type { RunFacts } from '../chart/run-facts.ts';
import type { CodeCheck, OfficialCodes } from '../coding/official-codes.ts';
import type { RemovedFromDiagnosis } from '../diagnosis/clean-diagnosis.ts';
import type { Diagnosis } from '../diagnosis/diagnosis.ts';
import type { Language } from '../language.ts';
import type { CheckReport } from '../note/check-report.ts';
import type { RemovedBySection } from '../note/clean-note.ts';
import type { WrittenNote } from '../note/note.ts';
import { chooseTemplate, type NoteType, type Template, type TemplateName } from '../note/template.ts';
import type { RecordingType } from '../recording/recording.ts';
import type { RecordingSource } from '../recording/recording-source.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { Removed } from '../text/plain-text.ts';
import type { StepName } from './run.ts';

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

/** The result of an earlier step. It is missing only if the order of the steps is wrong. */
export function requireResult<Name extends StepName>(results: Partial<StepResults>, name: Name): StepResults[Name] {
  const result = results[name];
  if (result === undefined) throw new Error(`the result of ${name} is missing`);
  return result as StepResults[Name];
}

/** The template of the note that step read-chart has chosen. */
export function templateOf(results: Partial<StepResults>): Template {
  const { wanted, language } = requireResult(results, 'read-chart');
  const { noteType, template, customTemplate } = wanted;
  return chooseTemplate({ language, noteType, template, customTemplate });
}
