// Step check: takes out markup and addresses, compares the note with the transcript, and marks unsupported statements in the draft. A note with too many findings is held for
// a person after step map, so that the person sees the documents to approve.
import { markNote } from '../../domain/note/check-note.ts';
import type { CheckReport } from '../../domain/note/check-report.ts';
import { cleanNote, markRemoved, totalRemoved } from '../../domain/note/clean-note.ts';
import { coverSpeech } from '../../domain/recording/speech-coverage.ts';
import type { SessionRecording } from '../../domain/run/run.ts';
import { requireResult } from '../../domain/run/step-results.ts';
import { isNothing } from '../../domain/text/plain-text.ts';
import { makeIsSaid } from '../../domain/text/said-addresses.ts';
import type { NoteChecker } from '../../ports/note-checker.ts';
import type { Step } from './step-work.ts';

type CheckStepParts = { readonly noteChecker: NoteChecker };

export function makeCheckStep({ noteChecker }: CheckStepParts): Step<'check'> {
  return async ({ results, site }, signal) => {
    const { diagnose } = results;
    const { note: written, language, isTranscriptOnly, removed: before } = requireResult(results, 'write-note');
    const { transcript, recordings, sound } = requireResult(results, 'transcribe');
    const { history } = requireResult(results, 'read-chart');
    // The flow that wrote the note has cleaned it; a note that an earlier version of the engine stored is cleaned here.
    const isSaid = makeIsSaid([...transcript.utterances.map(({ text }) => text), history]);
    const { note, removed: now } = cleanNote(written, isSaid);
    const places = { ...now, ...before };
    const removed = totalRemoved(places);
    const declaredSeconds = declaredLength(requireResult(results, 'fetch-recording').recordings, recordings);
    const audio = { transcript, ...(sound && { sound }), ...(declaredSeconds !== undefined && { declaredSeconds }) };
    // A transcript as the note has only supported statements; its coverage of the recording is still checked.
    const report: CheckReport = isTranscriptOnly
      ? { statements: [], unsupported: {}, exceeded: [], ...coverSpeech(audio) }
      : await noteChecker.check(
          { note, language, ...site.settings.check, ...audio, ...(diagnose && { diagnosis: diagnose.diagnosis }) },
          signal,
        );
    const marked = markRemoved(markNote({ note, report, language }), places, language);
    return { result: { report, note: marked, ...(!isNothing(removed) && { removed }) } };
  };
}

/** Undefined unless the chart states the length of each recording. */
function declaredLength(declared: readonly SessionRecording[], all: readonly SessionRecording[]): number | undefined {
  const seconds = declared.flatMap(({ durationSeconds }) => durationSeconds ?? []);
  return seconds.length === all.length && seconds.length > 0 ? seconds.reduce((sum, one) => sum + one, 0) : undefined;
}
