// The first check of notes: compares a note with its transcript and the chart, without a model.
import type { CheckParts } from '../domain/note/check-note.ts';
import type { CheckReport } from '../domain/note/check-report.ts';

export type NoteChecker = {
  /** The same parts always give the same report. Throws the signal's reason, and an AppError `internal` if the check broke down. */
  readonly check: (parts: CheckParts, signal: AbortSignal) => Promise<CheckReport>;
};
