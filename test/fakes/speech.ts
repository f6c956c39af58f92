// Speech recognition with the transcript that the test sets. It reads the recording to its end, like a vendor.
import { AppError } from '../../src/domain/errors.ts';
import type { Language } from '../../src/domain/language.ts';
import type { RecordingType } from '../../src/domain/recording/recording.ts';
import type { Transcript, Utterance } from '../../src/domain/recording/transcript.ts';
import type { Speech } from '../../src/ports/speech.ts';

export type HeardRequest = {
  readonly language: Language | 'detect';
  readonly type: RecordingType;
  readonly isReopenable: boolean;
  readonly receivedBytes: number;
};

export type FakeSpeech = Speech & {
  /** The requests, each with the bytes that were read of its recording. */
  readonly requests: readonly HeardRequest[];
  /** Sets the transcript from now on. */
  readonly hear: (utterances: readonly Utterance[], durationSeconds?: number) => void;
  /** Sets the spoken language that detection returns from now on. */
  readonly speak: (language: string) => void;
  /** Lets every call fail with this error from now on, after the recording is read. */
  readonly fail: (error: AppError) => void;
  /** From now on no call ends, unless it is cancelled. */
  readonly hang: () => void;
};

export function makeFakeSpeech(): FakeSpeech {
  const requests: HeardRequest[] = [];
  let spoken = 'en';
  let answer = async (language: string, _signal: AbortSignal): Promise<Transcript> => aTranscript({ language });
  return {
    engine: 'fake:speech',
    ensureConfigured: () => undefined,
    requests,
    hear(utterances, durationSeconds = utterances.at(-1)?.endSeconds ?? 1) {
      answer = async (language) => ({ utterances, durationSeconds, language });
    },
    speak(language) {
      spoken = language;
    },
    fail(error) {
      answer = async () => {
        throw error;
      };
    },
    hang() {
      answer = (_language, signal) => untilCancelled(signal);
    },
    async transcribe({ recording, language }, signal) {
      throwIfCancelled(signal);
      let receivedBytes = 0;
      for await (const chunk of recording.open()) receivedBytes += chunk.length;
      requests.push({ language, type: recording.type, isReopenable: recording.isReopenable, receivedBytes });
      throwIfCancelled(signal);
      return answer(language === 'detect' ? spoken : language, signal);
    },
  };
}

/** Returns a made-up consultation of two speakers. */
export function aTranscript(parts: Partial<Transcript> = {}): Transcript {
  const utterances = [
    { speaker: 0, text: 'What brings you in?', startSeconds: 0.5, endSeconds: 2, confidence: 0.98 },
    { speaker: 1, text: 'My knee has hurt since Monday.', startSeconds: 2.5, endSeconds: 5, confidence: 0.95 },
    { speaker: 0, text: 'Let me have a look at it.', startSeconds: 5.5, endSeconds: 7, confidence: 0.97 },
  ];
  return { utterances, durationSeconds: 8, language: 'en', ...parts };
}

function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError('cancelled', 'The transcription was cancelled');
}

function untilCancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const cancel = () => reject(new AppError('cancelled', 'The transcription was cancelled'));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}
