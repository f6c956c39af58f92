// Several recordings of one session as one transcript: one after the other, each with its own speakers. A voice of the second recording is
// never taken for one of the first: nobody has compared them.
import type { SoundSpan } from '../run/run.ts';
import type { Transcript } from './transcript.ts';

/** BCP 47 for a language that nobody could tell. */
const UNDETERMINED = 'und';

/** In the order of the recordings. The language is that of the first in which anybody speaks. */
export function joinTranscripts(transcripts: readonly Transcript[]): Transcript {
  let [offsetSeconds, offsetSpeakers] = [0, 0];
  const utterances = transcripts.flatMap((transcript) => {
    const [from, firstSpeaker] = [offsetSeconds, offsetSpeakers];
    offsetSeconds += transcript.durationSeconds;
    offsetSpeakers += transcript.utterances.reduce((count, { speaker }) => Math.max(count, speaker + 1), 0);
    return transcript.utterances.map((said) => ({
      ...said,
      speaker: said.speaker + firstSpeaker,
      startSeconds: said.startSeconds + from,
      endSeconds: said.endSeconds + from,
    }));
  });
  const spoken = transcripts.find((transcript) => transcript.utterances.length > 0) ?? transcripts[0];
  return { utterances, durationSeconds: offsetSeconds, language: spoken?.language ?? UNDETERMINED };
}

type HeardRecording = { readonly transcript: Transcript; readonly sound?: readonly SoundSpan[] };

/** The sound that belongs to the joined transcript. Undefined where one of the recordings does not tell. */
export function joinSounds(recordings: readonly HeardRecording[]): readonly SoundSpan[] | undefined {
  let offsetSeconds = 0;
  const joined: SoundSpan[] = [];
  for (const { transcript, sound } of recordings) {
    if (sound === undefined) return undefined;
    for (const span of sound) {
      joined.push({
        ...span,
        startSeconds: span.startSeconds + offsetSeconds,
        endSeconds: span.endSeconds + offsetSeconds,
      });
    }
    offsetSeconds += transcript.durationSeconds;
  }
  return joined;
}
