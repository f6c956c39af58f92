// What the product needs of whoever reasons: a differential diagnosis, whole or while it is said, and a note.
import type { Attachment } from '../domain/diagnosis/attachment.ts';
import type { Diagnosis, PartialDiagnosis } from '../domain/diagnosis/diagnosis.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Language } from '../domain/language.ts';
import type { WrittenNote } from '../domain/note/note.ts';
import type { Template } from '../domain/note/template.ts';
import type { Transcript } from '../domain/recording/transcript.ts';

export type DiagnosisRequest = {
  /** Untrusted text; absent where only files were sent. */
  readonly clinicalHistory?: string;
  readonly attachments: readonly Attachment[];
  /** Of the answer, whatever language the history is in. */
  readonly language: Language;
};

export type DiagnosisEvent =
  /** More is known than before. `snapshot` builds what is known at the moment it is called; it may be called never or often. */
  | { readonly kind: 'progress'; readonly snapshot: () => PartialDiagnosis }
  /** Complete and checked. The last event. */
  | { readonly kind: 'final'; readonly diagnosis: Diagnosis };

export type NoteRequest = {
  readonly transcript: Transcript;
  readonly template: Template;
  readonly language: Language;
};

export type NoteAnswer = { readonly isMedical: false } | ({ readonly isMedical: true } & WrittenNote);

/** One call of the port, with all its tries: for metrics. Holds nothing of what was asked or said. */
export type ReasonerCall = {
  readonly operation: 'diagnose' | 'stream' | 'note';
  readonly outcome: 'success' | ErrorCode;
  readonly durationMs: number;
};

/**
 * A throw is an AppError: `vendorUnavailable` (down, too slow, 429), `vendorAnswer` (refused, cut, malformed even when
 * asked again), `vendorRejected`, `cancelled`.
 * A cut or refused answer is always a throw, never a shorter answer.
 */
export type Reasoner = {
  /** Who answers, for the start-up message, /readyz and every Device: e.g. `openai:gpt-5.4`, `builtin:rules@1`. */
  readonly engine: string;
  /** The version of what the model is asked with, or of what the rules know: a hash. */
  readonly prompt?: string | undefined;
  diagnose(request: DiagnosisRequest, signal: AbortSignal): Promise<Diagnosis>;
  /** Events in order: any number of `progress`, then exactly one `final`. Leaving the loop early cancels the call. */
  streamDiagnosis(request: DiagnosisRequest, signal: AbortSignal): AsyncIterable<DiagnosisEvent>;
  writeNote(request: NoteRequest, signal: AbortSignal): Promise<NoteAnswer>;
};
