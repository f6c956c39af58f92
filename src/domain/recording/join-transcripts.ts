// Joins the transcripts of several recordings of one session, one after the other. Each recording keeps its own speakers, because voices of
// different recordings are not compared.
import type { SoundSpan } from '../run/step-results.ts';
import type { Transcript } from './transcript.ts';

/** The BCP 47 code for an unknown language. */
const UNDETERMINED = 'und';

/** The transcripts are in the order of the recordings. The language is that of the first recording with speech. */
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

type TranscribedRecording = { readonly transcript: Transcript; readonly sound?: readonly SoundSpan[] };

/** The sound spans of the joined transcript. Undefined if one recording has none measured. */
export function joinSounds(recordings: readonly TranscribedRecording[]): readonly SoundSpan[] | undefined {
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
