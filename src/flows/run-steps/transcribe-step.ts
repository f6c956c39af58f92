// Step transcribe: the recordings of the session, one after another, made into one transcript. Their bytes go from the EHR to the
// speech recognition, and are listened to on the way as far as we can.
import { AppError } from '../../domain/errors.ts';
import { joinSounds, joinTranscripts } from '../../domain/recording/join-transcripts.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import { makeSoundMeter, type SoundMeter } from '../../domain/recording/sound-meter.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { SessionRecording, SoundSpan } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { Speech } from '../../ports/speech.ts';
import type { TranscribeRecording } from '../service/transcribe-recording.ts';
import { type FetchParts, openRecording } from './fetch-step.ts';
import { isLanguage, unsupportedLanguage } from './read-chart-step.ts';
import type { Services } from './services.ts';
import { need, type Step, type StepWork } from './step-work.ts';

type TranscribeStepParts = Omit<FetchParts, 'askPermission'> & {
  readonly speech: Pick<Speech, 'engine'>;
  readonly transcribeRecording: TranscribeRecording;
  readonly services: Services;
  readonly runtime: Pick<Runtime, 'now'>;
};

type Heard = { readonly transcript: Transcript; readonly sound?: readonly SoundSpan[] };

const HOUR_SECONDS = 3_600;

export function makeTranscribeStep(parts: TranscribeStepParts): Step<'transcribe'> {
  return async (work, signal) => {
    parts.transcribeRecording.ensureConfigured();
    const { recordings } = need(work.results, 'fetch-recording');
    const heard: Heard[] = [];
    for (const recording of recordings) heard.push(await listen(parts, work, recording, signal));
    const transcript = joinTranscripts(heard.map((one) => one.transcript));
    const speech = parts.speech.engine ?? 'none';
    const end = whyNot(work.site, transcript) ?? languageProblem(work, heard);
    const timed = recordings.map((recording, index) => withDuration(recording, heard[index]));
    const sound = joinSounds(heard);
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

async function listen(
  parts: TranscribeStepParts,
  work: StepWork,
  { reference }: SessionRecording,
  signal: AbortSignal,
): Promise<Heard> {
  const { run, site, memory, meter, results } = work;
  const { speechLanguage } = need(results, 'read-chart');
  return parts.services.ask(
    { service: 'speech', run: run.id, site: site.name },
    async () => {
      const recording = memory.fetched.get(reference) ?? (await openRecording(parts, work, reference, signal));
      memory.fetched.delete(reference);
      const tapped = tapSound(recording);
      const request = { recording: tapped.recording, language: speechLanguage };
      try {
        const transcript = await parts.transcribeRecording.transcribe({ request, meter }, signal);
        return heardWith(transcript, tapped.sound());
      } catch (thrown) {
        // Of several recordings one may be silent: nobody is to lose the others.
        if (!(thrown instanceof AppError) || thrown.code !== 'noSpeech') throw thrown;
        const language = speechLanguage === 'detect' ? '' : speechLanguage;
        return heardWith({ utterances: [], durationSeconds: 0, language }, tapped.sound());
      }
    },
    signal,
  );
}

function heardWith(transcript: Transcript, sound: readonly SoundSpan[] | undefined): Heard {
  return { transcript, ...(sound && { sound }) };
}

/** Each opening is listened to from its start. */
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

function whyNot({ settings }: LoadedSite, { utterances, durationSeconds }: Transcript): RunEnd | undefined {
  const { minSeconds, maxHours } = settings.recording;
  if (utterances.length === 0) {
    return { status: 'skipped', reason: 'no-speech', message: 'Nobody speaks in the recording.' };
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
    advice: 'Find out if it is what it says. Set recording.maxHours higher and replay the run, or document by hand.',
  };
}

/** What was detected may be none of ours, in any of the recordings in which somebody speaks. */
function languageProblem({ site, results }: StepWork, heard: readonly Heard[]): RunEnd | undefined {
  if (need(results, 'read-chart').speechLanguage !== 'detect') return undefined;
  const isKnown = heard.every(
    ({ transcript }) => transcript.utterances.length === 0 || isLanguage(transcript.language),
  );
  return isKnown ? undefined : unsupportedLanguage(site, 'speech');
}

function withDuration(recording: SessionRecording, heard: Heard | undefined): SessionRecording {
  const seconds = heard?.transcript.durationSeconds ?? 0;
  return recording.durationSeconds === undefined && seconds > 0
    ? { ...recording, durationSeconds: seconds }
    : recording;
}
