// Step check: was it really said? What nobody said is marked in the draft. Too much of it, or of what the recording does not bear out,
// is held for a person: once it is mapped, so that they see what they would approve.
import { checkNote, markNote } from '../../domain/note/check-note.ts';
import type { CheckReport } from '../../domain/note/check-report.ts';
import { coverSpeech } from '../../domain/recording/speech-coverage.ts';
import type { SessionRecording } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { need, type Step } from './step-work.ts';

/** Of what is heard, so much must have been understood. */
const MIN_COVERAGE = 0.95;

export function makeCheckStep(): Step<'check'> {
  return async ({ results, site }) => {
    const { note, language, isTranscriptOnly } = need(results, 'write-note');
    const { transcript, recordings, sound } = need(results, 'transcribe');
    const declaredSeconds = declaredLength(need(results, 'fetch-recording').recordings, recordings);
    const heard = { transcript, ...(sound && { sound }), ...(declaredSeconds !== undefined && { declaredSeconds }) };
    // It is what was said, as far as it was heard.
    const report: CheckReport = isTranscriptOnly
      ? { statements: [], unsupported: {}, exceeded: [], ...coverSpeech(heard) }
      : checkNote({ note, language, maxUnsupported: site.settings.check.maxUnsupported, ...heard });
    return { result: { report, note: markNote({ note, report, language }) } };
  };
}

/** Only where the chart says it of each of them. */
function declaredLength(declared: readonly SessionRecording[], all: readonly SessionRecording[]): number | undefined {
  const seconds = declared.flatMap(({ durationSeconds }) => durationSeconds ?? []);
  return seconds.length === all.length && seconds.length > 0 ? seconds.reduce((sum, one) => sum + one, 0) : undefined;
}

/** Undefined: nothing of it needs a person. Asked where it is mapped: a replay may begin behind the check. */
export function whyHeld({ exceeded, unsupported, overSilence, coverage }: CheckReport): RunEnd | undefined {
  if (exceeded.length > 0) {
    const counts = exceeded.map((kind) => `${kind}: ${unsupported[kind] ?? 0}`).join(', ');
    return {
      status: 'held',
      reason: 'unsupported',
      message: `The note says more than check.maxUnsupported allows that is not in the transcript (${counts}).`,
      advice: ADVICE,
    };
  }
  if (coverage !== undefined && coverage < MIN_COVERAGE) {
    const percent = Math.floor(coverage * 100);
    return {
      status: 'held',
      reason: 'coverage',
      message: `Only ${percent} % of what is heard in the recording is in the transcript.`,
      advice: ADVICE,
    };
  }
  if (overSilence.length === 0) return undefined;
  return {
    status: 'held',
    reason: 'coverage',
    message: `The transcript has words where the recording is silent (${overSilence.length} places).`,
    advice: ADVICE,
  };
}

const ADVICE =
  'A clinician compares the draft with the recording, and approves, edits or rejects it (npm run cli -- runs review <id>).';
