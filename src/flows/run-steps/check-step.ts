// Step check: takes out markup and addresses, compares the note with the transcript and the chart, has a model compare them once more if one is
// configured, and marks statements in the draft that these do not support. A note with too many findings is held for a person after step
// map, so that the person sees the documents to approve.
import { chartToCheck } from '../../domain/history/charted-entries.ts';
import { type CheckParts, markNote } from '../../domain/note/check-note.ts';
import type { CheckReport } from '../../domain/note/check-report.ts';
import { cleanNote, markRemoved, totalRemoved } from '../../domain/note/clean-note.ts';
import { present } from '../../domain/present.ts';
import { coverSpeech } from '../../domain/recording/speech-coverage.ts';
import { requireResult, type SessionRecording } from '../../domain/run/step-results.ts';
import { mayVerify } from '../../domain/site/engine-choice.ts';
import { isNothing } from '../../domain/text/plain-text.ts';
import { makeIsSaid } from '../../domain/text/said-addresses.ts';
import type { NoteChecker } from '../../ports/note-checker.ts';
import type { VerifyNote, VerifyWork } from '../service/verify-note.ts';
import type { Services } from './services.ts';
import type { Step, StepWork } from './step-work.ts';

type CheckStepParts = {
  readonly noteChecker: NoteChecker;
  readonly verifyNote: VerifyNote;
  readonly services: Pick<Services, 'inReasonerSlot'>;
};

export function makeCheckStep({ noteChecker, verifyNote, services }: CheckStepParts): Step<'check'> {
  /** The alarm of a RED triage was stored with step diagnose: it does not wait for this. */
  async function checkTwice(checked: CheckParts, { run, site, meter }: StepWork, signal: AbortSignal) {
    const report = await noteChecker.check(checked, signal);
    if (!mayVerify(site.settings.engines)) return report;
    const call: VerifyWork['call'] = (ask) => services.inReasonerSlot(() => ask(signal), signal);
    return await verifyNote({ checked, report, meter, run: run.id, call }, signal);
  }

  return async (work, signal) => {
    const { results, site } = work;
    const diagnosis = results.diagnose?.diagnosis;
    const { note: written, language, isTranscriptOnly, removed: before } = requireResult(results, 'write-note');
    const { transcript, recordings, sound, madeAt } = requireResult(results, 'transcribe');
    const read = requireResult(results, 'read-chart');
    // The flow that wrote the note has cleaned it; a note that an earlier version of the engine stored is cleaned here.
    const isSaid = makeIsSaid([...transcript.utterances.map(({ text }) => text), read.history]);
    const { note, removed: now } = cleanNote(written, isSaid);
    const places = { ...now, ...before };
    const removed = totalRemoved(places);
    const declaredSeconds = declaredLength(requireResult(results, 'fetch-recording').recordings, recordings);
    const audio = { transcript, ...(sound && { sound }), ...(declaredSeconds !== undefined && { declaredSeconds }) };
    // A transcript as the note has only supported statements; its coverage of the recording is still checked.
    const { timeZone } = site.settings;
    const chart = chartToCheck({ ...read, timeZone, now: new Date(madeAt) });
    const report: CheckReport = isTranscriptOnly
      ? { statements: [], unsupported: {}, exceeded: [], ...coverSpeech(audio) }
      : await checkTwice(
          { note, language, chart, ...site.settings.check, ...audio, ...present({ diagnosis }) },
          work,
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
