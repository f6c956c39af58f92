// Transcribes a recording with numbered speakers. The audio is counted as usage even if the transcript is empty.

import type { Meter } from '../../domain/access/usage.ts';
import { AppError } from '../../domain/errors.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Speech, TranscriptionRequest } from '../../ports/speech.ts';

type TranscribeParts = { readonly speech: Speech; readonly runtime: Runtime };

export type TranscribeRecording = {
  /** Throws `notConfigured` if no speech recognition is configured. */
  readonly ensureConfigured: () => void;
  /** Throws `noSpeech` for a recording without speech, and what the speech port throws. */
  readonly transcribe: (
    work: { readonly request: TranscriptionRequest; readonly meter: Meter },
    signal: AbortSignal,
  ) => Promise<Transcript>;
};

export function makeTranscribeRecording({ speech, runtime }: TranscribeParts): TranscribeRecording {
  return {
    ensureConfigured: () => speech.ensureConfigured(),

    async transcribe({ request, meter }, signal) {
      const startedMs = runtime.monotonicMs();
      try {
        const transcript = await speech.transcribe(request, signal);
        meter.audioSeconds += transcript.durationSeconds;
        if (transcript.utterances.length === 0) {
          throw new AppError('noSpeech', 'The audio has no relevant medical content: no speech was recognized in it');
        }
        return transcript;
      } finally {
        meter.aiMs += runtime.monotonicMs() - startedMs;
      }
    },
  };
}
