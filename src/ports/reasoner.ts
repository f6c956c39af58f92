// The reasoner: makes a differential diagnosis, complete or as a stream, and a note.
import type { AnsweringModel } from '../domain/answering-model.ts';
import type { CallCause } from '../domain/call-cause.ts';
import type { Attachment } from '../domain/diagnosis/attachment.ts';
import type { Diagnosis, PartialDiagnosis } from '../domain/diagnosis/diagnosis.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Visit } from '../domain/history/visit.ts';
import type { Language } from '../domain/language.ts';
import type { NotFound } from '../domain/note/not-found.ts';
import type { WrittenNote } from '../domain/note/note.ts';
import type { Template } from '../domain/note/template.ts';
import type { Transcript } from '../domain/recording/transcript.ts';

export type IcdEdition = 'icd-10' | 'icd-10-cm' | 'icd-10-es';

/** Who asks: organizations that share a reasoner take turns where it does one thing at a time. */
type Asking = { readonly organization?: string };

export type DiagnosisRequest = Asking & {
  /** Untrusted text; absent if only files were sent. */
  readonly clinicalHistory?: string;
  readonly attachments: readonly Attachment[];
  /** The language of the answer, whatever the language of the history. */
  readonly language: Language;
  /** By the chart; absent if the caller has none. */
  readonly visit?: Visit;
  /** The edition of ICD-10 in which diseases are coded; absent: that of the WHO. */
  readonly codes?: IcdEdition;
};

export type Answered = {
  /** The model that answered, if the vendor says it. Undefined for the rules. */
  readonly answeredBy?: AnsweringModel;
};

/** Each disease is there once, and no code belongs to another disease than its name: such a code is left out. */
export type DiagnosisAnswer = Diagnosis & Answered;

export type DiagnosisEvent =
  /** More of the answer has arrived. `snapshot` builds the state at the moment of the call; it may be called never or often. */
  | { readonly kind: 'progress'; readonly snapshot: () => PartialDiagnosis }
  /** Complete and checked. The last event. */
  | ({ readonly kind: 'final'; readonly diagnosis: Diagnosis } & Answered);

export type NoteRequest = Asking & {
  readonly transcript: Transcript;
  readonly template: Template;
  readonly language: Language;
  /** By the chart; absent if the caller has none. It helps to understand the transcript, and is no content of the note. */
  readonly visit?: Visit;
  /** What an earlier note on this transcript says and the check did not find in it. Absent in a first question. */
  readonly notFound?: readonly NotFound[];
  /** Of a clinician who has read an earlier note on this transcript. The rules take none. */
  readonly instruction?: string;
};

export type NoteAnswer = { readonly isMedical: false } | ({ readonly isMedical: true } & WrittenNote & Answered);

/** One call of the port, or of the verifier, with all its attempts, for metrics. It holds nothing of the request, and no text of the answer. */
export type ReasonerCall = {
  readonly operation: 'diagnose' | 'stream' | 'note' | 'verify';
  readonly outcome: 'success' | ErrorCode;
  readonly durationMs: number;
  /** Why it failed. */
  readonly cause?: CallCause;
} & Answered;

/**
 * Throws an AppError: `vendorUnavailable` (down, too slow, 429), `vendorAnswer` (refused, cut off, or malformed even after a second attempt),
 * `vendorRejected`, `cancelled`. An answer that was cut off or refused is always a throw, never a shorter answer.
 */
export type Reasoner = {
  /** The name for the startup message, /readyz and every Device: `openai:gpt-5.4`, `builtin:rules@1`. */
  readonly engine: string;
  /** The version of the prompts of a model, or of the knowledge of the rules: a hash. */
  readonly prompt?: string | undefined;
  diagnose(request: DiagnosisRequest, signal: AbortSignal): Promise<DiagnosisAnswer>;
  /** Any number of `progress` events, then exactly one `final`. Leaving the loop early cancels the call. */
  streamDiagnosis(request: DiagnosisRequest, signal: AbortSignal): AsyncIterable<DiagnosisEvent>;
  writeNote(request: NoteRequest, signal: AbortSignal): Promise<NoteAnswer>;
};
