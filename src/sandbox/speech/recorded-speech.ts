// A Speech adapter without a vendor: recognises the recordings of the sandbox by their bytes and returns their stored transcripts. For
// any other recording it reports which setting is missing.
import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { Speech } from '../../ports/speech.ts';

export type RecordedTalk = { readonly sha256: string; readonly sizeBytes: number; readonly transcript: Transcript };

type Parts = {
  /** Called at the first transcription. */
  readonly recordings: () => readonly RecordedTalk[];
  /** The error message for any other recording. */
  readonly message: string;
};

const ENGINE = 'builtin:recordings@1';

export function makeRecordedSpeech({ recordings, message }: Parts): Speech {
  let known: TalkIndex | undefined;
  return {
    engine: ENGINE,
    ensureConfigured: () => undefined,
    async transcribe({ recording }, signal) {
      known ??= indexOf(recordings());
      const transcript = known.byHash.get(await hashOf(recording, known.mostBytes, signal));
      if (transcript === undefined) throw new AppError('notConfigured', message);
      return transcript;
    },
  };
}

type TalkIndex = { readonly byHash: ReadonlyMap<string, Transcript>; readonly mostBytes: number };

function indexOf(recordings: readonly RecordedTalk[]): TalkIndex {
  return {
    byHash: new Map(recordings.map(({ sha256, transcript }) => [sha256, transcript])),
    mostBytes: Math.max(0, ...recordings.map(({ sizeBytes }) => sizeBytes)),
  };
}

/** Returns an empty text as soon as the recording is larger than every known one: the rest is not read. */
async function hashOf({ open }: Recording, mostBytes: number, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const bytes of open()) {
    if (signal.aborted) throw new AppError('cancelled', 'The transcription was cancelled');
    sizeBytes += bytes.length;
    if (sizeBytes > mostBytes) return '';
    hash.update(bytes);
  }
  return hash.digest('hex');
}
