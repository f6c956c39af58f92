// Step transcribe: transcribes the recordings of the session and joins the transcripts. The bytes are streamed from the EHR to the speech
// recognition, and their sound is measured on the way if the format allows it.
import { AppError } from '../../domain/errors.ts';
import { isLanguage } from '../../domain/language.ts';
import { joinSounds, joinTranscripts } from '../../domain/recording/join-transcripts.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import { makeSoundMeter, type SoundMeter } from '../../domain/recording/sound-meter.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { requireResult, type SessionRecording, type SoundSpan } from '../../domain/run/step-results.ts';
import { unsupportedLanguage } from '../../domain/run/unsupported-language.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { Speech } from '../../ports/speech.ts';
import type { TranscribeRecording } from '../service/transcribe-recording.ts';
import { type OpenRecordingParts, openRecording } from './open-recording.ts';
import type { Services } from './services.ts';
import type { Step, StepWork } from './step-work.ts';

type TranscribeStepParts = OpenRecordingParts & {
  readonly speech: Pick<Speech, 'engine'>;
  readonly transcribeRecording: TranscribeRecording;
  readonly services: Services;
  readonly runtime: Pick<Runtime, 'now'>;
};

type TranscribedRecording = { readonly transcript: Transcript; readonly sound?: readonly SoundSpan[] };

const HOUR_SECONDS = 3_600;

export function makeTranscribeStep(parts: TranscribeStepParts): Step<'transcribe'> {
  return async (work, signal) => {
    parts.transcribeRecording.ensureConfigured();
    const { recordings } = requireResult(work.results, 'fetch-recording');
    const transcribed: TranscribedRecording[] = [];
    for (const recording of recordings) transcribed.push(await transcribe(parts, work, recording, signal));
    const transcript = joinTranscripts(transcribed.map((one) => one.transcript));
    const speech = parts.speech.engine ?? 'none';
    const end = unusableLength(work.site, transcript) ?? languageProblem(work, transcribed);
    const timed = recordings.map((recording, index) => withDuration(recording, transcribed[index]));
    const sound = joinSounds(transcribed);
    return {
      result: {
        transcript,
        recordings: timed,
        speech,
        madeAt: parts.runtime.now().toISOString(),
        ...(sound && { sound }),
      },
      versions: { speech },
      ...(end && { end }),
    };
  };
}

async function transcribe(
  parts: TranscribeStepParts,
  work: StepWork,
  { reference }: SessionRecording,
  signal: AbortSignal,
): Promise<TranscribedRecording> {
  const { run, site, memory, meter, results } = work;
  const { speechLanguage } = requireResult(results, 'read-chart');
  return parts.services.call(
    { service: 'speech', run: run.id, site: site.name },
    async () => {
      const recording = memory.fetched.get(reference) ?? (await openRecording(parts, work, reference, signal));
      memory.fetched.delete(reference);
      const tapped = tapSound(recording);
      const request = { recording: tapped.recording, language: speechLanguage };
      try {
        const transcript = await parts.transcribeRecording.transcribe({ request, meter }, signal);
        return withSound(transcript, tapped.sound());
      } catch (thrown) {
        // One silent recording must not discard the others.
        if (!(thrown instanceof AppError) || thrown.code !== 'noSpeech') throw thrown;
        const language = speechLanguage === 'detect' ? '' : speechLanguage;
        return withSound({ utterances: [], durationSeconds: 0, language }, tapped.sound());
      }
    },
    signal,
  );
}

function withSound(transcript: Transcript, sound: readonly SoundSpan[] | undefined): TranscribedRecording {
  return { transcript, ...(sound && { sound }) };
}

/** Measures the sound while the bytes are read; each call of `open` measures from the start. */
function tapSound(recording: Recording): {
  readonly recording: Recording;
  readonly sound: () => readonly SoundSpan[] | undefined;
} {
  let meter: SoundMeter | undefined;
  async function* tap(): AsyncGenerator<Uint8Array, void, undefined> {
    const listening = makeSoundMeter(recording.type);
    meter = listening;
    for await (const bytes of recording.open()) {
      listening.feed(bytes);
      yield bytes;
    }
  }
  return {
    recording: {
      type: recording.type,
      isReopenable: recording.isReopenable,
      get sizeBytes() {
        return recording.sizeBytes;
      },
      open: () => tap(),
    },
    sound: () => meter?.spans(),
  };
}

function unusableLength({ settings }: LoadedSite, { utterances, durationSeconds }: Transcript): RunEnd | undefined {
  const { minSeconds, maxHours } = settings.recording;
  if (utterances.length === 0) {
    return { status: 'skipped', reason: 'no-speech', message: 'The recording has no speech.' };
  }
  if (durationSeconds < minSeconds) {
    const message = `The recording is shorter than ${minSeconds} s (recording.minSeconds in site.yaml).`;
    return { status: 'skipped', reason: 'no-speech', message };
  }
  if (durationSeconds <= maxHours * HOUR_SECONDS) return undefined;
  return {
    status: 'parked',
    reason: 'recording',
    message: `The recording is longer than ${maxHours} hours (recording.maxHours in site.yaml).`,
    advice: 'Check the recording. Set recording.maxHours higher and replay the run, or document by hand.',
  };
}

/** With language detection each recording with speech must be in a supported language. */
function languageProblem(
  { site, results }: StepWork,
  transcribed: readonly TranscribedRecording[],
): RunEnd | undefined {
  if (requireResult(results, 'read-chart').speechLanguage !== 'detect') return undefined;
  const isSupported = transcribed.every(
    ({ transcript }) => transcript.utterances.length === 0 || isLanguage(transcript.language),
  );
  return isSupported ? undefined : unsupportedLanguage(site.settings, 'recording');
}

function withDuration(recording: SessionRecording, transcribed: TranscribedRecording | undefined): SessionRecording {
  const seconds = transcribed?.transcript.durationSeconds ?? 0;
  return recording.durationSeconds === undefined && seconds > 0
    ? { ...recording, durationSeconds: seconds }
    : recording;
}
